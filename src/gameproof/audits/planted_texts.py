"""The planted data on which the audit tests itself: short texts, and long ones that no short memory holds."""

from dataclasses import replace
from functools import lru_cache

from gameproof.datasets.planted import WorldSpec, make_world
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.catalogue import select
from gameproof.records import Dataset, Item

__all__ = ["CONTROL_CHECKS", "LONG_CHECKS", "SHORT_CHECKS", "make_long_texts", "make_short_texts"]

SHORT_TASKS = 30  # of each of three domains
LONG_TASKS = 120  # of each domain, 40 of each of nine groups: 40 long texts of every system
SYSTEMS = 6
CANDIDATES = {
    "short": 3,
    "long": 2,
}  # the best: their texts are mostly right, so that it is known what should pay
LENGTHENED = ("lengthen", 50)

# What the planted world knows besides: its truth says what these do to a text.
CONTROL_CHECKS = (
    Perturbation(
        name="wrong_facts",
        family="degradation",
        expect="decrease",
        summary="a near miss in place of every right value",
        source="planted world",
        extra=True,
    ),
    Perturbation(
        name="negated_facts",
        family="degradation",
        expect="decrease",
        summary="every right statement denied in the same words",
        source="planted world",
        extra=True,
    ),
    Perturbation(
        name="held_out_rephrase",
        family="ladder",
        expect="stable",
        summary="the same statements in wordings that nothing else uses",
        source="planted world",
        suite="satisfaction",
        extra=True,
    ),
)

ON_REQUEST = ("ending_deletion", "shuffled_words")
SHORT_CHECKS = (*select(names=["all", *ON_REQUEST]), *CONTROL_CHECKS)
LONG_CHECKS = select(
    names=["random_replacement", "sentence_deletion", *ON_REQUEST, "meaningless_elongation", "pad_constant"]
)


@lru_cache(maxsize=2)
def make_short_texts(seed: int) -> Dataset:
    """Make 270 texts of some eighty words, of 90 tasks, with every variant that the planted world can write."""
    spec = WorldSpec(
        seed=seed,
        tasks_per_domain=SHORT_TASKS,
        systems=SYSTEMS,
        candidates=CANDIDATES["short"],
        best=True,
        near_copies=False,
        controls=True,
    )
    return make_world(spec, name="planted, short texts").dataset


@lru_cache(maxsize=2)
def make_long_texts(seed: int) -> Dataset:
    """Make 80 texts of some thousand words, of 40 tasks: each reports on one task of every group."""
    spec = WorldSpec(
        seed=seed,
        tasks_per_domain=LONG_TASKS,
        systems=SYSTEMS,
        candidates=CANDIDATES["long"],
        best=True,
        near_copies=False,
        variants=frozenset({LENGTHENED[0]}),
    )
    world = make_world(spec)
    longer = {v.item_id: v.text for v in world.dataset.variants if v.key == LENGTHENED and v.text is not None}
    parts: dict[tuple[str, str], list[Item]] = {}
    for item in world.dataset.items:
        number = item.task_id.rpartition("-")[2]
        parts.setdefault((number, item.system or ""), []).append(
            item.with_candidate(longer.get(item.id, item.candidate))
        )
    items = [_joined(number, system, part) for (number, system), part in parts.items()]
    return Dataset(name="planted, long texts", items=tuple(items), notes=world.dataset.notes)


def _joined(number: str, system: str, parts: list[Item]) -> Item:
    """Make one long text of several."""
    ratings = {
        dimension: sum(part.ratings[dimension] for part in parts) / len(parts)
        for dimension in parts[0].ratings
    }
    return replace(
        parts[0],
        id=f"{number}/{system}",
        task_id=number,
        candidate=" ".join(part.candidate for part in parts),
        references=(" ".join(part.references[0] for part in parts),),
        source=None,
        query=None,
        group="all",
        domain=None,
        system=system,
        ratings=ratings,
        raters={},
    )
