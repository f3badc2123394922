"""Rewrites within a run: who writes, who verifies, and what a reader of the result must know about it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from gameproof.llm.asking import Asker
from gameproof.llm.client import LanguageModel
from gameproof.metrics.base import Metric
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.rewrites import same_family
from gameproof.perturbations.written import NOT_AS_NAMED, Written, write_variants
from gameproof.prompts.loading import load
from gameproof.records import Item, Variant

__all__ = ["OFF", "OVERLAP", "Rewriting", "make_rewriting"]

OVERLAP = "overlap"  # verify by words
OFF = "off"

# Shares of planted rewrites of eleven kinds, each right or wrong in up to five ways.
WORDS_MISS = (
    "counted words do not read meaning: of rewrites that break their promise they let pass about one in ten, of"
    " compressions four in ten, mostly a denied statement or a lost or added one without number or name, and they drop"
    " half or more of the opinion flips that are right; --verify MODEL reads meaning"
)
_MODEL = re.compile(r"\bllm=(?P<name>[^,]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """Who writes the variants that no rule can make, and who verifies them."""

    writer: Asker
    judge: Asker | None = None  # None: statements are compared by their words

    @property
    def askers(self) -> tuple[Asker, ...]:
        """Who is asked."""
        return (self.writer,) if self.judge is None else (self.writer, self.judge)

    async def write(
        self, items: Sequence[Item], perturbations: Sequence[Perturbation], given: Sequence[Variant]
    ) -> Written:
        """Let the model write, and drop what is not as its name says."""
        return await write_variants(items, perturbations, writer=self.writer, judge=self.judge, given=given)

    def inputs(self, perturbations: Sequence[Perturbation]) -> dict[str, object]:
        """Return what the texts depend on."""
        return {
            "writer": self.writer.name,
            "verified by": self.judge.name if self.judge is not None else "overlap",
            "prompts": [
                load("rewrites", row.rewrite.prompt, row.rewrite.version).label
                for row in perturbations
                if row.rewrite is not None
            ],
        }

    def notes(
        self, perturbations: Sequence[Perturbation], variants: Sequence[Variant], metrics: Sequence[Metric]
    ) -> Iterator[str]:
        """Say who wrote and verified, what was dropped and why, and which metric judges its own kind."""
        by = f"{self.judge.name}" if self.judge is not None else "their words (overlap)"
        yield f"rewrites written by {self.writer.name}, verified by {by}"
        if self.judge is None:
            yield WORDS_MISS
        for row in perturbations:
            if row.rewrite is not None:
                yield from _lost(row.name, [one for one in variants if one.name == row.name])
        for metric in metrics:
            found = _MODEL.search(metric.signature())
            if found is not None and same_family(unquote(found["name"]), self.writer.name):
                yield (
                    f"{metric.name}: its model and the one that wrote the rewrites are of one family; models"
                    " tend to prefer what their own kind writes"
                )


def make_rewriting(
    rewriter: str | LanguageModel | None, verify: str, models: Callable[[str | None], LanguageModel]
) -> Rewriting | None:
    """Make of two options who writes and who verifies; None where nobody is to write.

    Args:
        rewriter: The model that writes: a name, or a model.
        verify: ``overlap``, or the name of a model.
        models: Finds models by their names.
    """
    if rewriter is None or rewriter == OFF:
        return None
    writer = models(rewriter) if isinstance(rewriter, str) else rewriter
    return Rewriting(writer=Asker(writer), judge=None if verify == OVERLAP else Asker(models(verify)))


def _lost(name: str, variants: Sequence[Variant]) -> Iterator[str]:
    reasons = Counter(variant.reason for variant in variants if variant.reason is not None)
    if reasons:
        shown = "; ".join(
            f"{reason.removeprefix(f'{NOT_AS_NAMED}: ')}: {n:,}" for reason, n in reasons.most_common()
        )
        kept = len(variants) - reasons.total()
        yield f"{name}: {kept:,} of {len(variants):,} rewrites are used; {shown}"
