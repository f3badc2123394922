"""The grammar of metrics: ``F+E+R+Pi,key=value`` as text and as a value.

A spec prints without its defaults; its signature is the same text with nothing left to a default. Both parse
back to an equal spec.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from gameproof.errors import SpecError
from gameproof.fmi.cells import AXES, OPTIONS, REPRESENTATIONS_OF, Cell, choices_of, one_of

__all__ = ["PINS", "PRESETS", "Spec", "is_spec", "parse"]

# The published metrics as design tuples. GPPM_TOKEN differs from GEM in the frame of its texts.
PRESETS = {
    "GEM": "KL+direct+token+autoreg",
    "GEM_S": "KL+direct+token+autoreg,given=source",
    "GPPM_J": "KL+direct+statement+oracle,critic=bins,agg=sum",
    "GPPM_TOKEN": "KL+direct+token+autoreg,prompt=gppm.v1",
    "GSPPM": "KL+direct+token+autoreg,given=source,prompt=gppm.v1",
    "TVD_MI": "TV+fvar+report+oracle,critic=binary",
    "TV_STATEMENT": "TV+fvar+statement+oracle,critic=binary",
}

# What a signature adds to a spec: it says where the numbers came from, it does not choose anything.
PINS = ("pool", "seed", "v")

SHOW_CELLS = "`gameproof list cells` shows them."
SAFE = "/:@._-"  # besides letters and digits; nothing here means anything to a shell


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A cell with the value of every option it takes, defaults filled in, sorted by key."""

    cell: Cell
    options: tuple[tuple[str, str], ...]

    def get(self, key: str) -> str | None:
        """Return the value of an option; None if the cell does not take it or it is unset."""
        return dict(self.options).get(key)

    def with_options(self, options: Mapping[str, str]) -> "Spec":
        """Return the spec with some options set, each checked as if it had been written."""
        return _make(self.cell, {**dict(self.options), **options})

    def without(self, keys: Iterable[str]) -> "Spec":
        """Return the spec with some options back at their defaults."""
        dropped = frozenset(keys)
        return _make(self.cell, {key: value for key, value in self.options if key not in dropped})

    def __str__(self) -> str:
        choices = choices_of(self.cell)
        return _text(
            self.cell, [(key, value) for key, value in self.options if value != choices[key].default]
        )

    def signature(self, pins: Mapping[str, str]) -> str:
        """Return the spec with nothing left to a default, and where its numbers come from."""
        return _text(self.cell, self.with_options(pins).options)


def is_spec(text: str) -> bool:
    """Whether a metric name is meant for this grammar: a cell or a preset, legal or not."""
    head = text.partition(",")[0].strip()
    return "+" in head or head in PRESETS


def parse(text: str) -> Spec:
    """Read a metric's spec, its signature, or the name of a preset.

    Raises:
        SpecError: Says what was given, what is legal, and what to do next.

    Example:
        >>> spec = parse("TV+fvar+statement+overlap,neg=8,agg=mean")
        >>> str(spec), spec.get("refs")
        ('TV+fvar+statement+overlap,neg=8', 'mean')
        >>> str(parse("GEM_S"))
        'KL+direct+token+autoreg,given=source'
    """
    head, *pairs = (part.strip() for part in text.strip().split(","))
    if head in PRESETS:
        preset = parse(PRESETS[head])
        return _make(preset.cell, {**dict(preset.options), **_read_pairs(pairs)})
    return _make(_read_cell(head), _read_pairs(pairs))


def _text(cell: Cell, options: Iterable[tuple[str, str]]) -> str:
    pairs = (f"{key}={quote(value, safe=SAFE).replace('~', '%7E')}" for key, value in sorted(options))
    return ",".join([str(cell), *pairs])


def _read_cell(head: str) -> Cell:
    tokens = head.split("+")
    if len(tokens) != len(AXES):
        raise SpecError(
            f"metric {head!r} has {len(tokens)} part{'s' if len(tokens) != 1 else ''}, not 4: expected"
            " divergence+estimator+representation+predictor, for example TV+fvar+statement+overlap.",
            hint=f"A preset stands alone: {', '.join(PRESETS)}. {SHOW_CELLS}",
        )
    for (axis, legal), token in zip(AXES.items(), tokens, strict=True):
        if token not in legal:
            raise SpecError(f"{axis} {token!r} is unknown: expected {one_of(legal)}.", hint=_hint(tokens))
    cell = Cell(**dict(zip(AXES, tokens, strict=True)))
    legal = REPRESENTATIONS_OF[cell.predictor]
    if cell.representation not in legal:
        raise SpecError(
            f"predictor {cell.predictor!r} needs representation {one_of(legal)}; got {cell.representation!r}.",
            hint=f"Write {cell.divergence}+{cell.estimator}+{legal[0]}+{cell.predictor}. {SHOW_CELLS}",
        )
    return cell


def _hint(tokens: list[str]) -> str:
    """Put known words in their places, so that a slip in order or spelling shows its cure."""
    places: list[str] = []
    for legal in AXES.values():
        lowered = {word.casefold(): word for word in legal}
        close = [difflib.get_close_matches(token.casefold(), lowered, 1, 0.75) for token in tokens]
        found = next((lowered[match[0]] for match in close if match), None)
        if found is None:
            return SHOW_CELLS
        places.append(found)
    return f"Did you mean {'+'.join(places)}? {SHOW_CELLS}"


def _read_pairs(pairs: list[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise SpecError(
                f"option {pair!r} has no value: expected key=value.", hint=f"Keys: {_all_keys()}."
            )
        if key in options:
            raise SpecError(f"option {key!r} is given twice: {options[key]!r} and {unquote(value)!r}.")
        options[key] = unquote(value)
    return options


def _make(cell: Cell, given: Mapping[str, str]) -> Spec:
    """Check options against the cell and fill in its defaults."""
    choices = choices_of(cell)
    options = {key: choice.default for key, choice in choices.items()}
    for key, value in given.items():
        if key not in choices:
            raise _unknown_option(cell, key)
        options[key] = choices[key].read(value)
        if options[key] is None:
            raise SpecError(f"{key}: {value!r} is not legal in {cell}: expected {choices[key]}.")
    for key, choice in choices.items():
        if choice.required and options[key] is None:
            raise SpecError(
                f"{cell} needs {key}={choice}: its ratios may fall below 1/8, where reverse KL has no monotone"
                " direct score.",
                hint=f"Write {cell},{key}={choice}.",
            )
    chosen = {key: value for key, value in options.items() if value is not None}
    _check_together(cell, chosen)
    return Spec(cell=cell, options=tuple(sorted(chosen.items())))


def _check_together(cell: Cell, options: Mapping[str, str]) -> None:
    """Refuse options that are legal one by one and contradict each other."""
    critic, decompose = options.get("critic"), options.get("decompose")
    has_no_ratio = critic == "soft" or (critic == "binary" and cell.predictor == "oracle")
    if options.get("agg") == "geometric" and has_no_ratio:
        raise SpecError(
            f"agg=geometric averages log ratios, and critic={critic} in {cell} has none.",
            hint=f"Use agg=mean, or critic={'bins' if cell.predictor == 'oracle' else 'binary'}.",
        )
    if decompose == "rules.v1" and options.get("decompositions") != "1":
        raise SpecError(
            f"decompositions={options.get('decompositions')} needs a model that decomposes;"
            " decompose=rules.v1 always gives the same statements.",
            hint="Leave decompositions out, or use decompose=atomic.v1.",
        )
    weights = options.get("weights")
    if options.get("agg") == "sum" and weights not in {None, "equal"}:
        raise SpecError(
            f"weights={weights} make an average, and agg=sum adds the statements up.",
            hint="Use agg=mean, or leave weights out.",
        )
    _check_fits(cell, options, has_no_ratio=has_no_ratio)
    asks_a_model = (
        cell.predictor != "overlap"
        or decompose not in {None, "rules.v1"}
        or options["norm"] != "none"
        or weights == "persona"
    )
    if "llm" in options and not asks_a_model:
        raise SpecError(
            f"llm: {cell} asks no model, so naming one would change nothing.",
            hint="Leave llm out, or use norm=..., weights=persona or decompose=atomic.v1.",
        )


def _check_fits(cell: Cell, options: Mapping[str, str], *, has_no_ratio: bool) -> None:
    """Refuse fits on the originals that the other options leave nothing to work on."""
    calibrate = options["calibrate"]
    if calibrate != "none" and has_no_ratio:
        raise SpecError(
            f"calibrate={calibrate} maps ratios, and critic={options.get('critic')} in {cell} has none.",
            hint=f"Use critic={'bins' if cell.predictor == 'oracle' else 'binary'}.",
        )
    if calibrate != "none" and cell.divergence == "RKL" and options.get("form") == "monotone":
        raise SpecError(
            f"calibrate={calibrate} may give ratios below 1/8, where reverse KL has no monotone direct score.",
            hint="Use form=joint.",
        )
    if options.get("control") != "base_rate":
        return
    agg = options.get("agg")
    if agg in {"sum", "geometric"}:
        raise SpecError(
            f"control=base_rate corrects the mean critic of statements, and agg={agg} has none.",
            hint="Use agg=mean.",
        )
    if options.get("neg") == "1":
        raise SpecError(
            "control=base_rate needs neg=2 or more: with one negative, nobody else's candidates meet a statement.",
            hint="Use neg=4, or neg=all.",
        )


def _unknown_option(cell: Cell, key: str) -> SpecError:
    taken = [name for name in choices_of(cell) if name not in PINS]
    if key in OPTIONS:
        return SpecError(f"option {key!r} does not apply to {cell}.", hint=f"It takes {', '.join(taken)}.")
    close = difflib.get_close_matches(key, OPTIONS, 1)
    guess = f"Did you mean {close[0]}? " if close else ""
    return SpecError(f"option {key!r} is unknown.", hint=f"{guess}{cell} takes {', '.join(taken)}.")


def _all_keys() -> str:
    return ", ".join(key for key in OPTIONS if key not in PINS)
