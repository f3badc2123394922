"""Read a study's file: TOML, checked at once, with everything that is wrong told together."""

import hashlib
import tomllib
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from gameproof.errors import InputError, PlanError
from gameproof.study import model as values

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["new_study_text", "parse_study", "read_study"]

Name = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True, max_length=200)]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")]
DEFAULT = ""  # key of a text that says no language
SHOWN = 60

TextIn = Annotated[
    dict[str, Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]],
    BeforeValidator(lambda found: {DEFAULT: found} if isinstance(found, str) else found),
    Field(min_length=1),
]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Question(_Table):
    name: Key
    label: TextIn
    help: TextIn | None = None
    kind: values.AnswerKind = "line"
    choices: tuple[Name, ...] = ()
    required: bool = True
    max_length: Annotated[int, Field(ge=1, le=10_000)] = 500

    @model_validator(mode="after")
    def _choices_fit(self) -> Self:
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError('`choices` go with kind = "choice", and only with it')
        return self


class _Condition(_Table):
    id: Name
    model: Name
    persona: bool
    prompt: Name = "summary.v1"


class _Retrieval(_Table):
    kind: values.RetrievalKind = "local"
    corpus: Name | None = None
    n_documents: Annotated[int, Field(ge=1, le=50)] = 10
    url: Name = "https://api.openalex.org"
    key_env: Name = "OPENALEX_API_KEY"
    per_second: Annotated[float, Field(gt=0, le=100)] = 5.0
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 20.0

    @model_validator(mode="after")
    def _fixed_has_lists(self) -> Self:
        if self.kind == "fixed" and self.corpus is None:
            raise ValueError('kind = "fixed" needs `corpus`: a JSON file of queries and their documents')
        return self


class _Generation(_Table):
    words: Annotated[int, Field(ge=20, le=5000)] = 200
    max_tokens: Annotated[int, Field(ge=50, le=100_000)] = 1500
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0


class _Design(_Table):
    kind: values.DesignKind = "tournament"
    comparisons: Annotated[int, Field(ge=1, le=100)] | None = None

    @model_validator(mode="after")
    def _count_fits(self) -> Self:
        if (self.kind == "balanced") != (self.comparisons is not None):
            raise ValueError('`comparisons` (pairs of a query) goes with kind = "balanced", and only with it')
        return self


class _Invitations(_Table):
    open: bool = False
    valid_days: Annotated[int, Field(ge=1, le=3650)] = 90
    max_participants: Annotated[int, Field(ge=1, le=100_000)] = 1000


class _StudyFile(_Table):
    title: TextIn
    introduction: TextIn
    consent: TextIn
    thanks: TextIn
    query_help: TextIn | None = None
    contact: str = ""
    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = ("en",)
    queries: Annotated[int, Field(ge=1, le=100)] = 8
    max_query_length: Annotated[int, Field(ge=10, le=10_000)] = 500
    seed: Annotated[int, Field(ge=0)] = 0
    questions: tuple[_Question, ...] = ()
    conditions: Annotated[tuple[_Condition, ...], Field(min_length=2, max_length=16)]
    retrieval: _Retrieval = _Retrieval()
    generation: _Generation = _Generation()
    design: _Design = _Design()
    invitations: _Invitations = _Invitations()


def new_study_text(kind: Literal["demo", "new"] = "new") -> str:
    """Return a commented study file to start from."""
    return files("gameproof.study").joinpath("texts", f"{kind}.toml").read_text(encoding="utf-8")


def read_study(path: str | Path) -> values.Study:
    """Read and check a study's file.

    Raises:
        InputError: There is no such file, or it is not TOML.
        PlanError: Keys are missing, unknown or out of range; all of them are told.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"the study {file} cannot be read: {error.strerror or error}.",
            hint="`gameproof study new FILE` writes one to start from.",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"the study {file} is not UTF-8 text.") from error
    return parse_study(text, folder=file.resolve().parent, name=str(file))


def parse_study(
    text: str, *, folder: Path | None = None, name: str = "the study", check_paths: bool = True
) -> values.Study:
    """Check the text of a study's file.

    Args:
        text: TOML.
        folder: What its paths are relative to; the working folder by default.
        name: For messages.
        check_paths: Whether the files it names have to be there.

    Raises:
        InputError: It is not TOML.
        PlanError: Keys are missing, unknown or out of range; all of them are told.

    Example:
        >>> parse_study(new_study_text()).n_queries
        8
    """
    folder = Path.cwd() if folder is None else folder
    try:
        record = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # not TOML, or brackets without end
        raise InputError(f"{name} is not TOML: {error}.") from error
    try:
        found = _StudyFile.model_validate(record)
    except ValidationError as error:
        problems = [f"{_place(problem)}: {_say(problem)}" for problem in error.errors()]
        raise _wrong(name, problems) from error
    problems = _problems(found, folder if check_paths else None)
    if problems:
        raise _wrong(name, problems)
    return _to_study(found, text, folder)


def _wrong(name: str, problems: list[str]) -> PlanError:
    lines = "\n".join(f"  {problem}" for problem in problems)
    return PlanError(
        f"{name} does not fit:\n{lines}", hint="`gameproof study new` writes a file with every key explained."
    )


def _problems(found: _StudyFile, folder: Path | None) -> list[str]:
    """Return what is wrong between keys, or with what they point at."""
    problems = [
        f"questions: the name {name!r} occurs twice"
        for name in _repeated([each.name for each in found.questions])
    ]
    problems += [
        f"conditions: the id {name!r} occurs twice"
        for name in _repeated([each.id for each in found.conditions])
    ]
    n = len(found.conditions)
    if found.design.kind == "tournament" and n not in {2, 4, 8, 16}:
        problems.append(
            f'design.kind: a tournament needs 2, 4, 8 or 16 conditions; found {n}. Use "all_pairs" or "balanced"'
        )
    if found.design.comparisons is not None and found.design.comparisons > n * (n - 1) // 2:
        problems.append(
            f"design.comparisons: found {found.design.comparisons}; allowed: at most {n * (n - 1) // 2} with {n} conditions"
        )
    for where, text in _texts(found):
        strangers = sorted(set(text) - {DEFAULT, *found.languages})
        if strangers:
            problems.append(
                f"{where}: found language {strangers[0]!r}; allowed: {', '.join(found.languages)} (`languages`)"
            )
    for place, condition in enumerate(found.conditions):
        problems += [f"conditions.{place}.{problem}" for problem in _condition_problems(condition, folder)]
    corpus = found.retrieval.corpus
    if corpus is not None and folder is not None and not (folder / corpus).is_file():
        problems.append(f"retrieval.corpus: there is no file {corpus}")
    return problems


def _condition_problems(condition: _Condition, folder: Path | None) -> list[str]:
    from gameproof.study.extractive import RULES  # noqa: PLC0415 - only study files need it
    from gameproof.study.wording import find_prompt  # noqa: PLC0415

    problems: list[str] = []
    model = condition.model
    if model.startswith(values.EXTRACTIVE) and model.removeprefix(values.EXTRACTIVE) not in RULES:
        allowed = ", ".join(f"{values.EXTRACTIVE}{rule}" for rule in RULES)
        problems.append(f"model: found {model!r}; allowed: {allowed}, or a language model as in --llm")
    if folder is None:
        return problems
    try:
        find_prompt(condition.prompt, folder)
    except InputError as error:
        problems.append(f"prompt: {error.message}")
    return problems


def _texts(found: _StudyFile) -> list[tuple[str, dict[str, str]]]:
    named = {
        "title": found.title, "introduction": found.introduction, "consent": found.consent,
        "thanks": found.thanks, "query_help": found.query_help,
    }  # fmt: skip
    for place, question in enumerate(found.questions):
        named |= {f"questions.{place}.label": question.label, f"questions.{place}.help": question.help}
    return [(where, text) for where, text in named.items() if text is not None]


def _to_study(found: _StudyFile, source: str, folder: Path) -> values.Study:
    first = found.languages[0]

    def text(given: dict[str, str] | None) -> values.Text | None:
        if given is None:
            return None
        own = {language or first: said for language, said in given.items()}
        return values.Text(by_language=dict(sorted(own.items(), key=lambda pair: pair[0] != first)))

    def needed(given: dict[str, str]) -> values.Text:
        return cast("values.Text", text(given))  # a text that is there

    corpus = found.retrieval.corpus
    return values.Study(
        title=needed(found.title),
        introduction=needed(found.introduction),
        consent=needed(found.consent),
        thanks=needed(found.thanks),
        query_help=text(found.query_help),
        questions=tuple(
            values.ProfileQuestion(
                name=each.name,
                label=needed(each.label),
                help=text(each.help),
                kind=each.kind,
                choices=each.choices,
                required=each.required,
                max_length=each.max_length,
            )
            for each in found.questions
        ),
        conditions=tuple(values.Condition(**condition.model_dump()) for condition in found.conditions),
        retrieval=values.Retrieval(
            **found.retrieval.model_dump(exclude={"corpus"}),
            corpus=None if corpus is None else folder / corpus,
        ),
        generation=values.Generation(**found.generation.model_dump()),
        design=values.Design(**found.design.model_dump()),
        invitations=values.Invitations(**found.invitations.model_dump()),
        languages=found.languages,
        n_queries=found.queries,
        max_query_length=found.max_query_length,
        seed=found.seed,
        contact=found.contact,
        folder=folder,
        source=source,
        digest=hashlib.sha256(source.encode("utf-8")).hexdigest(),
    )


def _repeated(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _last(problem: "ErrorDetails") -> str:
    return _place(problem).rpartition(".")[2]


def _place(problem: "ErrorDetails") -> str:
    return ".".join(str(part) for part in problem["loc"]) or "the file"


ALLOWED = {
    "tuple_type": "a list",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "dict_type": "text, or a table of texts by language",
    "string_too_short": "a text that is not empty",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
    "string_pattern_mismatch": "a text of the form {pattern}",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
    "model_type": "a table",
}
TABLES: dict[str, type[_Table]] = {
    "questions": _Question, "conditions": _Condition, "retrieval": _Retrieval, "generation": _Generation,
    "design": _Design, "invitations": _Invitations,
}  # fmt: skip


def _say(problem: "ErrorDetails") -> str:
    kind, found = problem["type"], problem["input"]
    if kind == "missing":
        return "it is needed"
    if kind == "extra_forbidden":
        table = (
            TABLES.get(_place(problem).partition(".")[0], _StudyFile)
            if len(problem["loc"]) > 1
            else _StudyFile
        )
        known = list(table.model_fields)
        near = get_close_matches(_last(problem), known, n=1)
        meant = f"did you mean {near[0]}?" if near else f"allowed: {', '.join(known)}"
        return f"this key is unknown; {meant}"
    if kind in ALLOWED:
        return f"found {found!r:.{SHOWN}}; allowed: {ALLOWED[kind].format(**problem.get('ctx', {}))}"
    return problem["msg"].removeprefix("Value error, ")
