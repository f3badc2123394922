"""The design space: the four axes, the legal cells, and the options each cell takes."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.estimators import EXPONENT_LIMIT

__all__ = [
    "AXES",
    "CELLS",
    "OPTIONS",
    "REPRESENTATIONS_OF",
    "Cell",
    "Choice",
    "Option",
    "choices_of",
    "one_of",
]

AXES: dict[str, tuple[str, ...]] = {
    "divergence": tuple(DIVERGENCES),
    "estimator": ("direct", "fvar"),
    "representation": ("token", "statement", "report"),
    "predictor": ("autoreg", "oracle", "nli", "overlap"),
}

REPRESENTATIONS_OF = {
    "autoreg": ("token",),
    "oracle": ("statement", "report"),
    "nli": ("statement", "report"),
    "overlap": ("statement", "report"),
}

# Predictors whose ratios stay on the scale 1/8 .. 8 by construction.
BOUNDED = frozenset({"oracle", "overlap"})
LOCAL_MODELS = frozenset({"autoreg", "nli"})

MAX_DIGITS = 18  # of a whole number


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One design tuple (F, E, R, Pi) of paper 1, Definition 4.1."""

    divergence: str
    estimator: str
    representation: str
    predictor: str

    def __str__(self) -> str:
        return f"{self.divergence}+{self.estimator}+{self.representation}+{self.predictor}"


def _legal_cells() -> Iterator[Cell]:
    for predictor, representations in REPRESENTATIONS_OF.items():
        for representation, divergence, estimator in product(
            representations, AXES["divergence"], AXES["estimator"]
        ):
            yield Cell(
                divergence=divergence,
                estimator=estimator,
                representation=representation,
                predictor=predictor,
            )


CELLS = tuple(_legal_cells())


def _whole(value: str) -> str | None:
    return str(int(value)) if value.isdecimal() and len(value) <= MAX_DIGITS else None


def _count(value: str) -> str | None:
    whole = _whole(value)
    return whole if whole != "0" else None


def _nats(value: str) -> str | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return repr(number).removesuffix(".0") if 0 < number < math.inf else None


def _degree(value: str) -> str | None:
    return "0" if re.fullmatch(r"0*\.?0*", value) and "0" in value else _nats(value)


def _asset(value: str) -> str | None:
    return value if re.fullmatch(r"[a-z][a-z0-9_]*\.v[0-9]+(@[0-9a-f]{8})?", value) else None


def _style(value: str) -> str | None:
    return value if re.fullmatch(r"(review|summary|answer)\.v[0-9]+(@[0-9a-f]{8})?", value) else None


def _kind(value: str) -> str | None:
    return value if re.fullmatch(r"kind:[a-z][a-z0-9_-]{0,31}", value) else None


def _text(value: str) -> str | None:
    return value if value and value.isprintable() else None


# kind of free value -> its canonical form (None if it is not one), and its description
KINDS: dict[str, tuple[Callable[[str], str | None], str]] = {
    "count": (_count, "a whole number from 1"),
    "whole": (_whole, "a whole number from 0"),
    "nats": (_nats, "a number of nats above 0"),
    "degree": (_degree, "a number from 0"),
    "asset": (_asset, "a name and version such as atomic.v1"),
    "style": (_style, "one of them with its version"),
    "references": (_kind, "kind:WORD such as kind:human"),
    "text": (_text, "any printable text"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The values one option may take in one cell."""

    words: tuple[str, ...] = ()
    kind: str | None = None  # besides the words: a key of KINDS
    default: str | None = None  # None: unset unless given
    required: bool = False

    def read(self, value: str) -> str | None:
        """Return the value in its one canonical spelling, or None if it is not legal."""
        if value in self.words:
            return value
        return KINDS[self.kind][0](value) if self.kind else None

    def __str__(self) -> str:
        return one_of([*self.words, *([KINDS[self.kind][1]] if self.kind else [])])


@dataclass(frozen=True, slots=True)
class Option:
    """One key of the grammar."""

    key: str
    summary: str
    choice: Callable[[Cell], Choice | None]  # what a cell lets it be; None: it does not apply there


def _agg(cell: Cell) -> Choice | None:
    if cell.representation != "statement":
        return None  # a report or a token sequence is one unit: nothing to aggregate
    critic_mean = ("mean_critic",) if cell.estimator == "fvar" else ()
    return Choice(words=("mean", "sum", *critic_mean, "geometric"), default="mean")


def _form(cell: Cell) -> Choice | None:
    if cell.estimator != "direct":
        return None
    if cell.divergence == "RKL" and cell.predictor not in BOUNDED:
        return Choice(words=("joint",), required=True)  # no monotone form on unbounded ratios
    return Choice(words=("monotone", "joint"), default="monotone")


def _clip(cell: Cell) -> Choice | None:
    if cell.predictor in BOUNDED:
        return None
    formula = "direct" if cell.estimator == "direct" else "critic"
    if formula not in DIVERGENCES[cell.divergence].needs_exp:
        return Choice(words=("none",), default="none")
    return Choice(kind="nats", default=f"{EXPONENT_LIMIT:g}")


def _critic(cell: Cell) -> Choice | None:
    asks_for_tv_critic = cell.divergence == "TV" and cell.estimator == "fvar"
    if cell.predictor == "oracle":
        if asks_for_tv_critic:
            return Choice(words=("binary", "bins", "soft"), default="binary")
        return Choice(words=("bins",), default="bins")
    if cell.predictor in {"nli", "overlap"} and asks_for_tv_critic:
        return Choice(words=("soft", "binary"), default="soft")
    return None  # the divergence's own critic of the predicted ratio


def _batch(cell: Cell) -> Choice | None:
    if cell.predictor in LOCAL_MODELS:
        return Choice(kind="count", default="8")
    if cell.predictor == "oracle" and cell.representation == "statement":
        return Choice(words=("reference", "statement", "candidate"), default="reference")
    return None  # a report is one question


def _decompose(cell: Cell) -> Choice | None:
    if cell.representation != "statement":
        return None
    default = "atomic.v1" if cell.predictor == "oracle" else "rules.v1"
    return Choice(words=("rules.v1",), kind="asset", default=default)


def _prompt(cell: Cell) -> Choice | None:
    if cell.predictor == "autoreg":
        return Choice(kind="asset", default="gem.v1")
    return Choice(kind="asset") if cell.predictor == "oracle" else None


def _everywhere(choice: Choice) -> Callable[[Cell], Choice | None]:
    return lambda _cell: choice


def _where(choice: Choice, **axes: frozenset[str]) -> Callable[[Cell], Choice | None]:
    """Offer a choice in the cells whose named axes have one of the given values."""
    return lambda cell: choice if all(getattr(cell, axis) in axes[axis] for axis in axes) else None


def _calibrate(cell: Cell) -> Choice | None:
    if cell.predictor == "autoreg":
        return Choice(words=("none", "temperature", "platt", "isotonic"), default="none")
    return Choice(words=("none", "isotonic", "platt"), default="none")


_FVAR, _STATEMENT = frozenset({"fvar"}), frozenset({"statement"})
_AUTOREG, _ORACLE = frozenset({"autoreg"}), frozenset({"oracle"})
_TV = frozenset({"TV"})
_WEIGHTS = Choice(words=("equal", "rarity", "consensus", "persona"), default="equal")

OPTIONS = {
    option.key: option
    for option in (
        Option("agg", "how the statements of a reference become one number", _agg),
        Option("form", "direct score: increasing in the ratio, or as printed in the paper", _form),
        Option(
            "ratio",
            "log ratio of a token sequence: the sum, or the mean per token",
            _where(Choice(words=("sum", "token"), default="sum"), predictor=_AUTOREG),
        ),
        Option("clip", "largest log ratio, in nats, that enters an exp", _clip),
        Option("critic", "where a critic comes from: two answers, seven bins, or a graded one", _critic),
        Option(
            "neg",
            "how many other tasks' references each candidate is held against",
            _where(Choice(words=("all",), kind="count", default="4"), estimator=_FVAR),
        ),
        Option(
            "norm",
            "rewrite candidate and reference in one style first",
            _everywhere(Choice(words=("none", "review", "summary", "answer"), kind="style", default="none")),
        ),
        Option(
            "given",
            "what the reader has already: information beyond it is counted",
            _where(Choice(words=("none", "source"), default="none"), predictor=_AUTOREG),
        ),
        Option(
            "samples",
            "answers asked for each question, averaged",
            _where(Choice(kind="count", default="1"), predictor=_ORACLE),
        ),
        Option(
            "decompositions",
            "decompositions of each reference, averaged",
            _where(Choice(kind="count", default="1"), representation=_STATEMENT),
        ),
        Option("weights", "of the statements of a reference", _where(_WEIGHTS, representation=_STATEMENT)),
        Option("calibrate", "scale of ratios fitted on matched against mismatched pairs", _calibrate),
        Option(
            "control",
            "take base rates of support off, which makes scores of items less noisy",
            _where(Choice(words=("none", "base_rate"), default="none"), divergence=_TV, estimator=_FVAR),
        ),
        Option(
            "dedupe",
            "leave near-duplicate tasks out of the negatives",
            _where(Choice(words=("false", "true"), default="false"), estimator=_FVAR),
        ),
        Option("batch", "texts in one forward pass, or what one question to an oracle holds", _batch),
        Option(
            "dtype",
            "number format of a local model",
            _where(Choice(words=("fp32", "bf16"), default="fp32"), predictor=LOCAL_MODELS),
        ),
        Option(
            "temperature",
            "of the model that is asked",
            _where(Choice(kind="degree", default="0"), predictor=_ORACLE),
        ),
        Option("llm", "the model that is asked", _everywhere(Choice(kind="text"))),
        Option(
            "refs",
            "average over all references of a task, take its first, or those of one kind, negatives too",
            _everywhere(Choice(words=("mean", "first"), kind="references", default="mean")),
        ),
        Option("decompose", "how references are split into statements", _decompose),
        Option("prompt", "what the model is asked, or the frame of its texts", _prompt),
        Option("seed", "seed of the negatives", _where(Choice(kind="whole"), estimator=_FVAR)),
        Option("v", "version of gameproof that gave the numbers", _everywhere(Choice(kind="text"))),
        Option("pool", "digest of the metric's references", _everywhere(Choice(kind="text"))),
    )
}


def one_of(words: Sequence[str]) -> str:
    """Join alternatives for a sentence: ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def choices_of(cell: Cell) -> dict[str, Choice]:
    """Return the options a cell takes, each with its legal values and default.

    Example:
        >>> cell = Cell(divergence="TV", estimator="fvar", representation="report", predictor="overlap")
        >>> choices = choices_of(cell)
        >>> choices["neg"].default, str(choices["neg"])
        ('4', 'all or a whole number from 1')
    """
    offered = ((key, option.choice(cell)) for key, option in OPTIONS.items())
    return {key: choice for key, choice in offered if choice is not None}
