"""What is found out about the references of a data set, as values."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from gameproof.audits.sweep_result import CorrelationCell

__all__ = [
    "Figure",
    "LowReference",
    "ReferencesResult",
    "Reliability",
    "StrataDifference",
    "StratumRow",
    "SystemShift",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A mean over tasks with its interval over resampled tasks; None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int  # tasks that entered


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How well references agree with the other references of their task: leave-one-out scores."""

    mean: Figure
    n_references: int  # that have a leave-one-out score
    n_alone: int  # the only reference of their task: not measurable
    missing: Mapping[str, int]  # reason -> references that could be measured and have no score


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumRow:
    """The metric against the references of one stratum alone."""

    stratum: str
    n_references: int  # different texts in each task, added up
    n_tasks: int
    n_scores: int
    missing: Mapping[str, int]  # reason -> candidates
    mean: Figure
    correlations: tuple[CorrelationCell, ...]  # higher always means agreement
    reliability: Reliability


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemShift:
    """How much more a stratum gives to one system than to the average system, compared with the baseline."""

    system: str
    shift: Figure  # the interval holds for all systems together (Bonferroni)
    shown: bool  # the interval leaves 0 out


@dataclass(frozen=True, slots=True, kw_only=True)
class StrataDifference:
    """One stratum minus the baseline, on the candidates that both score and on the same resamples."""

    stratum: str
    baseline: str
    n: int  # candidates
    mean: Figure
    correlations: tuple[CorrelationCell, ...]
    systems: tuple[SystemShift, ...]  # by shift, largest first


@dataclass(frozen=True, slots=True, kw_only=True)
class LowReference:
    """A reference with a low leave-one-out score for its task."""

    task_id: str
    place: int  # among the different references of its task, from 1
    stratum: str
    score: float
    below: float  # score minus the median of the task's other references
    far: bool  # more than three robust standard deviations below
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencesResult:
    """What `gameproof.references` found."""

    run: Mapping[str, object]  # data, metric, signature, counts, seed, notes
    strata: tuple[StratumRow, ...]
    differences: tuple[StrataDifference, ...]
    lowest: tuple[LowReference, ...]
    n_far: int  # references far below the others of their task
    n_tasks_alone: int  # tasks with one reference

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about data, references and negatives."""
        notes = self.run["notes"]
        return tuple(map(str, notes)) if isinstance(notes, list) else ()  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType] - JSON

    def to_record(self) -> dict[str, object]:
        """Return the result as plain values."""
        return asdict(self)
