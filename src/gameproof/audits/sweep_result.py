"""What a sweep found, as values: the shape of ``sweep.json``."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from gameproof.stats.dimensions import Estimate

__all__ = ["SWEEP_SCHEMA", "AblationRow", "ContrastRow", "CorrelationCell", "SweepResult", "SweepRow"]

SWEEP_SCHEMA = "gameproof.sweep/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationCell:
    """Spearman's rho of one column with one rating at one level, or a difference of two."""

    dimension: str  # a rating's name, or "mean" for the mean over dimensions
    level: str  # "within_task" or "pooled"
    rho: float | None
    low: float | None  # 95%, tasks resampled
    high: float | None
    n: int  # tasks (within_task) or items (pooled)
    detail: str | None = None

    @staticmethod
    def of(dimension: str, level: str, estimate: Estimate) -> "CorrelationCell":
        """Put an estimate in its place."""
        interval = estimate.interval
        return CorrelationCell(
            dimension=dimension,
            level=level,
            rho=estimate.value,
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            n=estimate.n,
            detail=estimate.detail,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastRow:
    """What the contrast does for a score: the support on own references alone, and the score minus it.

    All means, deviations and correlations are within tasks; the two halves are T on own references, and f*(T)
    averaged over the mismatched ones.
    """

    support: tuple[CorrelationCell, ...]  # the matched half alone
    difference: tuple[CorrelationCell, ...]  # score minus support alone, on the same resamples
    verdict: str  # "helps", "hurts", "undecided", or "not_measured" without ratings
    reason: str  # why it does not help, from the numbers below; empty where it helps
    matched_mean: float | None
    mismatched_mean: float | None
    matched_sd: float | None
    mismatched_sd: float | None
    halves_rho: float | None  # between the two halves
    mismatched_rho: float | None  # between the mismatched half and the ratings
    near_duplicates: float  # share of negatives that nearly repeat the task's own references
    same_group: bool  # negatives come from the task's own group


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """One cell of the design space on one data set."""

    metric: str
    signature: str
    divergence: str
    estimator: str
    representation: str
    predictor: str
    options: Mapping[str, str]  # those that tell the rows of one cell apart
    n: int  # scores
    missing: Mapping[str, int]  # reason -> count
    mean: float | None
    sd: float | None
    tied: float  # share of scores that occur more than once
    correlations: tuple[CorrelationCell, ...]
    contrast: ContrastRow | None = None  # of contrastive cells
    ablates: str | None = None  # the cell it is compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationRow:
    """A cell with an option minus the same cell without it, on the items that both score."""

    metric: str
    ablates: str
    differences: tuple[CorrelationCell, ...]
    mean_difference: float | None  # of the scores themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """What `gameproof.sweep` found."""

    run: Mapping[str, object]  # data, counts, seed, version, notes
    rows: tuple[SweepRow, ...]
    ablations: tuple[AblationRow, ...] = field(default=())

    def to_record(self) -> dict[str, object]:
        """Return the result as ``sweep.json`` has it."""
        return {"schema": SWEEP_SCHEMA, **asdict(self)}

    def __getitem__(self, metric: str) -> SweepRow:
        """Return the row of one metric, by its name."""
        for row in self.rows:
            if row.metric == metric:
                return row
        raise KeyError(metric)
