"""Metrics of the battery against the programs they are tested against, as ratios of processor time.

``python -m benchmarks.battery_speed`` times METEOR, surface statistics and ROUGE from plain texts; texts are SummEval's
where its folder is there. With ``--encoder FOLDER --peer PYTHON`` it times BERTScore instead: PYTHON is of an
environment with bert-score 0.3.13, and this one needs the extra ``local``. Each side is warmed up on other texts,
models and word lists loaded. Both sides take turns, and the shortest of several rounds counts; each round begins with
nothing kept from the one before.
"""

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.golden import planted_pairs
from tests.support.scoring import read_summeval

from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item
from gameproof.text import words

SHARED = Path(__file__).resolve().parents[2] / "shared"
WORDNET = Path("/usr/share/wordnet")
N_SHORT, N_LONG, JOINED = 160, 10, 13  # pairs of about 60 words and of 800, of as many texts joined
ROUNDS = 5
BERT_ROUNDS = 3

PEER = """
import json, sys, time, torch
from bert_score import BERTScorer
given = json.load(sys.stdin)
torch.set_num_threads(1)
scorer = BERTScorer(model_type=given["encoder"], num_layers=given["layers"])
scorer.score(["a text"], ["another text"])
spent = []
for _ in range(given["rounds"]):
    started = time.process_time()
    _, _, found = scorer.score(given["candidates"], given["references"])
    spent.append(time.process_time() - started)
print(json.dumps({"seconds": min(spent), "scores": found.tolist()}))
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


def runs_as_published(summary: Sequence[str], text: Sequence[str]) -> list[int]:
    """Return the lengths of shared runs by the algorithm of Grusky et al. (2018), section 4.1."""
    lengths: list[int] = []
    start = 0
    while start < len(summary):
        longest = place = 0
        while place < len(text):
            length = 0
            while (
                start + length < len(summary)
                and place + length < len(text)
                and summary[start + length] == text[place + length]
            ):
                length += 1
            longest = max(longest, length)
            place += max(length, 1)
        if longest:
            lengths.append(longest)
        start += max(longest, 1)
    return lengths


def density_as_published(item: Item) -> float:
    summary = words(item.candidate)
    return sum(length**2 for length in runs_as_published(summary, words(item.source or ""))) / len(summary)


def shares_of_ngrams(summary: Sequence[str], text: Sequence[str]) -> list[float]:
    """Return the new and the repeated n-grams by sets and counts, as Fabbri et al. (2021) define them."""
    found: list[float] = []
    for length in (1, 2, 3):
        grams = [tuple(summary[start : start + length]) for start in range(len(summary) - length + 1)]
        known = {tuple(text[start : start + length]) for start in range(len(text) - length + 1)}
        counts = Counter(grams)
        found.append(len(counts.keys() - known) / len(counts))
        found.append(sum(count > 1 for count in counts.values()) / len(counts))
    return found


def ngrams_by_definition(item: Item) -> list[float]:
    return shares_of_ngrams(words(item.candidate), words(item.source or ""))


def surface_as_published(item: Item) -> list[float]:
    """Return all surface statistics of a text: it is split once and its runs are searched once."""
    summary, text = words(item.candidate), words(item.source or "")
    runs = runs_as_published(summary, text)
    return [
        sum(runs) / len(summary),
        sum(length**2 for length in runs) / len(summary),
        len(text) / len(summary),
        *shares_of_ngrams(summary, text),
    ]


def peer_of_rouge() -> Callable[[Item], object]:
    from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415 - a peer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
    return lambda item: scorer.score(item.references[0], item.candidate)


ROUGE = [f"{name},tok=legacy" for name in ("rouge1", "rouge2", "rougeL", "rougeLsum")]
NGRAMS = [f"{name},n={length}" for name in ("novel", "repeated") for length in (1, 2, 3)]
COMPARISONS: dict[str, tuple[list[str], Callable[[], Callable[[Item], object]]]] = {
    "meteor": (["meteor,compat=nltk"], peer_of_meteor),
    "density": (["density"], lambda: density_as_published),
    "n-grams": (NGRAMS, lambda: ngrams_by_definition),
    "surface": (["coverage", "density", "compression", *NGRAMS], lambda: surface_as_published),
    "rouge": (ROUGE, peer_of_rouge),
}


def texts_by_length(items: Sequence[Item]) -> dict[str, list[Item]]:
    """Return the texts that both sides score."""
    return {
        "60 words": list(items[:N_SHORT]),
        "60 words, 16 candidates a source": read_rows()[:N_SHORT],
        "800 words": [join(items[place * JOINED : (place + 1) * JOINED], place) for place in range(N_LONG)],
    }


def compare(items: Sequence[Item]) -> None:
    texts = texts_by_length(items)
    warm = items[N_SHORT : N_SHORT + 20]
    for name, (ours, make_peer) in COMPARISONS.items():
        if name == "meteor" and not (WORDNET / "index.sense").is_file():
            print("meteor: needs wordnet-base and wordnet-sense-index")
            continue
        peer = make_peer()
        score(ours, warm)
        for item in warm:
            peer(item)
        for length, chosen in texts.items():
            compare_on(f"{name}, {length}", ours, peer, chosen)


def compare_on(what: str, ours: Sequence[str], peer: Callable[[Item], object], items: Sequence[Item]) -> None:
    """Let both sides score the same texts in turn, and print the shortest times of each."""
    mine, theirs = float("inf"), float("inf")
    for _ in range(ROUNDS):
        mine = min(mine, seconds(lambda: score(ours, items)))
        theirs = min(theirs, seconds(lambda: [peer(item) for item in items]))
    each = 1e3 / len(items)
    print(
        f"{what}: {mine * each:.3f} ms against {theirs * each:.3f} ms: {theirs / mine:.1f} times faster",
        flush=True,
    )


def compare_bertscore(length: str, items: Sequence[Item], encoder: str, peer: str) -> None:
    import torch  # noqa: PLC0415 - an extra

    torch.set_num_threads(1)
    layers = json.loads((Path(encoder) / "config.json").read_text(encoding="utf-8"))["num_hidden_layers"]
    (metric,) = build_metrics([f"bertscore,model={encoder}"])
    asyncio.run(
        metric.score([Item(id="warm", task_id="warm", candidate="a text", references=("another text",))])
    )
    mine, found = float("inf"), list[float]()
    for _ in range(BERT_ROUNDS):
        (metric,) = build_metrics(
            [f"bertscore,model={encoder}"]
        )  # the model stays loaded, vectors are not kept
        found.clear()
        mine = min(
            mine,
            seconds(lambda metric=metric: found.extend(asyncio.run(metric.score(items)).values.tolist())),
        )
    given = {
        "rounds": BERT_ROUNDS,
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
        f"bertscore, {length}, {len(items)} pairs: {mine:.1f} s against {theirs['seconds']:.1f} s: {ratio:.2f}; largest difference {largest:.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder")
    parser.add_argument("--peer", default=sys.executable)
    parser.add_argument("--pairs", type=int, default=60)
    given = parser.parse_args()
    items = read_items()
    if given.encoder:
        for length, chosen in texts_by_length(items).items():
            compare_bertscore(length, chosen[: given.pairs], given.encoder, given.peer)
    else:
        compare(items)


if __name__ == "__main__":
    main()
