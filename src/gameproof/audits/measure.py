"""Measure what a perturbation does to a metric, and ask the one-sided questions about it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gameproof.audits.crossing import infer_crossed, pair_crossed
from gameproof.audits.levels import Artefact, Level, artefacts_of, describe_levels
from gameproof.audits.samples import Coverage, Frame, Paired, combine, pair, stack_levels
from gameproof.audits.verdicts import Question
from gameproof.perturbations.base import Perturbation
from gameproof.records import Scores
from gameproof.stats.ladder import LadderResult, LadderSample, infer_ladder
from gameproof.stats.paired import Combination, PairedResult, infer_combination, infer_paired
from gameproof.stats.parity import LevelTest, level_test
from gameproof.stats.ratio import LossRatio
from gameproof.stats.results import State

__all__ = ["Direction", "Inference", "Kind", "Measured", "Variants", "kind_of", "measure", "measure_exchange"]

Kind = Literal["degradation", "manipulation", "ladder", "stable", "crossing", "shown"]
Direction = Literal["decrease", "increase"]
Variants = Mapping[tuple[str, int | None], Scores]
Columns = Mapping[int | None, Scores]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How to infer."""

    margin: float  # m of the questions, in units of s_av
    n_resamples: int
    confidence_level: float
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one perturbation does; without a result where it could not be measured."""

    perturbation: Perturbation
    kind: Kind
    coverage: Coverage
    pvalues: Mapping[Question, float | None]  # not corrected
    result: PairedResult | LadderResult | None = None  # of the decisive level where there are several
    n_tasks: int = 0
    level: int | None = None  # which level `result` is about, where there are several
    level_test: LevelTest | None = None  # the papers' test of level means
    paired: Paired | None = None
    exchange: Combination | None = None
    levels: tuple[Level, ...] = ()  # of a ladder, the originals' own level among them
    artefacts: tuple[Artefact, ...] = ()  # what is wrong with the papers' numbers about them
    beyond_length: Combination | None = None  # change minus what as many words of the text's own do
    loss_ratio: LossRatio | None = None  # change in units of one deleted sentence
    unmeasured: State | None = None
    detail: str | None = None  # why it is unmeasured

    @property
    def direction(self) -> Direction:
        """Return where scores should go as the level rises."""
        return "increase" if self.perturbation.expect == "increase" else "decrease"

    @property
    def change(self) -> float | None:
        """Return the mean change, or the mean slope of a ladder."""
        if isinstance(self.result, LadderResult):
            return self.result.slope
        return self.result.change if self.result is not None else None


def kind_of(perturbation: Perturbation) -> Kind:
    """Say by which table a perturbation is judged."""
    if perturbation.expect in {"none", "stable"}:
        return "stable" if perturbation.expect == "stable" else "shown"
    if perturbation.expect == "no_increase":
        return "manipulation"
    if perturbation.family == "crossing":
        return "crossing"
    return "ladder" if perturbation.family == "ladder" or perturbation.expect == "increase" else "degradation"


def measure(frame: Frame, variants: Variants, perturbation: Perturbation, inference: Inference) -> Measured:
    """Infer what a perturbation does to the scores of the frame's metric.

    Args:
        frame: The items and the originals' scores.
        variants: All score columns of the metric.
        perturbation: Which to measure.
        inference: How to infer.
    """
    columns = {level: scores for (name, level), scores in variants.items() if name == perturbation.name}
    if not columns:
        return _without_variants(frame, perturbation)
    measured = MEASURES[kind_of(perturbation)](frame, columns, perturbation, inference)
    if measured.result is not None and measured.result.n:
        return measured
    reasons = list(measured.coverage.missing)
    return Measured(
        perturbation=perturbation,
        kind=measured.kind,
        coverage=measured.coverage,
        pvalues={},
        unmeasured=State.NOT_MEASURED,
        detail=reasons[0] if reasons else "no pair of scores",
    )


def measure_exchange(
    manipulation: Measured, loss: Paired, *, rate: float, inference: Inference
) -> Combination | None:
    """Infer L = change under the manipulation + rate x change under deleting one random sentence.

    L has no standard deviation as denominator, so noise that original and variant share cannot make a gain
    look small. None where there are no pairs.
    """
    if manipulation.paired is None:
        return None
    first, second = combine(manipulation.paired, loss)
    if not first.original.size:
        return None
    return infer_combination(
        [(1.0, first), (rate, second)],
        n_resamples=inference.n_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
    )


def _without_variants(frame: Frame, perturbation: Perturbation) -> Measured:
    state, detail = State.NOT_MEASURED, "no variants were made or given"
    if not bool(frame.applicable(perturbation).any()):
        needs, domains = sorted(perturbation.needs), sorted(perturbation.domains or ())
        # A text that is for nobody is another kind of text; a source might have been given.
        state = State.NOT_MEASURED if needs and "persona" not in needs else State.NOT_APPLICABLE
        detail = f"no text has a {' and a '.join(needs)}" if needs else f"only for {' and '.join(domains)}"
    elif perturbation.make is None:
        detail = "needs a language model (--rewriter), or variants of your own (--variants)"
    return Measured(
        perturbation=perturbation,
        kind=kind_of(perturbation),
        coverage=Coverage(n_applicable=0, n_missing=0),
        pvalues={},
        unmeasured=state,
        detail=detail,
    )


def _measure_change(
    frame: Frame, columns: Columns, perturbation: Perturbation, inference: Inference
) -> Measured:
    """Compare originals with one variant: the strongest level, where there are several."""
    level = max(columns, key=lambda level: -1 if level is None else level)
    paired = pair(frame, columns[level], frame.applicable(perturbation))
    kind = kind_of(perturbation)
    result = _infer(
        paired, inference, margins=() if kind == "shown" else (-inference.margin, inference.margin)
    )
    return Measured(
        perturbation=perturbation,
        kind=kind,
        coverage=paired.coverage,
        pvalues=_pvalues(result, inference.margin),
        result=result,
        n_tasks=result.n_tasks,
        level=level if len(columns) > 1 else None,
        paired=paired,
    )


def _measure_crossing(
    frame: Frame, columns: Columns, perturbation: Perturbation, inference: Inference
) -> Measured:
    """Compare readers' own texts with those of other readers."""
    paired = pair_crossed(frame, columns, frame.applicable(perturbation))
    result = infer_crossed(
        paired,
        margin=inference.margin,
        n_resamples=inference.n_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
    )
    return Measured(
        perturbation=perturbation,
        kind="crossing",
        coverage=paired.coverage,
        pvalues=_pvalues(result, inference.margin),
        result=result,
        n_tasks=result.n_tasks,
        paired=paired,
    )


def _pvalues(result: PairedResult, margin: float) -> dict[Question, float | None]:
    zero, loss, gain = (result.zero, *(result.margins.get(bound) for bound in (-margin, margin)))
    return {
        "below_zero": zero.below if zero else None,
        "above_zero": zero.above if zero else None,
        "below_loss": loss.below if loss else None,
        "above_loss": loss.above if loss else None,
        "below_gain": gain.below if gain else None,
    }


def _measure_ladder(
    frame: Frame, columns: Columns, perturbation: Perturbation, inference: Inference
) -> Measured:
    """Infer the slope of score on level."""
    levels = {1 if level is None else level: scores for level, scores in columns.items()}
    # A ladder that builds a text up has the whole text as its last level; else the original is level 0.
    builds_up = perturbation.expect == "increase" and len(levels) > 1
    laddered = stack_levels(
        frame, levels, frame.applicable(perturbation), original_level=None if builds_up else 0
    )
    far = min(levels) if builds_up else max(levels)
    farthest = pair(frame, levels[far], frame.applicable(perturbation))
    changes = {} if perturbation.parity_only else {far: _infer(farthest, inference, margins=())}
    described = describe_levels(
        laddered.sample.levels, laddered.sample.scores, changes, sign=frame.sign, margin=inference.margin
    )
    result = infer_ladder(
        laddered.sample,
        expect="increase" if perturbation.expect == "increase" else "decrease",
        n_resamples=inference.n_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
    )
    return Measured(
        perturbation=perturbation,
        kind="ladder",
        coverage=laddered.coverage,
        pvalues={
            "below_zero": result.zero.below if result.zero else None,
            "above_zero": result.zero.above if result.zero else None,
        },
        result=result,
        n_tasks=result.n_tasks,
        level_test=result.parity,
        paired=farthest,
        levels=described,
        artefacts=artefacts_of(described, nominal=perturbation.nominal),
    )


def _measure_stable(
    frame: Frame, columns: Columns, perturbation: Perturbation, inference: Inference
) -> Measured:
    """Compare originals with every level; the one that moves most is shown."""
    applicable = frame.applicable(perturbation)
    pairs = {level: pair(frame, scores, applicable) for level, scores in columns.items()}
    margins = (-inference.margin, inference.margin)
    results = {level: _infer(paired, inference, margins=margins) for level, paired in pairs.items()}
    level = max(results, key=lambda level: _weight(results[level]))
    inside, outside = _stable_pvalues(list(results.values()), inference.margin)
    numbered = {1 if level is None else level: scores for level, scores in columns.items()}
    sample = stack_levels(frame, numbered, applicable, original_level=0).sample
    described = describe_levels(
        sample.levels,
        sample.scores,
        {1 if level is None else level: result for level, result in results.items()},
        sign=frame.sign,
        margin=inference.margin,
    )
    return Measured(
        perturbation=perturbation,
        kind="stable",
        coverage=max((paired.coverage for paired in pairs.values()), key=lambda found: found.n_missing),
        pvalues={"inside": inside, "outside": outside},
        result=results[level],
        n_tasks=min(result.n_tasks for result in results.values()),
        level=level if len(results) > 1 else None,
        level_test=_test_levels(sample),
        paired=pairs[level],
        levels=described,
        artefacts=artefacts_of(described, nominal=perturbation.nominal),
    )


def _infer(paired: Paired, inference: Inference, *, margins: Sequence[float]) -> PairedResult:
    return infer_paired(
        paired.sample,
        margins=margins,
        n_resamples=inference.n_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
    )


def _weight(result: PairedResult) -> tuple[bool, float]:
    """Order levels: one that cannot be inferred speaks for all, else the one that moves most."""
    without_effect = math.inf if result.state is State.DETERMINISTIC else 0.0
    size = without_effect if result.effect is None else abs(result.effect)
    return result.state is State.UNDEFINED, size


def _stable_pvalues(results: Sequence[PairedResult], margin: float) -> tuple[float | None, float | None]:
    """Return the p-values of "all levels are inside the margin" and "one is outside".

    All are inside if each one is (an intersection-union test needs no correction); for "one is outside" the
    smallest p-value is corrected for the number of levels, and for the two ways of each to be outside: where a standard
    error is large beside the margin both tails count. A level without change is inside, and one that moves every score
    alike is where it is: inside it says nothing of the others, outside it decides.
    """
    inside: list[float] = []
    outside: list[float] = []
    varies = False
    for result in results:
        loss, gain = result.margins.get(-margin), result.margins.get(margin)
        if loss is not None and gain is not None:
            varies = True
            inside.append(max(loss.above, gain.below))
            outside.append(min(loss.below, gain.above))
        elif result.state is State.DETERMINISTIC:
            if result.effect is None or abs(result.effect) >= margin:
                inside.append(1.0)
                outside.append(0.0)
        elif result.state is not State.NO_CHANGE:
            inside.append(1.0)
    if not varies:
        return None, None
    return max(inside), min(1.0, 2 * len(results) * min(outside))


def _test_levels(sample: LadderSample) -> LevelTest:
    has = (~np.isnan(sample.scores)).sum(axis=0) > 0
    means = np.nanmean(sample.scores[:, has], axis=0)
    return level_test(sample.levels[has], means, expect="stable")


MEASURES: Mapping[Kind, Callable[[Frame, Columns, Perturbation, Inference], Measured]] = {
    "degradation": _measure_change,
    "manipulation": _measure_change,
    "shown": _measure_change,
    "ladder": _measure_ladder,
    "stable": _measure_stable,
    "crossing": _measure_crossing,
}
