"""Read an audit's plan: the options of ``gameproof audit`` as a TOML file."""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from gameproof.audits.checks import DEFAULT_MARGIN
from gameproof.errors import InputError, PlanError
from gameproof.files.sampling import ALL_TEXTS, read_sample

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["Plan", "make_plan", "read_plan"]


Name = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Plan(BaseModel):
    """Everything an audit can be told. A key of a plan file is an option of the command, without dashes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: Annotated[tuple[Name, ...], Field(min_length=1)]
    metrics: Annotated[tuple[Name, ...], Field(min_length=1)]
    out: str | None = None
    suite: Literal["strategic", "satisfaction", "all"] = "all"
    perturbations: tuple[Name, ...] | None = None
    skip: tuple[Name, ...] | None = None
    margin: Annotated[str, StringConstraints(pattern=r"^(\d+\.?\d*|\.\d+)(sent)?$")] = DEFAULT_MARGIN
    domain: Literal["reviews", "summaries", "answers"] | None = None
    variants: str | None = None
    map: Mapping[str, str] | None = None
    reference: tuple[Name, ...] | None = None
    group_by: str | None = None
    sample: int | Literal["all"] | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    llm: Name | None = None
    rewriter: Name | None = None
    verify: Name = "overlap"
    cache: Name | None = None
    max_calls: Annotated[int, Field(ge=0)] | None = None
    max_cost: Annotated[float, Field(ge=0)] | None = None
    price_in: Annotated[float, Field(ge=0)] | None = None
    price_out: Annotated[float, Field(ge=0)] | None = None
    max_requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    max_tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    max_concurrency: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    gate: str | None = None

    @field_validator("data", "reference", mode="before")
    @classmethod
    def _list_one(cls, value: object) -> object:
        """Take one text as a list of one."""
        return [value] if isinstance(value, str) else value

    @field_validator("sample", mode="before")
    @classmethod
    def _read_sample(cls, value: object) -> object:
        """Take a number of texts, also in text as the command line has it, or ``all``."""
        if value is None or value == ALL_TEXTS:
            return value
        try:
            if isinstance(value, int | str) and not isinstance(value, bool):
                return read_sample(value)
        except PlanError:
            pass
        raise ValueError("1 or more, or all")

    @field_validator("margin", mode="before")
    @classmethod
    def _write_number(cls, value: object) -> object:
        """Take a margin written as a number, as TOML has them."""
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def read_plan(path: str | Path) -> dict[str, object]:
    """Read the keys of a plan file; `make_plan` checks them.

    Paths in the file are relative to its folder, so that a plan can be run from anywhere.

    Raises:
        InputError: There is no such file, or it is not TOML.
    """
    file = Path(path)
    try:
        record: dict[str, object] = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"the plan {file} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or brackets without end
        raise InputError(f"the plan {file} is not TOML: {error}.") from error
    given = record.get("data")
    if isinstance(given, list):
        record["data"] = [_beside(file, each) for each in cast("list[object]", given)]
    for key in ("data", "variants"):
        if isinstance(record.get(key), str):
            record[key] = _beside(file, record[key])
    out = record.get("out")
    if isinstance(out, str):
        record["out"] = str(file.parent / out)
    return record


def _beside(plan: Path, value: object) -> object:
    """Return a path of a plan as it is reached from here; ``summeval:FILE`` names one too."""
    if not isinstance(value, str):
        return value
    if _exists(plan.parent / value):
        return str(plan.parent / value)
    name, colon, path = value.partition(":")
    return f"{name}:{plan.parent / path}" if colon and path and _exists(plan.parent / path) else value


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long to be one
        return False


def make_plan(record: Mapping[str, object]) -> Plan:
    """Check the options of an audit; all that is wrong is told together.

    Raises:
        PlanError: Options are missing, unknown or out of range.

    Example:
        >>> plan = make_plan({"data": "items.jsonl", "metrics": ["rougeL"], "margin": 0.2})
        >>> plan.margin, plan.suite
        ('0.2', 'all')
    """
    # A choice of the command line is a text to newer pydantics only.
    plain = {key: each.value if isinstance(each, Enum) else each for key, each in record.items()}
    try:
        return Plan.model_validate(plain)
    except ValidationError as error:
        lines = [
            f"{'.'.join(str(part) for part in problem['loc'])}: {_say(problem)}" for problem in error.errors()
        ]
        raise PlanError(
            "\n".join(["the options of the audit do not fit:", *(f"  {line}" for line in lines)]),
            hint="`gameproof audit --help` shows what each option takes.",
        ) from error


# What is legal, by the kind of problem that pydantic names; {ge} and {expected} are what it knows about it.
ALLOWED = {
    "tuple_type": "a list, for example [{found!r}]",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "string_type": "text",
    "string_too_short": "a text that is not empty",
    "greater_than_equal": "{ge} or more",
    "literal_error": "{expected}",
    "value_error": "{error}",
    "string_pattern_mismatch": "a number of standard deviations (.10) or of sentences (.5sent)",
}


def _say(problem: "ErrorDetails") -> str:
    kind, found = problem["type"], problem["input"]
    if kind == "missing":
        return "it is needed"
    if kind == "extra_forbidden":
        near = get_close_matches(str(problem["loc"][-1]), Plan.model_fields, n=1)
        meant = f"did you mean {near[0]}?" if near else f"allowed: {', '.join(Plan.model_fields)}"
        return f"this option is unknown; {meant}"
    if kind in ALLOWED:
        allowed = ALLOWED[kind].format(found=found, **problem.get("ctx", {}))
        return f"found {found!r:.80}; allowed: {allowed}"
    message = problem["msg"]
    return f"found {found!r:.80}; {message[:1].lower()}{message[1:]}"
