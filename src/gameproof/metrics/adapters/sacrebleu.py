"""Make a metric of one of sacrebleu's, TER for example."""

from threading import Lock
from typing import Any, Unpack, cast

from gameproof.errors import SpecError
from gameproof.metrics.adapters.hosted import Terms, built, hosted, import_host, score_in_thread
from gameproof.metrics.adapters.parts import part_of
from gameproof.metrics.base import Metric
from gameproof.records import Item

__all__ = ["from_sacrebleu"]

HIGHER_IS_BETTER = {"BLEU": True, "CHRF": True, "TER": False}  # what sacrebleu's own documentation says


def from_sacrebleu(metric: object, **terms: Unpack[Terms]) -> Metric:
    """Make a metric of a sacrebleu metric: ``sentence_score`` against all references of an item.

    Args:
        metric: An object with ``sentence_score``, what makes one, or a name: ``BLEU``, ``CHRF``, ``TER``.
        terms: `Terms`: name, version, needs, higher_is_better.

    Raises:
        SpecError: sacrebleu has no such metric.

    Example:
        >>> metric = from_sacrebleu("TER")
        >>> metric.higher_is_better
        False
    """
    own = isinstance(metric, str)
    if isinstance(metric, str):
        # BLEU without effective_order scores short sentences 0; sacrebleu itself warns of it.
        options = {"effective_order": True} if metric == "BLEU" else {}
        if metric not in HIGHER_IS_BETTER:
            raise SpecError(f"found {metric!r}; allowed: {', '.join(HIGHER_IS_BETTER)}")
        thing: object = getattr(import_host("sacrebleu.metrics", "sacrebleu"), metric)(**options)
    else:
        thing = built(metric, "sacrebleu", ["sentence_score"])
    host = cast("Any", thing)  # Any: sacrebleu's metrics share a protocol by convention only
    lock = Lock()

    def score_one(item: Item) -> object:
        return host.sentence_score(item.candidate, part_of(item, "references")).score

    kind = type(thing).__name__
    named: Terms = {"name": kind, **terms}
    return hosted(
        named,
        lambda items: score_in_thread(items, score_one, lock),
        origin=metric,
        needs=frozenset({"references"}),
        package="sacrebleu",
        higher_is_better=HIGHER_IS_BETTER.get(kind),
        pinned=own,
    )
