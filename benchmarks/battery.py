"""Metrics of the battery against the programs they are tested against, as ratios of processor time.

``python -m benchmarks.battery`` times METEOR, surface statistics and ROUGE; texts are SummEval's where its folder is
there. With ``--encoder FOLDER --peer PYTHON`` it times BERTScore too: PYTHON is of an environment with bert-score 0.3.13,
and this one needs the extra ``local``. Each side is warmed up on other texts, models and word lists loaded, and each pair
of texts comes once: nothing that was computed is used again.
"""

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.golden import planted_pairs
from tests.support.scoring import read_summeval

from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.surface import Places, fragment_lengths, places_of
from gameproof.records import Item
from gameproof.text import words

SHARED = Path(__file__).resolve().parents[2] / "shared"
WORDNET = Path("/usr/share/wordnet")
N_SHORT, N_LONG, JOINED = 160, 10, 13  # pairs of about 60 words and of 800, of as many texts joined

PEER = """
import json, sys, time, torch
from bert_score import BERTScorer
given = json.load(sys.stdin)
torch.set_num_threads(1)
scorer = BERTScorer(model_type=given["encoder"], num_layers=given["layers"])
scorer.score(["a text"], ["another text"])
started = time.process_time()
_, _, found = scorer.score(given["candidates"], given["references"])
print(json.dumps({"seconds": time.process_time() - started, "scores": found.tolist()}))
"""


def read_rows() -> list[Item]:
    if SHARED.is_dir():
        return read_summeval(SHARED)
    return [item for item in planted_pairs() if item.references]


def read_items() -> list[Item]:
    rows = read_rows()
    step = 7 if len(rows) > 1000 else 1
    return rows[::step]


def join(items: Sequence[Item], number: int) -> Item:
    """Join texts of several tasks to one of about 800 words."""
    return Item(
        id=f"long {number}",
        task_id=f"long {number}",
        candidate=" ".join(item.candidate for item in items),
        references=(" ".join(item.references[0] for item in items),),
        source=" ".join((items[0].source or "", items[1].source or "")),
    )


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def score(names: Sequence[str], items: Sequence[Item]) -> None:
    async def work() -> None:
        for metric in build_metrics(names):
            await metric.score(items)

    asyncio.run(work())


def peer_of_meteor() -> Callable[[Item], object]:
    import nltk  # noqa: PLC0415 - a peer
    import nltk.corpus  # noqa: PLC0415
    from nltk.translate.meteor_score import single_meteor_score  # noqa: PLC0415

    data = Path(tempfile.mkdtemp())
    place = data / "corpora" / "wordnet"
    shutil.copytree(WORDNET, place)
    (place / "lexnames").write_text("".join(f"{number:02d}\tname.{number}\t1\n" for number in range(45)))
    nltk.data.path.append(str(data))
    return lambda item: single_meteor_score(words(item.references[0]), words(item.candidate))


def fragments_by_definition(item: Item) -> float:
    return density_by_definition(words(item.candidate), words(item.source or ""))


def density_by_definition(summary: Sequence[str], text: Sequence[str]) -> float:
    """Find the longest shared run from each word by trying every place of the source."""
    total, start = 0, 0
    while start < len(summary):
        longest = 0
        for place in range(len(text)):
            length = 0
            while (
                start + length < len(summary)
                and place + length < len(text)
                and summary[start + length] == text[place + length]
            ):
                length += 1
            longest = max(longest, length)
        total += longest * longest
        start += max(longest, 1)
    return total / len(summary)


def peer_of_rouge() -> Callable[[Item], object]:
    from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415 - a peer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
    return lambda item: scorer.score(item.references[0], item.candidate)


ROUGE = [f"{name},tok=legacy" for name in ("rouge1", "rouge2", "rougeL", "rougeLsum")]
COMPARISONS = {
    "meteor": (["meteor,compat=nltk"], peer_of_meteor),
    "density": (["density"], lambda: fragments_by_definition),
    "rouge": (ROUGE, peer_of_rouge),
}


def compare(items: Sequence[Item]) -> None:
    short = items[:N_SHORT]
    long = [join(items[place * JOINED : (place + 1) * JOINED], place) for place in range(N_LONG)]
    warm = items[N_SHORT : N_SHORT + 20]
    compare_on_words(short, "a source each or two")
    compare_on_words(read_rows()[:N_SHORT], "16 candidates a source")
    compare_on_words(long, "a source each")
    for name, (ours, make_peer) in COMPARISONS.items():
        if name == "meteor" and not (WORDNET / "index.sense").is_file():
            print("meteor: needs wordnet-base and wordnet-sense-index")
            continue
        peer = make_peer()
        score(ours, warm)
        for item in warm:
            peer(item)
        for length, texts in (("60 words", short), ("800 words", long)):
            mine = seconds(lambda texts=texts, ours=ours: score(ours, texts))
            theirs = seconds(lambda texts=texts, peer=peer: [peer(item) for item in texts])
            each = 1e3 / len(texts)
            print(
                f"{name}, {length}: {mine * each:.3f} ms against {theirs * each:.3f} ms: {theirs / mine:.1f} times faster"
            )


def compare_on_words(items: Sequence[Item], what: str) -> None:
    """Time surface statistics alone: splitting texts into words is shared by all metrics of a run."""
    split = [(words(item.candidate), item.source or "", words(item.source or "")) for item in items]

    def ours() -> None:
        places: dict[str, Places] = {}  # as the memo of a run keeps them
        for candidate, text, source in split:
            if text not in places:
                places[text] = places_of(source)
            assert sum(fragment_lengths(candidate, places[text])) <= len(candidate)

    mine = seconds(ours)
    theirs = seconds(lambda: [density_by_definition(candidate, source) for candidate, _, source in split])
    length = sum(len(candidate) for candidate, _, _ in split) / len(split)
    print(f"density on words, {length:.0f} on average, {what}: {theirs / mine:.1f} times faster")


def compare_bertscore(items: Sequence[Item], encoder: str, peer: str) -> None:
    import torch  # noqa: PLC0415 - an extra

    torch.set_num_threads(1)
    layers = json.loads((Path(encoder) / "config.json").read_text(encoding="utf-8"))["num_hidden_layers"]
    (metric,) = build_metrics([f"bertscore,model={encoder}"])
    asyncio.run(
        metric.score([Item(id="warm", task_id="warm", candidate="a text", references=("another text",))])
    )
    found: list[float] = []
    mine = seconds(lambda: found.extend(asyncio.run(metric.score(items)).values.tolist()))
    given = {
        "encoder": encoder,
        "layers": layers,
        "candidates": [item.candidate for item in items],
        "references": [item.references[0] for item in items],
    }
    done = subprocess.run(
        [peer, "-c", PEER], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    largest = max(abs(a - b) for a, b in zip(found, theirs["scores"], strict=True))
    ratio = theirs["seconds"] / mine
    print(
        f"bertscore, {len(items)} pairs: {mine:.1f} s against {theirs['seconds']:.1f} s: {ratio:.2f}; largest difference {largest:.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder")
    parser.add_argument("--peer", default=sys.executable)
    parser.add_argument("--pairs", type=int, default=60)
    given = parser.parse_args()
    items = read_items()
    if given.encoder:
        compare_bertscore(items[: given.pairs], given.encoder, given.peer)
    else:
        compare(items)


if __name__ == "__main__":
    main()
