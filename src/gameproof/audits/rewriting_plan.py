"""What rewriting will take, told before anything is asked: rewrites that are stored already are read and verified."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from gameproof.audits.rewriting import Rewriting
from gameproof.errors import CallError
from gameproof.llm.asking import Asker
from gameproof.llm.client import LanguageModel, Recalls, Reply, Request
from gameproof.metrics.llm_calls import CHARACTERS_PER_TOKEN, CallSize, size_of
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.rewrites import Task, plan_rewrites, recall_rewrite, request_of
from gameproof.perturbations.verify import UNVERIFIED
from gameproof.perturbations.written import drop_broken, verify_written
from gameproof.records import Item, Variant

__all__ = ["Planned", "plan_rewriting"]

TOKENS_PER_VERDICTS = 100

DROPPED_LATER = "the calls of scoring are the most there can be: rewrites that turn out not to be what their name says are dropped"
ASKED_LATER = (
    "verifying takes one call more for each statement that a rewrite loses or adds: how many is known only when it is"
    " written"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What writing and verifying take."""

    calls: Mapping[Hashable, CallSize]
    variants: tuple[Variant, ...]  # as stored; what is still to be written is stood for by a text of its own
    notes: tuple[str, ...] = ()  # why the numbers are estimates


class _Rehearsal:
    """A model that answers what is stored, and remembers what would have to be asked."""

    def __init__(self, model: LanguageModel) -> None:
        """Have been asked nothing."""
        self._model = model
        self.name = model.name
        self.asked: dict[str, Request] = {}

    async def complete(self, request: Request) -> Reply:
        """Answer from the store alone."""
        self.asked[request.digest("")] = request
        reply = self._model.recall(request) if isinstance(self._model, Recalls) else None
        if reply is None:
            raise CallError(UNVERIFIED)
        return reply

    async def close(self) -> None:
        """Do nothing: the model is somebody else's."""


async def plan_rewriting(
    items: Sequence[Item],
    perturbations: Sequence[Perturbation],
    rewriting: Rewriting | None,
    *,
    given: Sequence[Variant],
) -> Planned:
    """Plan the calls of the rewrites and of their verification; nothing is asked.

    Args:
        items: The originals.
        perturbations: Those of the run.
        rewriting: Who writes and who verifies; None where nobody is to write.
        given: Variants made elsewhere.
    """
    if rewriting is None:
        return Planned(calls={}, variants=())
    tasks = plan_rewrites(items, perturbations, given=given)
    asked = [task for task in tasks if task.reason is None]
    calls: dict[Hashable, CallSize] = {}
    for task in asked:
        request = request_of(task, rewriting.writer.name)
        size = size_of(request, tokens_out=len(task.item.candidate) // CHARACTERS_PER_TOKEN)
        calls[rewriting.writer.name, request.digest("")] = size
    recalled = [recall_rewrite(task, rewriting.writer) for task in tasks]
    is_written = None not in recalled
    variants = [
        _stand_in(task) if variant is None else variant for task, variant in zip(tasks, recalled, strict=True)
    ]
    judge = rewriting.judge
    if judge is None:
        # Words are weighed over all rewrites together: without some of them, no verdict is final.
        if is_written:
            variants = list(drop_broken(variants, await verify_written(items, tasks, variants)))
        return Planned(
            calls=calls, variants=tuple(variants), notes=(DROPPED_LATER,) if not is_written else ()
        )
    rehearsal = _Rehearsal(judge.model)
    findings = await verify_written(items, tasks, variants, judge=Asker(rehearsal))
    for digest, request in rehearsal.asked.items():
        calls[rehearsal.name, digest] = size_of(request, tokens_out=TOKENS_PER_VERDICTS)
    undecided = [finding for finding in findings if finding.reason == UNVERIFIED]
    kept = [replace(each, reason=None) if each.reason == UNVERIFIED else each for each in findings]
    return Planned(
        calls=calls,
        variants=drop_broken(variants, kept),
        notes=(ASKED_LATER, DROPPED_LATER) if undecided or not is_written else (),
    )


def _stand_in(task: Task) -> Variant:
    return task.variant(f"{task.item.candidate} [{task.perturbation.name} {task.level or ''}]")
