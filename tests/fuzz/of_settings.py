"""Readers of what users say in words: specs, options, plans, names of data, and what a training framework passes on."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from tests.fuzz.reader import REFUSED, Reader, folder, from_file, from_text

from gameproof.agreement.decide import parse_thresholds
from gameproof.audits.checks import parse_margin
from gameproof.audits.optimise_cells import read_choices
from gameproof.audits.plan import make_plan, read_plan
from gameproof.audits.sweep_cells import read_settings
from gameproof.cli.options import parse_map
from gameproof.datasets.catalogue import load_dataset
from gameproof.fmi import spec
from gameproof.integrations.aligned import read_required
from gameproof.metrics.catalogue import metric
from gameproof.metrics.references_asked import read_references
from gameproof.metrics.spec_text import split_spec
from gameproof.perturbations.catalogue import select
from gameproof.rewards.messages import completion_text, key_of, prompt_key
from gameproof.rewards.settings import read_options
from gameproof.rewards.training_set import read_training_set, reference_key
from gameproof.study.wording import find_prompt

__all__ = ["OF_SETTINGS"]

MOST = 400  # characters of what is looked up in a file system or a catalogue


def _specs(text: str) -> None:
    with suppress(*REFUSED):
        split_spec(text)
    with suppress(*REFUSED):
        spec.parse(text)
    # A name with a colon runs what it names: a function or a model of the user's own.
    if ":" not in text and "/" not in text:
        metric(text)


def _options(text: str) -> None:
    words = text.split()
    readers: tuple[Callable[[], object], ...] = (
        lambda: parse_thresholds([text]),
        lambda: read_choices(text),
        lambda: read_settings(words),
        lambda: parse_margin(text),
        lambda: parse_map(words),
        lambda: read_references(words),
        lambda: read_required(words, text),
        lambda: select("all", [word[:MOST] for word in words]),
        lambda: find_prompt(text[:MOST], folder()),
    )
    for read in readers:
        with suppress(*REFUSED):
            read()
    if not re.search(r"\d\d", text):  # a large world takes its time
        load_dataset(text)


def _plan(path: Path) -> None:
    make_plan(read_plan(path))


def _reward(data: bytes) -> None:
    """Read what a training framework passes: prompts, completions, references, options."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    given: Mapping[str, object] = value if isinstance(value, dict) else {"prompt": value}
    readers: tuple[Callable[[], object], ...] = (
        lambda: prompt_key(given.get("prompt")),
        lambda: key_of(given.get("prompt")),
        lambda: completion_text(given.get("completion")),
        lambda: reference_key(given.get("references")),
        lambda: read_options(given.get("options", {})) if isinstance(given.get("options"), dict) else None,  # type: ignore[arg-type]
        lambda: read_training_set([given]),
        lambda: read_training_set([given, {**given, "prompt": "another"}], key="ground_truth"),
    )
    for read in readers:
        with suppress(*REFUSED):
            read()


PLAN = b'data = "items.jsonl"\nmetrics = ["rougeL", "TV+fvar+statement+overlap,neg=4"]\nmargin = 0.2\nsample = 100\n[map]\ncandidate = "text"\n'
REWARD = {
    "prompt": [{"role": "user", "content": "Summarise."}],
    "completion": [{"role": "assistant", "content": [{"type": "text", "text": "It rained."}]}],
    "references": ["Rain fell."],
    "reward_model": {"ground_truth": ["Rain fell."]},
    "extra_info": {"index": 3},
    "options": {"missing": 0.0, "deadline_s": 3.5, "key": "prompt", "unknown": "none"},
}

OF_SETTINGS: Mapping[str, Reader] = {
    "specs": Reader(
        read=from_text(_specs),
        seeds=(b"TV+fvar+statement+overlap,neg=4", b"rougeL,tok=legacy,stem=true,refs=first", b"GEM", b'judge,scale=10,llm="m@http"'),
    ),
    "options": Reader(
        read=from_text(_options),
        seeds=(
            b"planted-readers,tasks=1,readers=identical", b"rougeL=.03", b"neg=4,all", b"refs=first neg=4", b".5sent", b"candidate=output task_id=doc", b"summary title",
            b"trusted", b"sentence_deletion tag_text all", b"summary.v1",
        ),
    ),
    "plan": Reader(read=from_file("plan.toml", _plan), seeds=(PLAN,)),
    "study-prompt": Reader(
        read=from_file("own.md", lambda path: find_prompt(path.name, path.parent)),
        seeds=(b"## system\n\nBe short.\n\n## user\n\n{{ question }} {{ abstracts }} {% if reader %}{{ reader }}{% endif %}\n",),
    ),
    "rewards": Reader(read=_reward, seeds=(json.dumps(REWARD).encode(),)),
}  # fmt: skip
