"""What an analysis of agreement with people's choices found."""

from collections.abc import Mapping
from dataclasses import dataclass

from gameproof.stats.results import Interval

__all__ = ["AgreementResult", "ChoiceFigure", "MetricAgreement", "MetricDifference", "RaterAgreement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceFigure:
    """One number with its interval over resampled clusters, or the reason why there is none."""

    value: float | None
    interval: Interval | None = None
    n: int = 0  # choices that entered
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement:
    """How one metric agrees with people."""

    metric: str
    signature: str
    accuracy: ChoiceFigure  # share of decided choices foretold; equal scores count one half
    auc: ChoiceFigure  # the same with larger differences weighing as the safer ones; sides do not matter
    pvalue: (
        float | None
    )  # of accuracy one half: 2 min(P(accuracy* <= 1/2), P(accuracy* >= 1/2)) over resamples
    pvalue_sign_flip: float | None  # of "right as often as wrong", by flipping the sign of whole clusters
    information: ChoiceFigure  # nats a choice beyond base rates, cross-fitted; ties included
    alpha: ChoiceFigure  # Krippendorff's, metric and person as two raters, over both orders of every pair
    alpha_as_printed: ChoiceFigure  # the same in the order given: depends on which side is called a
    threshold: float | None  # differences below it are "neither" for alpha; None: only equal scores
    decided: float | None  # share of scored pairs that the metric decides
    first_share: float | None  # among those, the share for the text on side a
    n_missing: int  # choices without a score for both texts
    missing: Mapping[str, int]  # reason -> texts


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """How much better one metric foretells choices than another, on the same resamples."""

    first: str
    second: str
    accuracy: ChoiceFigure
    auc: ChoiceFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement:
    """How people agree with one another, and whether sides were balanced."""

    alpha: ChoiceFigure  # over both orders of every pair
    alpha_as_printed: ChoiceFigure  # in the order given
    percent_agreement: float | None
    ceiling: float | None  # share of decided choices that another annotator of the same pair shares
    first_share: float | None  # of decided choices, the share for side a
    tie_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResult:
    """The whole analysis."""

    data: str
    n_choices: int
    n_pairs: int  # distinct
    n_texts: int
    clusters: tuple[str, ...]  # what was resampled: annotator, group, task; two of them where they cross
    n_clusters: tuple[int, ...]
    people: RaterAgreement
    metrics: tuple[MetricAgreement, ...]
    differences: tuple[MetricDifference, ...]
    notes: tuple[str, ...] = ()
