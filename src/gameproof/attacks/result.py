"""What an attack on a metric came to."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from gameproof.attacks.measure import Step, smallest_gamed
from gameproof.audits.checks import MIN_TASKS
from gameproof.stats.best_of_n import GoodhartCurve
from gameproof.stats.gaming import GamingResult
from gameproof.stats.results import State

__all__ = ["AttackResult", "Attacks", "Example", "Goodhart", "MoveUse", "Probe", "Universal"]

SCHEMA = "gameproof.attack/1"
GAMED, UNDECIDED = 3, 4  # exit codes


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveUse:
    """How often a move had a part in a text that won."""

    move: str
    share: float  # of the winning texts
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A text that won, beside the one it was made of."""

    item: str
    original: str
    attacked: str
    moves: tuple[str, ...]
    metric: tuple[float, float]  # before and after, on the measuring side, larger is better
    quality: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A text that no reader would take, put in the place of every original or behind it."""

    name: str
    text: str
    n: int
    success: (
        float | None
    )  # share of texts that score at least as well with it (null answers), or better (additions)
    low: float | None  # interval of the share, over resampled tasks
    high: float | None
    mean_gain: float | None  # in standard deviations of the originals
    n_missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Universal:
    """One addition learned on half of the tasks and put to the others."""

    place: str  # prefix or suffix
    text: str
    parts: tuple[str, ...]
    n_calls: int
    training_gain: float  # mean, in standard deviations of the training texts' scores
    n_training_tasks: int
    result: GamingResult  # on the tasks that took no part
    n_missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodhart:
    """Best-of-n over the texts that came with the data."""

    by: str  # what quality is: ratings, or a metric
    curve: GoodhartCurve | None
    why_not: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """An attack on one metric."""

    metric: str
    signature: str
    quality: str
    access: str
    strategy: str
    box: str | None  # of the language model that proposes
    budget: int
    longest: float
    n_items: int
    n_tasks: int
    n_calls: int  # proposals scored, without the originals and the measurement
    n_measured: int  # texts scored by the measurement
    steps: tuple[Step, ...]
    moves: tuple[MoveUse, ...]
    examples: tuple[Example, ...]
    probes: tuple[Probe, ...]
    universal: Universal | None
    goodhart: Goodhart
    failures: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()

    @property
    def largest(self) -> Step:
        """The attack with the whole budget."""
        return self.steps[0]

    @property
    def smallest_gamed(self) -> int | None:
        """The smallest budget at which gaming is shown."""
        return smallest_gamed(self.steps)

    @property
    def verdict(self) -> str:
        """Say ``gamed`` (a gain and a gap are shown), ``held`` (the gap is shown to be below the margin) or ``inconclusive``.

        Where both are shown the metric is gamed, if only by a little. Fewer than twenty tasks can show that a metric is
        gamed, and not that it holds (as a check passes nothing then), unless no text raised any score at all.
        """
        result = self.largest.result
        if result.gamed:
            return "gamed"
        if result.held and (result.n_tasks >= MIN_TASKS or result.state is State.NO_CHANGE):
            return "held"
        return "inconclusive"

    def record(self) -> dict[str, object]:
        """Return everything as values of JSON."""
        found = asdict(self)
        found["verdict"] = self.verdict
        found["smallest_gamed_budget"] = self.smallest_gamed
        found["steps"] = [_step(step) for step in self.steps]
        found["moves"] = [asdict(move) for move in self.moves]
        if self.universal is not None:
            found["universal"] |= {"gamed": self.universal.result.gamed, "held": self.universal.result.held}
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacks:
    """The attacks of one run."""

    data: str
    seed: int
    results: tuple[AttackResult, ...]
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 where every metric held, 3 where one was gamed, 4 where the data cannot decide."""
        verdicts = {result.verdict for result in self.results}
        return GAMED if "gamed" in verdicts else UNDECIDED if "inconclusive" in verdicts else 0

    def record(self) -> dict[str, object]:
        """Return everything as values of JSON."""
        return {
            "schema": SCHEMA,
            "data": self.data,
            "seed": self.seed,
            "notes": list(self.notes),
            "metrics": [result.record() for result in self.results],
        }


def _step(step: Step) -> dict[str, object]:
    row = asdict(step)
    row["result"] |= {"gamed": step.result.gamed, "held": step.result.held}
    return row
