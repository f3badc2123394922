"""Look at a data file: what it holds, what is wrong with it, and what can be measured on it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from gameproof.errors import RowProblem
from gameproof.files.scan import Reading, items_of, scan
from gameproof.files.sources import source_of
from gameproof.records import Item

__all__ = ["DimensionReport", "FileReport", "Spread", "check"]

DEFAULT_NEGATIVES = 4  # references of other tasks that a contrastive metric asks for (`neg=4`)
MIN_RHO_ITEMS = 3  # fewer items, tasks or systems have no rank correlation to speak of


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Smallest, middle and largest of some counts."""

    low: int
    median: float
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionReport:
    """The ratings of one dimension."""

    name: str
    n: int
    low: float
    high: float
    mean: float
    n_distinct: int  # counted up to 1,000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What a data file holds."""

    name: str
    n_rows: int
    n_items: int  # rows that can be used, exact duplicates merged
    n_tasks: int
    n_groups: int
    n_small_groups: int  # with too few tasks to draw the usual four negative references inside
    n_systems: int
    items_per_task: Spread | None
    references_per_item: Spread | None
    candidate_characters: Spread | None
    dimensions: tuple[DimensionReport, ...]
    raters: Mapping[str, int]  # rater -> items marked
    missing: Mapping[str, int]  # part -> items without it
    n_duplicates: int
    n_problems: int
    problems: tuple[RowProblem, ...]
    notes: tuple[str, ...]
    measurable: tuple[str, ...]
    not_measurable: tuple[str, ...]
    hint: str | None = None
    read_from: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]]
    )  # field -> columns

    @property
    def is_good(self) -> bool:
        """Return whether every row can be used."""
        return not self.n_problems

    def to_json(self) -> dict[str, object]:
        """Return the report as plain values."""
        spreads = {
            name: None if spread is None else [spread.low, spread.median, spread.high]
            for name, spread in (
                ("items_per_task", self.items_per_task),
                ("references_per_item", self.references_per_item),
                ("candidate_characters", self.candidate_characters),
            )
        }
        return {
            "name": self.name,
            "rows": self.n_rows,
            "items": self.n_items,
            "tasks": self.n_tasks,
            "groups": self.n_groups,
            "small_groups": self.n_small_groups,
            "systems": self.n_systems,
            **spreads,
            "dimensions": [
                {
                    "name": d.name,
                    "n": d.n,
                    "low": d.low,
                    "high": d.high,
                    "mean": d.mean,
                    "distinct": d.n_distinct,
                }
                for d in self.dimensions
            ],
            "raters": dict(self.raters),
            "columns": {name: list(columns) for name, columns in self.read_from.items()},
            "missing": dict(self.missing),
            "duplicates": self.n_duplicates,
            "n_problems": self.n_problems,
            "problems": [
                {"where": p.where, "field": p.field, "found": p.found, "allowed": p.allowed}
                for p in self.problems
            ],
            "notes": list(self.notes),
            "measurable": list(self.measurable),
            "not_measurable": list(self.not_measurable),
            "hint": self.hint,
        }


def check(
    data: object,
    *,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    limit: int | None = None,
    reference: str | None = None,
) -> FileReport:
    """Read a data file in constant memory and say what it holds; bad rows are reported, not raised.

    Example:
        >>> report = check([{"candidate": "It rained.", "reference": "Rain fell."}])
        >>> report.n_items, report.missing["ratings"]
        (1, 1)
    """
    source = source_of(data)
    counts = _Counts()
    try:
        reading = Reading.checked(source, rename, group_by, limit, reference)
        found = scan(reading, lambda _, item: counts.add(item))
        if found.repeats.exact:  # known only at the end: count again, without them
            counts = _Counts()
            for item in items_of(reading, found.repeats.exact, skip_bad=True):
                counts.add(item)
    finally:
        source.close()
    tasks_per_group = Counter(len(tasks) for tasks in counts.groups.values())
    n_small = sum(n for size, n in tasks_per_group.items() if size <= DEFAULT_NEGATIVES)
    can, cannot = counts.measurable()
    return FileReport(
        name=source.name,
        n_rows=found.n_rows,
        n_items=sum(counts.references.values()),
        n_tasks=len(counts.tasks),
        n_groups=len(counts.groups),
        n_small_groups=n_small,
        n_systems=len(counts.systems),
        items_per_task=_spread(Counter(counts.tasks.values())),
        references_per_item=_spread(counts.references),
        candidate_characters=_spread(counts.lengths),
        dimensions=tuple(numbers.report(name) for name, numbers in counts.dimensions.items()),
        raters=dict(counts.raters),
        missing={part: counts.missing[part] for part in PARTS},
        n_duplicates=len(found.repeats.exact),
        n_problems=found.n_problems,
        problems=found.problems,
        notes=(
            *found.notes,
            *counts.constant_notes(),
            *_group_notes(len(counts.groups), n_small, len(counts.tasks)),
        ),
        measurable=can,
        not_measurable=cannot,
        hint=found.hint,
        read_from=found.read_from,
    )


PARTS = ("candidate text", "references", "source", "ratings", "raters", "system", "query", "persona")
MAX_DISTINCT = 1000
CONSTANT = "all ratings are the same"


@dataclass(slots=True)
class _Numbers:
    """Running figures of one dimension."""

    n: int = 0
    low: float = float("inf")
    high: float = float("-inf")
    total: float = 0.0
    distinct: set[float] = field(default_factory=set[float])

    def add(self, value: float) -> None:
        self.n += 1
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.total += value
        if len(self.distinct) < MAX_DISTINCT:
            self.distinct.add(value)

    def report(self, name: str) -> DimensionReport:
        return DimensionReport(
            name=name,
            n=self.n,
            low=self.low,
            high=self.high,
            mean=self.total / self.n,
            n_distinct=len(self.distinct),
        )


class _Counts:
    """Counts over all items; tasks and systems are kept as hashes, so that a huge file fits."""

    def __init__(self) -> None:
        self.tasks: Counter[int] = Counter()
        self.groups: dict[str, set[int]] = {}
        self.systems: Counter[int] = Counter()
        self.references: Counter[int] = Counter()
        self.lengths: Counter[int] = Counter()
        self.raters: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()
        self.dimensions: dict[str, _Numbers] = {}
        self.first: dict[
            tuple[int, str], float
        ] = {}  # rating of a task, as long as none of its texts has another
        self.varying: set[str] = set()  # dimensions in which texts of one task differ

    def add(self, item: Item) -> None:
        task = hash(item.task_id)
        self.tasks[task] += 1
        self.groups.setdefault(item.group, set()).add(task)
        if item.system is not None:
            self.systems[hash(item.system)] += 1
        self.references[len(item.references)] += 1
        self.lengths[len(item.candidate)] += 1
        self.raters.update(list(item.raters))
        for dimension, rating in item.ratings.items():
            self.dimensions.setdefault(dimension, _Numbers()).add(rating)
            if dimension not in self.varying and self.first.setdefault((task, dimension), rating) != rating:
                self.varying.add(dimension)
        has = (
            bool(item.candidate.strip()),
            bool(item.references),
            bool(item.source),
            bool(item.ratings),
            bool(item.raters),
            item.system is not None,
            bool(item.query),
            item.persona is not None,
        )
        for part, present in zip(PARTS, has, strict=True):
            if not present:
                self.missing[part] += 1

    def measurable(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what can be measured on these items, and what cannot, with the reason."""
        n = sum(self.references.values())
        n_tasks = len(self.tasks)
        all_constant = self._all_constant()
        answers = [
            ("metrics that need no reference", n > self.missing["candidate text"], "no candidate has text"),
            ("metrics that need references", n > self.missing["references"], "no references"),
            (
                "metrics that contrast with references of other tasks",
                n > self.missing["references"] and n_tasks > 1,
                "no references" if n_tasks > 1 else "a single task",
            ),
            ("copied source, and metrics that need the source", n > self.missing["source"], "no source"),
            (
                "correlation with ratings",
                n - self.missing["ratings"] >= MIN_RHO_ITEMS and not all_constant,
                self._why_no_correlation(n),
            ),
            (
                "correlation within tasks",
                n > self.missing["ratings"] and n - n_tasks >= MIN_RHO_ITEMS - 1 and bool(self.varying),
                self._why_no_correlation(n, within=True),
            ),
            (
                "correlation of systems",
                n > self.missing["ratings"] and len(self.systems) >= MIN_RHO_ITEMS and not all_constant,
                CONSTANT
                if all_constant
                else "no ratings"
                if n == self.missing["ratings"]
                else f"fewer than {MIN_RHO_ITEMS} systems",
            ),
            ("the human ceiling", len(self.raters) > 1, "no marks of two or more raters"),
        ]
        can = tuple(what for what, possible, _ in answers if possible)
        return can, tuple(f"{what}: {reason}" for what, possible, reason in answers if not possible)

    def constant_notes(self) -> tuple[str, ...]:
        """Name the dimensions whose ratings are all the same."""
        found = [
            f"{name} ({numbers.low:g})"
            for name, numbers in self.dimensions.items()
            if numbers.n > 1 and len(numbers.distinct) == 1
        ]
        if not found:
            return ()
        return (f"ratings that are all the same correlate with nothing: {', '.join(found)}",)

    def _all_constant(self) -> bool:
        return bool(self.dimensions) and all(
            len(numbers.distinct) == 1 for numbers in self.dimensions.values()
        )

    def _why_no_correlation(self, n: int, *, within: bool = False) -> str:
        if n == self.missing["ratings"]:
            return "no ratings"
        if self._all_constant():
            return CONSTANT
        if not within:
            return f"fewer than {MIN_RHO_ITEMS} rated texts"
        if n - len(self.tasks) < MIN_RHO_ITEMS - 1:
            return "one candidate for each task"
        return "all texts of a task have the same rating"


def _group_notes(n_groups: int, n_small: int, n_tasks: int) -> tuple[str, ...]:
    if n_groups < 2 or not n_small:
        return ()
    which = "every group has" if n_small == n_groups else f"{n_small:,} of {n_groups:,} groups have"
    size = "one task" if n_groups == n_tasks else f"fewer than {DEFAULT_NEGATIVES + 1} tasks"
    return (f"{which} {size}: negative references are drawn from the whole data set there",)


def _spread(counts: Mapping[int, int]) -> Spread | None:
    if not counts:
        return None
    values = sorted(counts)
    total = sum(counts.values())
    middles: list[int] = []
    for rank in ((total - 1) // 2, total // 2):
        below = 0
        for value in values:
            below += counts[value]
            if below > rank:
                middles.append(value)
                break
    return Spread(low=values[0], median=sum(middles) / 2, high=values[-1])
