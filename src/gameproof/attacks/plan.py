"""What an attack is to do, and how many texts that takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.attacks.moves import Access
from gameproof.attacks.probes import PROBES
from gameproof.attacks.proposals import Box
from gameproof.attacks.strategies import STRATEGIES, Strategy
from gameproof.errors import PlanError
from gameproof.records import Item
from gameproof.seeds import rng_for
from gameproof.stats.best_of_n import grid

__all__ = ["Plan", "budgets", "count_scores", "draw_texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a run attacks.

    Attributes:
        strategy: A name of the table of strategies.
        budget: Scored proposals for each text.
        longest: Times the words of the original that an attacked text may have.
        access: ``none``, or ``source`` for the second arm, which may add true information.
        moves: Names of moves; all by default.
        box: What a proposing model is told: scores (black), or what the metric is as well (grey).
        per_task: Attack at most so many texts of a task, drawn; all where None. The Goodhart curve is over all.
        universal_budget: Scores for learning a prefix or suffix; 0 leaves it out.
        margin: Of the gaming gap.
        seed: Of all draws.
    """

    strategy: str = "evolution"
    budget: int = 64
    longest: float = 2.0
    access: Access = "none"
    moves: tuple[str, ...] | None = None
    box: Box = "black"
    per_task: int | None = None
    universal_budget: int = 2_000
    margin: float = 0.1
    seed: int = 0

    @property
    def row(self) -> Strategy:
        """The row of the table of strategies.

        Raises:
            PlanError: There is none of that name.
        """
        if self.strategy not in STRATEGIES:
            raise PlanError(f"strategy: found {self.strategy!r}; allowed: {', '.join(STRATEGIES)}.")
        return STRATEGIES[self.strategy]


def draw_texts(items: Sequence[Item], per_task: int | None, seed: int) -> list[Item]:
    """Return the texts to attack: at most so many of each task, in order.

    Example:
        >>> items = [Item(id=str(n), task_id=str(n % 2), candidate="a") for n in range(8)]
        >>> [item.task_id for item in draw_texts(items, 1, seed=0)]
        ['0', '1']
    """
    if per_task is None:
        return list(items)
    places: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(item.task_id, []).append(place)
    kept: list[int] = []
    for task, own in places.items():
        order: list[int] = rng_for(seed, "attack", "texts", task).permutation(len(own)).tolist()
        kept += [own[place] for place in order[:per_task]]
    return [items[place] for place in sorted(kept)]


def count_scores(items: Sequence[Item], plan: Plan) -> dict[str, int]:
    """Say how many texts are attacked, and how many scored at most: by the search, the measurement and the quality."""
    steps = len(budgets(plan.budget))
    n_attacked = len(draw_texts(items, plan.per_task, plan.seed))
    return {
        "texts": n_attacked,
        "search": n_attacked * (1 + plan.budget) + plan.universal_budget,
        "measure": len(items) + n_attacked * (1 + steps + len(PROBES)),
        "quality": len(items) + n_attacked * (1 + steps),
    }


def budgets(budget: int) -> list[int]:
    """Return the budgets that are measured: powers of two, and the whole."""
    return sorted({*grid(budget), budget})
