"""Which cells of the design space a sweep scores, as the texts of metrics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gameproof.errors import PlanError
from gameproof.fmi.cells import CELLS, OPTIONS, REPRESENTATIONS_OF, Cell, choices_of, one_of
from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.spec import PINS, Spec, parse

__all__ = ["CRITICS", "PAPER_PREDICTORS", "SweepCell", "read_setting", "read_settings", "sweep_cells"]

PAPER_DIVERGENCES = frozenset({"KL", "TV"})
PAPER_PREDICTORS = ("autoreg", "oracle")
CRITICS = ("bins", "binary", "soft")
LOCAL = "transformers:"


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepCell:
    """One metric of a sweep."""

    spec: Spec
    ablates: str | None = None  # the cell that it is, but for the option that is taken in or out

    @property
    def text(self) -> str:
        """What asks for the metric."""
        return str(self.spec)


def sweep_cells(
    predictors: Sequence[str],
    *,
    papers: bool = False,
    critics: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
    ablate: tuple[str, str] | None = None,
    nli: str | None = None,
) -> list[SweepCell]:
    """List the cells of predictors, each direct one in both forms where they differ.

    An oracle is asked one kind of question for each representation, the seven-point one, and TV takes its critic
    from it; a further critic asks further questions.

    Args:
        predictors: Of `REPRESENTATIONS_OF`; with ``papers`` none means the two of paper 1.
        papers: Only the cells of paper 1: KL and TV, direct scores as printed (the joint form), and an oracle's
            yes or no as the critic of TV.
        critics: More critics for the TV f-variational cells.
        settings: Options, set in every cell that takes them.
        ablate: An option and a value: every cell that takes it is scored with and without.
        nli: The folder of the model that nli cells ask.

    Raises:
        PlanError: A predictor, a critic, or an option that no cell takes.
    """
    wanted = tuple(predictors) or (PAPER_PREDICTORS if papers else ("overlap",))
    unknown = [name for name in wanted if name not in REPRESENTATIONS_OF]
    if unknown:
        raise PlanError(f"predictor {unknown[0]!r} is unknown: expected {one_of(tuple(REPRESENTATIONS_OF))}.")
    if strange := [name for name in critics if name not in CRITICS]:
        raise PlanError(f"critic {strange[0]!r} is unknown: expected {one_of(CRITICS)}.")
    if nli is not None and "nli" not in wanted:
        raise PlanError("a folder for nli cells is given, and none are swept.", hint="Add --predictor nli.")
    specs = {
        str(spec): spec
        for cell in CELLS
        if cell.predictor in wanted and not (papers and cell.divergence not in PAPER_DIVERGENCES)
        for spec in _forms(cell, papers=papers, critics=critics, nli=nli)
    }
    cells = [SweepCell(spec=spec) for spec in _set(list(specs.values()), settings or {})]
    return [*cells, *_ablated(cells, ablate)] if ablate is not None else cells


def read_setting(text: str) -> tuple[str, str]:
    """Read ``KEY=VALUE``.

    Raises:
        PlanError: It is none, or the key is no option that can be chosen.
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    if not (equals and key and value):
        raise PlanError(f"{text!r} is no setting: expected KEY=VALUE, for example refs=first.")
    if key not in OPTIONS or key in PINS:
        chosen = [name for name in OPTIONS if name not in PINS]
        raise PlanError(f"{key!r} is no option of a cell: expected {one_of(chosen)}.")
    return key, value


def read_settings(texts: Sequence[str]) -> dict[str, str]:
    """Read ``KEY=VALUE`` texts.

    Raises:
        PlanError: As in `read_setting`, or one option has two values.
    """
    found: dict[str, str] = {}
    for key, value in map(read_setting, texts):
        if found.setdefault(key, value) != value:
            raise PlanError(
                f"{key} is set twice: {found[key]!r} and {value!r}.",
                hint=f"Sweep with one of them and compare it with the other: --ablate {key}={value}.",
            )
    return found


def _forms(cell: Cell, *, papers: bool, critics: Sequence[str], nli: str | None) -> Iterator[Spec]:
    """Yield a cell with each form or critic that gives other numbers."""
    base = (
        {"llm": nli if nli.startswith(LOCAL) else f"{LOCAL}{nli}"} if nli and cell.predictor == "nli" else {}
    )
    choices = choices_of(cell)
    if cell.estimator == "direct":
        forms = [form for form in choices["form"].words if form == "monotone" or _forms_differ(cell)]
        for form in ["joint"] if papers and _forms_differ(cell) else forms:
            yield parse(_text(cell, {**base, "form": form}))
        return
    legal = choices["critic"].words if "critic" in choices else ()
    if len(legal) < 2:
        yield parse(_text(cell, base))
        return
    first = "binary" if papers and "binary" in legal else "bins" if "bins" in legal else "soft"
    for critic in dict.fromkeys([first, *(name for name in critics if name in legal)]):
        yield parse(_text(cell, {**base, "critic": critic}))


def _forms_differ(cell: Cell) -> bool:
    """Say whether the two direct forms are two: without a gauge they are one."""
    return DIVERGENCES[cell.divergence].gauge != 0


def _text(cell: Cell, options: Mapping[str, str]) -> str:
    return ",".join([str(cell), *(f"{key}={value}" for key, value in options.items())])


def _set(specs: Sequence[Spec], settings: Mapping[str, str]) -> list[Spec]:
    """Set options in the specs that take them."""
    found = list(specs)
    for key, value in settings.items():
        takes = [_takes(spec, key, value) for spec in found]
        if not any(takes):
            raise PlanError(f"no cell of this sweep takes {key}={value}.", hint=_hint(found, key))
        found = [
            spec.with_options({key: value}) if taken else spec
            for spec, taken in zip(found, takes, strict=True)
        ]
    return list({str(spec): spec for spec in found}.values())


def _ablated(cells: Sequence[SweepCell], ablate: tuple[str, str]) -> list[SweepCell]:
    key, value = ablate
    known = {cell.text for cell in cells}
    others = [
        SweepCell(spec=cell.spec.with_options({key: value}), ablates=cell.text)
        for cell in cells
        if _takes(cell.spec, key, value)
    ]
    others = [cell for cell in others if cell.text != cell.ablates]
    if not others:
        raise PlanError(
            f"{key}={value} changes no cell of this sweep.", hint=_hint([cell.spec for cell in cells], key)
        )
    return [cell for cell in others if cell.text not in known]


def _takes(spec: Spec, key: str, value: str) -> bool:
    choice = choices_of(spec.cell).get(key)
    return choice is not None and choice.read(value) is not None


def _hint(specs: Sequence[Spec], key: str) -> str | None:
    choices = [choices_of(spec.cell).get(key) for spec in specs]
    legal = dict.fromkeys(str(choice) for choice in choices if choice is not None)
    return f"{key} may be {'; '.join(legal)}." if legal else None
