"""What flows between stages: items, pairs, variants and scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = [
    "BoolArray",
    "Choice",
    "Comparisons",
    "Contrast",
    "Dataset",
    "FloatArray",
    "IntArray",
    "Item",
    "Judgement",
    "Pair",
    "Persona",
    "Requirement",
    "Scores",
    "Variant",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """Who a text is for: one shape for judges, Reader Utility and the study."""

    role: str | None = None
    domain: str | None = None
    needs: str | None = None
    use_case: str | None = None
    query: str | None = None
    knows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One piece of information that a text has to give its reader."""

    text: str
    importance: float = 1.0  # above 0, on any scale: only its share among a reader's requirements counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One candidate text with all that it can be scored against."""

    id: str
    task_id: str  # items of one task share references
    candidate: str
    references: tuple[str, ...] = ()
    reference_kinds: tuple[
        str, ...
    ] = ()  # who wrote each reference (human, panel, model ...); empty: not said
    source: str | None = None
    title: str | None = None  # of the source: one of the texts that can serve as the reference
    group: str = "all"  # negatives are drawn inside a group
    system: str | None = None  # who wrote the candidate, for system-level correlation
    domain: str | None = None  # reviews, summaries or answers: decides which perturbations apply
    ratings: Mapping[str, float] = field(default_factory=dict[str, float])  # dimension -> mean rating
    raters: Mapping[str, Mapping[str, float]] = field(  # rater -> dimension -> that rater's mark
        default_factory=dict[str, Mapping[str, float]]
    )
    persona: Persona | None = None
    query: str | None = None
    requirements: tuple[Requirement, ...] = ()  # of its reader, where somebody has already written them down

    def with_candidate(self, candidate: str) -> "Item":
        """Return the same item with another candidate text."""
        return replace(self, candidate=candidate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A candidate and one unit of a reference: what a predictor is asked about."""

    candidate: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """What a perturbation made of one item: a text, or the reason why there is none."""

    item_id: str
    name: str  # the perturbation
    level: int | None = None  # strength, for ladders
    text: str | None = None
    reason: str | None = None  # set exactly where `text` is None

    @property
    def key(self) -> tuple[str, int | None]:
        """Name and level: which column of the score table this variant belongs to."""
        return (self.name, self.level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Items, with the variants that come with them where somebody already made some."""

    name: str
    items: tuple[Item, ...]
    variants: tuple[Variant, ...] = ()
    n_duplicates: int = 0  # exact duplicate rows that were merged away
    notes: tuple[str, ...] = ()  # what a reader of results must know: planted ratings, merged rows ...
    public: str | None = None  # which public data set it is, where a loader read it
    skip: frozenset[str] = frozenset()  # checks that make no sense for it, beyond those of other domains


Choice = Literal["a", "b", "tie"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One person's choice between two texts of a task; `tie` also stands for "neither"."""

    a: str  # id of the item shown first or on the left
    b: str
    choice: Choice
    annotator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Texts, each once, and people's choices between pairs of them."""

    name: str
    items: tuple[Item, ...]
    judgements: tuple[Judgement, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The parts of contrastive scores, so that a task can be left out as a reference.

    Score i is ``matched[i] - mean over j of negatives[i, j]``, where column j of row i came from the
    reference of task ``tasks[negative_tasks[i, j]]``. Unused places hold NaN and -1.
    """

    matched: FloatArray  # (n,)
    negatives: FloatArray  # (n, m): f*(T) against each negative reference
    negative_tasks: IntArray  # (n, m): index into `tasks`
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """One number per item, or a reason."""

    signature: str
    item_ids: tuple[str, ...]
    values: FloatArray  # (n,): NaN exactly where `reasons` has an entry
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])  # item id -> why there is no score
    contrast: Contrast | None = None  # for metrics that use negative references
    remarks: Mapping[str, str] = field(default_factory=dict[str, str])  # item id -> what its score leaves out
    spread: FloatArray | None = (
        None  # (n,): sd of the repeated answers behind a score; NaN where there are none
    )

    def take(self, rows: Sequence[int] | IntArray) -> "Scores":
        """Return the scores of the given rows, in that order."""
        index = np.asarray(rows, dtype=np.int64)
        ids = tuple(self.item_ids[int(row)] for row in index.tolist())
        contrast = self.contrast
        if contrast is not None:
            contrast = replace(
                contrast,
                matched=contrast.matched[index],
                negatives=contrast.negatives[index],
                negative_tasks=contrast.negative_tasks[index],
            )
        wanted = set(ids)
        reasons = {key: reason for key, reason in self.reasons.items() if key in wanted}
        remarks = {key: remark for key, remark in self.remarks.items() if key in wanted}
        return replace(
            self,
            item_ids=ids,
            values=self.values[index],
            reasons=reasons,
            contrast=contrast,
            remarks=remarks,
            spread=self.spread[index] if self.spread is not None else None,
        )
