"""What an audit would do, counted before anything is spent."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from gameproof.llm.client import Request
from gameproof.metrics.base import Metric
from gameproof.metrics.llm_calls import CallSize, TellsCalls
from gameproof.perturbations.apply import applies
from gameproof.perturbations.base import Perturbation
from gameproof.records import Dataset, Item, Variant

__all__ = [
    "DryRun",
    "count_calls",
    "count_run",
    "count_variants",
    "estimates",
    "repeat_calls",
    "said_together",
]

LISTING = frozenset({"decompose", "requirements"})  # purposes of calls that decide what others are about


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """The exact work of an audit: what the run itself would count."""

    data: str
    n_items: int
    n_variants: int  # texts besides the originals
    n_scores: int  # scores to compute: originals and changed texts, for each metric
    calls: int  # of language models, without retries and without what the store of calls has already
    stored: int = 0  # answers that the store has already
    tokens_in: int  # estimated, as are those of the replies
    tokens_out: int
    stages: tuple[dict[str, object], ...]  # calls and tokens by what they are for
    notes: tuple[str, ...]  # where calls are an estimate, and why; what takes time and is no call
    checks: tuple[dict[str, object], ...]  # one record a perturbation, as `count_variants` gives them
    data_notes: tuple[str, ...] = ()  # what reading the data told, a sample that was drawn among others

    def describe_calls(self) -> str:
        """Say how many calls there are; of those that functions of the user make nothing is known."""
        if not (self.calls or self.stored):
            return "no model calls"
        stored = f", {self.stored:,} more are stored already" if self.stored else ""
        return f"{self.calls:,} model calls{stored}, {self.tokens_in:,} tokens in, {self.tokens_out:,} out"


async def count_run(
    dataset: Dataset,
    perturbations: Sequence[Perturbation],
    variants: Sequence[Variant],
    metrics: Sequence[Metric],
    *,
    before: Mapping[Hashable, CallSize] | None = None,
    is_stored: Callable[[Request], bool] = lambda _: False,
) -> DryRun:
    """Count what scoring these variants takes.

    Args:
        dataset: The originals.
        perturbations: Those of the run.
        variants: What they made.
        metrics: Not prepared; those that ask a language model say how often they will.
        before: Calls that making the variants takes.
        is_stored: Says whether a question has been answered already.
    """
    originals = {item.id: item for item in dataset.items}
    made = [variant for variant in variants if variant.text is not None]
    changed = [
        originals[variant.item_id].with_candidate(variant.text)
        for variant in made
        if variant.item_id in originals
        and variant.text is not None
        and variant.text != originals[variant.item_id].candidate
    ]
    calls = dict(before or {})
    notes: list[str] = []
    for metric in metrics:
        if isinstance(metric, TellsCalls):
            planned = await metric.planned_calls(dataset.items, [*dataset.items, *changed])
            calls.update(planned)
            notes += estimates(metric, planned.values(), is_stored)
    counted = count_calls(
        dataset, calls, n_scores=(len(dataset.items) + len(changed)) * len(metrics), is_stored=is_stored
    )
    return replace(
        counted,
        n_variants=len(made),
        notes=tuple(notes),
        checks=tuple(count_variants(perturbations, variants, dataset.items)),
    )


def count_calls(
    dataset: Dataset,
    calls: Mapping[Hashable, CallSize],
    *,
    n_scores: int,
    is_stored: Callable[[Request], bool] = lambda _: False,
    notes: Sequence[str] = (),
) -> DryRun:
    """Count calls that are known one by one, and those among them whose answers are stored.

    Args:
        dataset: The texts.
        calls: As `TellsCalls.planned_calls` gives them.
        n_scores: Scores, or comparisons, that they serve.
        is_stored: Says whether a question has been answered already.
        notes: Where calls are an estimate, and why.
    """
    new = {key: call for key, call in calls.items() if call.request is None or not is_stored(call.request)}
    return DryRun(
        data=dataset.name,
        n_items=len(dataset.items),
        n_variants=0,
        n_scores=n_scores,
        calls=len(new),
        stored=len(calls) - len(new),
        tokens_in=sum(call.tokens_in for call in new.values()),
        tokens_out=sum(call.tokens_out for call in new.values()),
        stages=tuple(_by_stage(calls, new)),
        notes=tuple(notes),
        checks=(),
        data_notes=dataset.notes,
    )


def repeat_calls(counted: DryRun, times: int) -> DryRun:
    """Return what so many rounds take, each with answers of its own; what decides others' subjects is asked once."""

    def times_of(stage: Mapping[str, object]) -> int:
        return 1 if stage["stage"] in LISTING else times

    def repeated(stage: Mapping[str, object]) -> dict[str, object]:
        return {
            key: value * times_of(stage) if isinstance(value, int) else value for key, value in stage.items()
        }

    def total(key: str) -> int:
        return sum(cast("int", stage[key]) for stage in stages)

    stages = tuple(repeated(stage) for stage in counted.stages)
    return replace(
        counted,
        n_scores=counted.n_scores * times,
        calls=total("calls"),
        stored=total("stored"),
        tokens_in=total("tokens_in"),
        tokens_out=total("tokens_out"),
        stages=stages,
    )


def estimates(
    metric: TellsCalls, planned: Iterable[CallSize], is_stored: Callable[[Request], bool]
) -> Iterator[str]:
    """Yield why the calls of a metric are an estimate, where they are, and what is no call and takes time."""
    if metric.estimated is not None and _lacks_statements(planned, is_stored):
        yield metric.estimated
    uncounted = cast("str | None", getattr(metric, "uncounted", None))
    if uncounted is not None:
        yield uncounted


def said_together(notes: Sequence[str], what: str) -> Iterator[str]:
    """Say once what is true of several metrics, such as the cells of a sweep."""
    names: dict[str, list[str]] = {}
    for note in notes:
        name, _, said = note.partition(": ")
        names.setdefault(said, []).append(name)
    for said, each in names.items():
        yield f"{each[0] if len(each) == 1 else f'{len(each)} {what}'}: {said}"


def _lacks_statements(calls: Iterable[CallSize], is_stored: Callable[[Request], bool]) -> bool:
    """Say whether references have yet to be taken apart, or needs to be listed; otherwise all numbers are known."""
    asked = [call.request for call in calls if call.purpose in LISTING]
    return any(request is None or not is_stored(request) for request in asked)


def _by_stage(
    calls: Mapping[Hashable, CallSize], new: Mapping[Hashable, CallSize]
) -> Iterator[dict[str, object]]:
    stages: dict[str, list[Hashable]] = {}
    for key, call in calls.items():
        stages.setdefault(call.purpose, []).append(key)
    for purpose, keys in stages.items():
        found = [new[key] for key in keys if key in new]
        yield {
            "stage": purpose,
            "calls": len(found),
            "stored": len(keys) - len(found),
            "tokens_in": sum(call.tokens_in for call in found),
            "tokens_out": sum(call.tokens_out for call in found),
        }


def count_variants(
    perturbations: Sequence[Perturbation], variants: Sequence[Variant], items: Sequence[Item]
) -> list[dict[str, object]]:
    """Count for each perturbation how many variants were made and failed, and why."""
    counts = Counter((variant.name, variant.reason) for variant in variants)
    return [
        {
            "perturbation": row.name,
            "family": row.family,
            "variants": counts[row.name, None],
            "failed": sum(n for (name, reason), n in counts.items() if name == row.name and reason),
            "note": _why_none(row, counts, items),
        }
        for row in perturbations
    ]


def _why_none(row: Perturbation, counts: Counter[tuple[str, str | None]], items: Sequence[Item]) -> str:
    reasons = [
        f"{reason} ({n:,})" for (name, reason), n in counts.most_common() if name == row.name and reason
    ]
    if reasons:
        return "; ".join(reasons[:3])
    if counts[row.name, None]:
        return ""
    if not any(applies(row, item) for item in items):
        lacking = f"no text has a {' and a '.join(sorted(row.needs))}"
        return lacking if row.needs else f"only for {' and '.join(sorted(row.domains or ()))}"
    return "needs a language model"
