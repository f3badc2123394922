"""Check that a reward points the right way before anything is trained on it.

A task's own reference must score better than another task's (methods 0.12), and a null answer must not pay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gameproof.errors import BudgetError, EndpointError, InputError
from gameproof.metrics.against import Against, with_reference
from gameproof.metrics.base import Metric
from gameproof.metrics.direction import Direction, measure_direction
from gameproof.perturbations.replacement import NULL_ANSWERS
from gameproof.records import Item

__all__ = ["SelfCheck", "check_direction"]

WORTH_IT = 0.25  # of the way from a text about something else to a prompt's own reference
ANY_TEXT = "x"  # where there is no reference
MOST_TASKS = 12  # as many as the direction is measured on


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfCheck:
    """What was found on at most 12 tasks, as rewards: larger is better.

    Attributes:
        verified: Whether own references were shown to score better than those of other tasks.
        own: Mean reward of a task's own reference; None where it was not measured, and so below.
        floor: Mean reward of another task's reference: what a text gets that has nothing to do with the prompt.
        null_answer: The largest mean reward of an answer that says nothing.
        said: What was found, in words.
        warnings: What a user must know before training.
    """

    verified: bool
    own: float | None = None
    floor: float | None = None
    null_answer: float | None = None
    said: str
    warnings: tuple[str, ...] = ()


async def check_direction(metric: Metric, items: Sequence[Item]) -> SelfCheck:
    """Score own references, references of other tasks and null answers, at most 60 texts in all.

    Args:
        metric: Prepared on the items.
        items: Of the training set.

    Raises:
        InputError: The metric is declared to point the other way than it does.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    declared = f"{'higher' if metric.higher_is_better else 'lower'} is better"
    try:
        found = await _measured(metric, items)
    except (EndpointError, BudgetError):
        raise
    except InputError as error:
        await _refuse_what_never_scores(metric, items)
        said = f"{declared}, as declared and not verified: {error.message.rpartition(': ')[2].rstrip('.')}"
        return SelfCheck(verified=False, said=said, warnings=(said,))
    if found.higher_is_better != metric.higher_is_better:
        raise InputError(
            f"the metric {metric.name} is declared to be better when {'higher' if sign > 0 else 'lower'}, and is "
            f"found the other way round: {found}.",
            hint="A policy would learn to write about something else. Declare the direction that was found, with "
            f"higher_is_better={found.higher_is_better}, or look for the fault in the metric.",
        )
    own, floor = sign * found.own, sign * found.other
    null_answer = await _null_answers(metric, items, sign)
    warnings = _warnings(null_answer, floor, own)
    said = f"{declared}; a prompt's own reference gets {own:.3g}, another's {floor:.3g}"
    if null_answer is not None:
        said += f", a null answer {null_answer:.3g}"
    return SelfCheck(
        verified=True, own=own, floor=floor, null_answer=null_answer, said=said, warnings=warnings
    )


async def _refuse_what_never_scores(metric: Metric, items: Sequence[Item]) -> None:
    """Refuse a metric that has no score for any reference in the place of a completion."""
    texts = [
        next((text for text in item.references if text.strip()), ANY_TEXT) for item in items[:MOST_TASKS]
    ]
    chosen = [
        replace(item, id=str(number), candidate=text)
        for number, (item, text) in enumerate(zip(items, texts, strict=False))
    ]
    scores = await metric.score(chosen)
    if np.isnan(scores.values).all():
        reason = next(iter(scores.reasons.values()), "no score")
        raise InputError(
            f"the metric {metric.name} has no score for any completion of this training set: {reason}.",
            hint="Prepare it on all rows that are trained on; `gameproof score` shows what a metric needs.",
        )


async def _measured(metric: Metric, items: Sequence[Item]) -> Direction:
    if isinstance(metric, Against):
        return await _measured(metric.inner, [with_reference(item, metric.choice) for item in items])
    return await measure_direction(metric, items)


async def _null_answers(metric: Metric, items: Sequence[Item], sign: float) -> float | None:
    """Return the largest mean reward of a null answer; None where none has a score."""
    tasks = list({item.task_id: item for item in items}.values())
    n = min(len(tasks), MOST_TASKS)
    chosen = [tasks[place * len(tasks) // n] for place in range(n)]
    found: list[float] = []
    for text in NULL_ANSWERS:
        values = (await metric.score([item.with_candidate(text) for item in chosen])).values
        if np.isfinite(values).any():
            found.append(sign * float(np.nanmean(values)))
    return max(found, default=None)


def _warnings(null_answer: float | None, floor: float, own: float) -> tuple[str, ...]:
    if null_answer is None or null_answer <= floor + WORTH_IT * (own - floor):
        return ()
    said = (
        f"an answer that says nothing gets {null_answer:.3g}, a text about something else {floor:.3g} and a "
    )
    return (said + f"prompt's own reference {own:.3g}: a policy is paid for saying nothing",)
