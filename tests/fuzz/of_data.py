"""Readers of data files: rows in every format, choices between texts, the public data sets, a study's documents."""

import gzip
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.fuzz.reader import REFUSED, Reader, folder, from_file, named_lines

from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.opening import DataOptions, check_data, open_comparisons, open_dataset
from gameproof.files import check, load, load_comparisons, read_variants, write_rows
from gameproof.study.retrieve.local import read_corpus, read_fixed

__all__ = ["OF_DATA"]

SAMPLES = Path(__file__).parents[1] / "data" / "public"
ROWS: Sequence[Mapping[str, object]] = [
    {
        "id": "a",
        "task_id": "t",
        "candidate": "It rained.",
        "references": ["Rain fell."],
        "source": "s",
        "system": "A",
        "ratings": {"x": 3.5},
        "raters": {"ann": {"x": 3}, "bob": {"x": 4}},
        "persona": {"role": "nurse", "knows": ["k"]},
        "query": "q",
        "domain": "answers",
    },
    {"id": "b", "task_id": "u", "candidate": "", "references": None, "ratings": {"x": None}},
]
PAIRS = [
    {
        "task_id": "t",
        "candidate_a": "It rained.",
        "candidate_b": "It snowed.",
        "choice": "a",
        "annotator": "ann",
    }
]
VARIANTS = (
    b'{"item": "a", "variant": "repeat_text", "text": "x"}\n'
    b'{"item": "b", "variant": "distractors", "level": 2, "reason": "one task only"}\n'
)
DOCUMENTS = [
    {"title": "Rain", "text": "It rained.", "id": "W1", "url": "https://example.org", "year": 2020},
    {"title": "Sun", "abstract": "It shone."},
    {"title": "Nothing"},
]
# Files of public data sets that stand alone, by the name of the data set.
SINGLE = {
    "summeval": ("summeval/model_annotations.aligned.jsonl", "summeval_geval/summeval.json", "summeval_mteb/test.jsonl"),
    "rose": ("rose/protocol-comparison-llm.json",),
    "summeval_op": ("summeval_op/summeval-op.jsonl", "summeval_op_detailed/summeval-op-detailed.jsonl"),
    "space": ("space_official/space_summ.json", "space_outputs/baselines_space.json"),
    "squality": ("squality/all-responses.jsonl", "squality/v1-3/txt/test.jsonl"),
    "scitldr": ("scitldr/SciTLDR-Data/SciTLDR-A/test.jsonl", "scitldr/analysis/human_eval_informativeness.csv"),
    "arxiv": ("arxiv/test.txt",),
    "pubmed": ("pubmed_hf/test.jsonl", "pubmed_mirror/pubmed_200.json", "pubmed_longeval/beam_3.jsonl"),
    "elife": ("elife/test.json", "elife_hf/test.jsonl", "elife_mirror/sample.json", "elife_human/human_eval/eval_output_eLife-annotator1.jsonl"),
    "aclsum": ("aclsum/test.jsonl",),
    "lfqa_e": ("lfqa_e/data/en_test.json",),
    "medaesqa": ("medaesqa/medaesqa_v1.json",),
    "expertqa": ("expertqa/data/lfqa/rand_test.jsonl",),
    "topical_chat": ("topical_chat/topical_chat.json",),
    "openreview": ("openreview_notes/notes.json", "openreview_table/dataset_human_review1.json", "peerread/reviews/104.json"),
    "peer_grading_wh": ("peer_grading/reviews.csv",),
    "news_pairwise": ("news_pairwise/pairwise_evaluation_results.json",),
    "summarize_feedback": ("summarize_from_feedback/comparisons/batch3.json", "summarize_axes/axis_evals/cnndm1.json"),
    "lfqa_experts": ("lfqa_experts/Annotated_Dataset/physics_11.json", "lfqa_processed/preference_data/experts.jsonl"),
    "pandalm": ("pandalm/testset-v1.json",),
    "llmbar": ("llmbar/Natural/dataset.json",),
    "reader_study": ("reader_study/results/annotator-7.json",),
}  # fmt: skip


def _public(name: str, data: bytes) -> None:
    if name not in PUBLIC:
        return
    path = folder() / "public.json"
    path.write_bytes(data)
    data_name = f"{name}:{path}"
    with suppress(*REFUSED):
        check_data(data_name)
    with suppress(*REFUSED):
        open_comparisons(data_name)
    open_dataset(data_name, DataOptions())


def _json_lines(rows: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _parquet() -> bytes:
    path = folder() / "seed.parquet"
    write_rows(path, [{"candidate": "It rained.", "references": ["Rain fell."], "rating": 3.5}] * 3)
    return path.read_bytes()


def _items(path: Path) -> None:
    with suppress(*REFUSED):
        check(path)
    load(path)


OF_DATA: Mapping[str, Reader] = {
    "items-jsonl": Reader(read=from_file("a.jsonl", _items), seeds=(_json_lines(ROWS), b"[" + _json_lines(ROWS[:1]) + b"]")),
    "items-csv": Reader(
        read=from_file("a.csv", _items),
        seeds=(
            b'candidate,references,rating_x,task_id\n"It rained.","[""Rain fell."", ""b""]",3.5,t\nc,"[\'a\', \'b\']",,u\n',
            b'\xef\xbb\xbfcandidate;reference;ratings\nIt rained;Rain;"{""x"": 1}"\n',
        ),
    ),
    "items-parquet": Reader(read=from_file("a.parquet", _items), seeds=(_parquet(),)),
    "items-gzip": Reader(read=from_file("a.jsonl.gz", _items), seeds=(gzip.compress(_json_lines(ROWS), mtime=0),)),
    "pairs": Reader(read=from_file("p.jsonl", load_comparisons), seeds=(_json_lines(PAIRS),)),
    "pairs-csv": Reader(
        read=from_file("p.csv", load_comparisons),
        seeds=(b"task_id,candidate_a,candidate_b,preference,annotator\nt,It rained.,It snowed.,a,ann\nt,c,d,tie,bob\n",),
    ),
    "variants": Reader(read=from_file("v.jsonl", read_variants), seeds=(VARIANTS,)),
    "public": Reader(
        read=named_lines(_public),
        seeds=tuple(
            json.dumps(name).encode() + b"\n" + (SAMPLES / file).read_bytes()
            for name, files in SINGLE.items()
            for file in files
        ),
    ),
    "study-corpus": Reader(read=from_file("corpus.jsonl", read_corpus), seeds=(_json_lines(DOCUMENTS),)),
    "study-lists": Reader(
        read=from_file("fixed.json", read_fixed), seeds=(json.dumps({"rain": DOCUMENTS[:1], "*": DOCUMENTS[1:]}).encode(),)
    ),
}  # fmt: skip
