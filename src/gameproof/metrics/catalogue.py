"""The metrics that can be asked for by name, and how names become metrics."""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

from gameproof.errors import SpecError
from gameproof.llm.asking import Asker
from gameproof.metrics.adapters.hosts import host_of, metric_from_host
from gameproof.metrics.against import against, split_choice
from gameproof.metrics.base import Metric, is_pinned
from gameproof.metrics.battery_entries import BATTERY
from gameproof.metrics.bleu import SMOOTHINGS, build_bleu
from gameproof.metrics.bleu import TOKENISERS as BLEU_TOKENISERS
from gameproof.metrics.chrf import build_chrf
from gameproof.metrics.common_options import REFS
from gameproof.metrics.elicitation_entry import ELICITATION
from gameproof.metrics.entries import MetricEntry, MetricOption, Wish, read_wish
from gameproof.metrics.judge_rubrics import DIMENSIONS
from gameproof.metrics.length import UNITS, build_length
from gameproof.metrics.lexical import Order
from gameproof.metrics.llm_calls import Askers, FindAsker, Models, no_asker
from gameproof.metrics.planted_reader import build_planted_reader
from gameproof.metrics.plugins import metric_from_address, metric_from_object, metric_from_package
from gameproof.metrics.reader_entries import READER_METRICS
from gameproof.metrics.rouge import SCORES, build_rouge
from gameproof.metrics.rouge_texts import NEWLINE, TOKENISERS
from gameproof.metrics.spec_text import split_spec
from gameproof.metrics.text_memo import TextMemo
from gameproof.text import SPLITTER

__all__ = ["METRICS", "MetricLike", "build_metrics", "metric", "wanted_models"]

HINT = "`gameproof list metrics` shows every name with its options."
MAX_SHOWN = 8  # a grid of many cells tends to share one problem

MetricLike = str | Metric | Callable[..., object]


@cache
def _sacrebleu_version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - 30 ms that most runs can do without

    return version("sacrebleu")


_LIN = 'C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004'
_CASE = MetricOption(values=("mixed", "lower"), default="mixed", summary="keep capitals, or ignore them")
_ROUGE = {
    "refs": REFS,
    "score": MetricOption(values=SCORES, default="f1", summary="F1, precision or recall", implied=True),
    "stem": MetricOption(
        values=("false", "true"), default="false", summary="reduce English words to their stems"
    ),
    "tok": MetricOption(
        values=tuple(TOKENISERS),
        default="unicode",
        summary="words of every script, or only a-z and 0-9 as rouge-score 0.1.2",
    ),
}
_SPLIT = MetricOption(
    values=(SPLITTER, NEWLINE),
    default=SPLITTER,
    default_if={("tok", "legacy"): NEWLINE},
    summary="where sentences end: by our rules, or only at line breaks as rouge-score 0.1.2",
)
_BLEU = {
    "case": _CASE,
    "refs": REFS,
    "smooth": MetricOption(values=SMOOTHINGS, default="exp", summary="what a count of zero becomes"),
    "tok": MetricOption(values=BLEU_TOKENISERS, default="13a", summary="sacrebleu's tokenisers"),
}
_SACREBLEU = {"sacrebleu": _sacrebleu_version}


def _shows(what: str) -> MetricOption:
    return MetricOption(values=("false", "true"), default="false", summary=f"the judge sees {what}")


def _build_judge(order: Order) -> Metric:
    from gameproof.metrics.judge import build_judge  # noqa: PLC0415 - most runs ask no model

    return build_judge(order)


def _judge_wording(options: Mapping[str, str]) -> Mapping[str, str]:
    from gameproof.metrics.judge import judge_wording  # noqa: PLC0415 - most runs ask no model

    return judge_wording(options)


METRICS: Mapping[str, MetricEntry] = {
    entry.name: entry
    for entry in (
        MetricEntry(
            name="rouge1",
            summary="shared words",
            build=build_rouge,
            options=_ROUGE,
            citation=_LIN,
        ),
        MetricEntry(
            name="rouge2",
            summary="shared pairs of neighbouring words",
            build=build_rouge,
            options=_ROUGE,
            citation=_LIN,
        ),
        MetricEntry(
            name="rougeL",
            summary="longest sequence of words that both texts have in the same order",
            build=build_rouge,
            options=_ROUGE,
            citation=_LIN,
        ),
        MetricEntry(
            name="rougeLsum",
            summary="the same, sentence by sentence and united",
            build=build_rouge,
            options={**_ROUGE, "split": _SPLIT},
            citation=_LIN,
        ),
        MetricEntry(
            name="bleu",
            summary="shared sequences of up to four words, from 0 to 100; short candidates lose",
            build=build_bleu,
            options=_BLEU,
            pins=_SACREBLEU,
            citation='K. Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation", 2002',
        ),
        MetricEntry(
            name="chrf",
            summary="shared sequences of up to six characters, from 0 to 100",
            build=build_chrf,
            options={"case": _CASE, "refs": REFS},
            pins=_SACREBLEU,
            citation='M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", 2015',
        ),
        MetricEntry(
            name="chrf++",
            summary="chrF with single words and pairs of words",
            build=build_chrf,
            options={"case": _CASE, "refs": REFS},
            pins=_SACREBLEU,
            aliases=("chrfpp",),
            citation='M. Popović, "chrF++: words helping character n-grams", 2017',
        ),
        MetricEntry(
            name="length",
            summary="how long the candidate is: the straw man that every audit must see through",
            build=build_length,
            needs=frozenset(),
            options={
                "unit": MetricOption(values=tuple(UNITS), default="words", summary="what is counted"),
            },
            citation="none",
        ),
        MetricEntry(
            name="judge",
            summary="a language model grades the candidate on one dimension, from 1 to the highest of the scale",
            build=_build_judge,
            options={
                "scale": MetricOption(values=("10", "5"), default="10", summary="the highest grade"),
                "dimension": MetricOption(
                    values=tuple(DIMENSIONS), default="overall", summary="what is graded"
                ),
                "style": MetricOption(
                    values=("score", "annotator"),
                    default="score",
                    summary="as a grader, or with a hired annotator's sheet",
                ),
                "refs": MetricOption(
                    values=("all", "first", "none"), default="all", summary="the references the judge sees"
                ),
                "source": _shows("the source"),
                "query": _shows("what the text was written for"),
                "persona": _shows("for whom the text was written"),
                "expectation": MetricOption(
                    values=("false", "true"),
                    default="false",
                    summary="the mean of all grades by the probabilities of their tokens",
                ),
                "samples": MetricOption(
                    values=(), kind="count", default="1", summary="answers asked for each text, averaged"
                ),
                "temperature": MetricOption(values=(), kind="degree", default="0", summary="of the model"),
                "llm": MetricOption(values=("",), kind="text", default="", summary="the model that judges"),
            },
            wordings=_judge_wording,
            cost="llm",
            citation='L. Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", 2023',
        ),
        MetricEntry(
            name="planted-reader",
            summary="the truth of planted data: what a perfect reader of it finds of the references; -1 to 1",
            build=build_planted_reader,
            options={"refs": replace(REFS, default="mean")},
            citation="none",
        ),
        ELICITATION,
        *BATTERY,
        *READER_METRICS,
    )
}
_BY_NAME = {name: entry for entry in METRICS.values() for name in (entry.name, *entry.aliases)}


def metric(wanted: MetricLike, *, seed: int = 0, llm: Models = None) -> Metric:
    """Make one metric of its text, of a function of an `Item`, or of a metric.

    Raises:
        SpecError: The text names no metric, or an option is not legal.

    Example:
        >>> metric("rougeL,stem=true").name
        'rougeL,stem=true'
    """
    return build_metrics([wanted], seed=seed, llm=llm)[0]


def build_metrics(wanted: Sequence[MetricLike], *, seed: int = 0, llm: Models = None) -> list[Metric]:
    """Make the metrics of one run; the built-in ones share their work on each text.

    A text is ``name,key=value,...`` from the catalogue, a cell of the design space
    (``TV+fvar+statement+overlap``), ``module:name`` for a Python object, ``HOST:name`` for a metric of
    another library, a program or a server, or ``distribution/metric`` for one that an installed package
    offers. A Python function receives an `Item`. What is asked for twice is made once. In any text
    ``reference=title|source`` puts that text of each item in the place of its references.

    Args:
        wanted: Texts, metrics, or functions of an `Item`.
        seed: Of what metrics draw (negative references), unless their text has a seed of its own.
        llm: The language model for metrics that ask one, or a function that finds models by the name a
            metric's text has for them (``llm=NAME``; None where it has none).

    Raises:
        SpecError: Names everything that cannot be used, with what was probably meant.

    Example:
        >>> [metric.name for metric in build_metrics(["rouge1", "chrfpp"])]
        ['rouge1', 'chrf++']
    """
    if not wanted:
        raise SpecError("no metric is named.", hint=HINT)
    memo, askers = TextMemo(), Askers(llm)
    problems: list[str] = []
    found: list[Wish | Metric] = []
    choices: list[str | None] = []  # reference=
    for thing in [wanted] if isinstance(wanted, str) else wanted:
        text, choice = split_choice(thing) if isinstance(thing, str) else (thing, None)
        try:
            found.append(
                _read(text, seed, memo, askers.find) if isinstance(text, str) else metric_from_object(text)
            )
            choices.append(choice)
        except SpecError as error:
            shown = thing if isinstance(thing, str) else repr(thing)
            problems.append(": ".join([shown, str(error).replace("\n", " ")]))
        except OSError as error:
            problems.append(f"{thing}: {_unreadable(error)}")
    if problems:
        raise _all_problems(problems)
    splits = {
        wish.options["tok"]: wish.options["split"]
        for wish in found
        if isinstance(wish, Wish) and "split" in wish.options
    }
    built = [_build(thing, memo, splits, seed) if isinstance(thing, Wish) else thing for thing in found]
    return _without_repeats(
        [
            metric if choice is None else against(metric, choice)
            for metric, choice in zip(built, choices, strict=True)
        ]
    )


def wanted_models(wanted: Iterable[MetricLike]) -> frozenset[str | None]:
    """Return the names that metric texts have for language models; None for those that name none.

    Example:
        >>> sorted(map(str, wanted_models(["rouge1", "judge,llm=a", "TV+fvar+report+oracle"])))
        ['None', 'a']
    """
    found: set[str | None] = set()

    def note(metric: str, llm: str | None) -> Asker:
        found.add(llm)
        return no_asker(metric, llm)

    for text in wanted:
        if isinstance(text, str):
            with suppress(SpecError):
                _read_named(split_choice(text)[0], 0, TextMemo(), note)
    return frozenset(found)


def _read(text: str, seed: int, memo: TextMemo, ask: FindAsker) -> Wish | Metric:
    """Find out which kind of name a text is; the catalogue comes first."""
    spec = split_spec(text)
    host = host_of(spec.head)
    if host is not None:
        return metric_from_host(host, spec.head, spec.options)
    named = _read_named(text, seed, memo, ask)
    if named is not None:
        return named
    if ":" in spec.head:
        return metric_from_address(spec.head, spec.options)
    if "/" in spec.head:
        return metric_from_package(spec.head, spec.options)
    raise SpecError(f"there is no such metric{_guess(spec.head)}")


def _read_named(text: str, seed: int, memo: TextMemo, ask: FindAsker) -> Wish | Metric | None:
    """Read a name of the catalogue or of the design space."""
    spec = split_spec(text)
    entry = _BY_NAME.get(spec.head)
    if entry is not None:
        wish = read_wish(entry, spec.options)
        if entry.find_asker is not None:
            return replace(wish, asker=entry.find_asker(entry.name, wish.options, ask))
        if entry.cost != "llm":
            return wish
        return replace(wish, asker=ask(entry.name, wish.options.get("llm")))
    from gameproof.fmi.spec import is_spec  # noqa: PLC0415 - runs without such a metric do not need it

    if is_spec(text):
        from gameproof.metrics.fmi import build_fmi  # noqa: PLC0415 - the same

        return build_fmi(text, seed=seed, memo=memo, ask=ask)
    return None


def _build(wish: Wish, memo: TextMemo, splits: Mapping[str, str], seed: int) -> Metric:
    try:
        return wish.entry.build(wish.order(memo, splits, seed))
    except OSError as error:
        raise SpecError(f"{wish.entry.name}: {_unreadable(error)}", hint=HINT) from error


def _unreadable(error: OSError) -> str:
    """Say which of a metric's files or folders the system refuses: a name too long, no right to read."""
    return f"cannot read {error.filename}: {error.strerror}"


def _guess(name: str) -> str:
    lowered = {known.casefold(): entry.name for known, entry in _BY_NAME.items()}
    close = difflib.get_close_matches(name.casefold(), lowered, n=3)
    guesses = list(dict.fromkeys(lowered[match] for match in close))
    return f"; did you mean {' or '.join(guesses)}?" if guesses else ""


def _all_problems(problems: Sequence[str]) -> SpecError:
    if len(problems) == 1:
        return SpecError(problems[0], hint=HINT)
    shown = "\n".join(f"  {problem}" for problem in problems[:MAX_SHOWN])
    rest = f"\n  and {len(problems) - MAX_SHOWN:,} more" if len(problems) > MAX_SHOWN else ""
    return SpecError(f"{len(problems):,} metrics cannot be used:\n{shown}{rest}", hint=HINT)


def _without_repeats(metrics: Sequence[Metric]) -> list[Metric]:
    """Keep one metric of each name; different metrics of one name could not be told apart in any result."""
    kept: dict[str, Metric] = {}
    for metric in metrics:
        if not _is_same(kept.setdefault(metric.name, metric), metric):
            raise SpecError(
                f"2 different metrics are called {metric.name!r}.",
                hint="Give each its own name: as_metric(function, name=...).",
            )
    return list(kept.values())


def _is_same(first: Metric, second: Metric) -> bool:
    """Say whether two metrics of one name give the same numbers; without a version only the object tells."""
    signature = first.signature()
    return signature == second.signature() and (is_pinned(signature) or first == second)
