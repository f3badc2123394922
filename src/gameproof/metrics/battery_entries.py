"""Rows of the catalogue: the battery, beyond the lexical metrics and the judge."""

from collections.abc import Callable, Mapping
from importlib import import_module

from gameproof.metrics.base import Metric
from gameproof.metrics.cider import CIDER_REFS, build_cider
from gameproof.metrics.common_options import LLM, REFS
from gameproof.metrics.corpus_pin import CORPUS
from gameproof.metrics.entries import MetricEntry, MetricOption
from gameproof.metrics.lexical import Order
from gameproof.metrics.local_files import weights_pin
from gameproof.metrics.meteor import COMPATIBLE as METEOR_COMPATIBLE
from gameproof.metrics.meteor import build_meteor, meteor_versions
from gameproof.metrics.reader_entries import NEEDS_OPTION
from gameproof.metrics.rouge import SCORES
from gameproof.metrics.surface import COMPATIBLE, LENGTHS, build_copied, build_novel, build_repeated
from gameproof.metrics.syntax_rules import RATIOS, STRUCTURES

__all__ = ["BATTERY"]

_GRUSKY = 'M. Grusky, M. Naaman, Y. Artzi, "Newsroom: A Dataset of 1.3 Million Summaries", 2018'
_FABBRI = 'A. Fabbri et al., "SummEval: Re-evaluating Summarization Evaluation", 2021'
_INFORMATION_SATISFACTION = '"Information Satisfaction", arXiv:2608.14457, 2026'
_SOURCE = frozenset({"source"})
_NEWSROOM = {
    "compat": MetricOption(
        values=COMPATIBLE,
        default="none",
        summary="newsroom: the value of that paper's code, which can miss the longest shared run",
    )
}
_SPACY_MODEL = MetricOption(
    values=("en_core_web_sm",),
    kind="text",
    default="en_core_web_sm",
    summary="a spaCy model: an installed package or a folder",
)
_NGRAM = {"n": MetricOption(values=LENGTHS, default="1", summary="words in a row that are looked at")}


def _later(module: str, builder: str) -> Callable[[Order], Metric]:
    """Return a builder whose module is loaded when it is first asked for."""

    def build(order: Order) -> Metric:
        make: Callable[[Order], Metric] = getattr(import_module(f"gameproof.metrics.{module}"), builder)
        return make(order)

    return build


def _parser_pin(options: Mapping[str, str]) -> Mapping[str, str]:
    from gameproof.metrics.syntax import parser_pin  # noqa: PLC0415 - most runs parse nothing

    return parser_pin(options)


def _summaqa_pins(options: Mapping[str, str]) -> Mapping[str, str]:
    return {**weights_pin(options), **_parser_pin(options)}


def _share_wordings(kind: str) -> Callable[[Mapping[str, str]], Mapping[str, str]]:
    def wordings(options: Mapping[str, str]) -> Mapping[str, str]:
        from gameproof.metrics.persona import share_wordings  # noqa: PLC0415 - most runs ask no model

        return share_wordings(kind, options)

    return wordings


def _folder(kind: str) -> MetricOption:
    return MetricOption(values=("",), kind="text", default="", summary=f"the folder of {kind}")


_SURFACE = (
    MetricEntry(
        name="coverage",
        summary="share of the candidate's words that stand in runs copied from the source",
        build=build_copied,
        needs=_SOURCE,
        options=_NEWSROOM,
        citation=_GRUSKY,
    ),
    MetricEntry(
        name="density",
        summary="mean length of the copied run that a word of the candidate stands in",
        build=build_copied,
        needs=_SOURCE,
        options=_NEWSROOM,
        citation=_GRUSKY,
    ),
    MetricEntry(
        name="compression",
        summary="words of the source for each word of the candidate",
        build=build_copied,
        needs=_SOURCE,
        citation=_GRUSKY,
    ),
    MetricEntry(
        name="novel",
        summary="share of the candidate's different words (n=2, n=3: sequences) that the source lacks",
        build=build_novel,
        needs=_SOURCE,
        options=_NGRAM,
        citation=_FABBRI,
    ),
    MetricEntry(
        name="repeated",
        summary="share of the candidate's different words (n=2, n=3: sequences) that it says twice or more",
        build=build_repeated,
        needs=frozenset(),
        options=_NGRAM,
        citation=_FABBRI,
    ),
)

_REFERENCES = (
    MetricEntry(
        name="meteor",
        summary="shared words, stems and synonyms (from WordNet's files), with a penalty for another order",
        build=build_meteor,
        options={
            "refs": REFS,
            "compat": MetricOption(
                values=METEOR_COMPATIBLE,
                default="none",
                summary="nltk: the value of NLTK, which looks up the synonyms of stems",
            ),
            "data": MetricOption(
                values=("",), kind="text", default="", summary="the folder with the files of WordNet"
            ),
        },
        wordings=meteor_versions,
        citation='S. Banerjee, A. Lavie, "METEOR: An Automatic Metric for MT Evaluation", 2005',
    ),
    MetricEntry(
        name="cider-d",
        summary="shared sequences of up to four words, from 0 to 10; those that few tasks have weigh most",
        build=build_cider,
        needs=frozenset({"references", "pool"}),
        options={
            "refs": MetricOption(
                values=CIDER_REFS, default="mean", summary="the mean over all references, or the first one"
            ),
            "corpus": CORPUS,
        },
        citation='R. Vedantam et al., "CIDEr: Consensus-based Image Description Evaluation", 2015',
    ),
)

_LOCAL = (
    MetricEntry(
        name="syntax",
        summary="one of nine counts of structures (words, clauses, T-units ...) or of Lu's 14 ratios; English only",
        build=_later("syntax", "build_syntax"),
        needs=frozenset(),
        options={
            "measure": MetricOption(
                values=(*RATIOS, *STRUCTURES),
                default="MLS",
                summary="a ratio (MLS: words a sentence) or a count",
            ),
            "model": _SPACY_MODEL,
        },
        wordings=_parser_pin,
        extra="syntax",
        cost="local model",
        citation='X. Lu, "Automatic analysis of syntactic complexity in second language writing", 2010',
    ),
    MetricEntry(
        name="bertscore",
        summary="each token held against the most similar one of the other text, by an encoder's vectors",
        build=_later("bertscore", "build_bertscore"),
        options={
            "model": _folder("an encoder"),
            "layer": MetricOption(
                values=("",), kind="count", default="", summary="whose output is taken; the last one if unset"
            ),
            "idf": MetricOption(
                values=("false", "true"),
                default="false",
                summary="weigh tokens by how few references have them",
            ),
            "refs": REFS,
            "score": MetricOption(
                values=SCORES, default="f1", summary="F1, precision or recall", implied=True
            ),
            "corpus": CORPUS,
        },
        wordings=weights_pin,
        extra="local",
        cost="local model",
        citation='T. Zhang et al., "BERTScore: Evaluating Text Generation with BERT", 2020',
    ),
    MetricEntry(
        name="supert",
        summary="the candidate held against the first sentences of its source, by an encoder's vectors",
        build=_later("supert", "build_supert"),
        needs=_SOURCE,
        options={
            "model": _folder("an encoder of sentences"),
            "top": MetricOption(values=(), kind="count", default="15", summary="sentences of the source"),
        },
        wordings=weights_pin,
        extra="local",
        cost="local model",
        citation='Y. Gao, W. Zhao, S. Eger, "SUPERT: Towards New Frontiers in Unsupervised Evaluation", 2020',
    ),
    MetricEntry(
        name="blanc",
        summary="how much better a model guesses masked words of the source when it has the candidate",
        build=_later("blanc", "build_blanc"),
        needs=_SOURCE,
        options={
            "form": MetricOption(
                values=("help", "tune"), default="help", summary="the candidate is read beside, or learnt"
            ),
            "gap": MetricOption(values=(), kind="count", default="2", summary="every which token is masked"),
            "model": _folder("a masked language model"),
            "seed": MetricOption(values=(), kind="whole", default="0", summary="of what is masked in tuning"),
        },
        wordings=weights_pin,
        extra="local",
        cost="local model",
        citation='O. Vasilyev, V. Dharnidharka, J. Bohannon, "Fill in the BLANC", 2020',
    ),
    MetricEntry(
        name="summaqa",
        summary="how many masked names and numbers of the source are found in the candidate; English only",
        build=_later("summaqa", "build_summaqa"),
        needs=_SOURCE,
        options={
            "entities": _SPACY_MODEL,
            "model": _folder("a model for extractive questions"),
            "score": MetricOption(
                values=("f1", "probability"), default="f1", summary="of answers: their words, or their chance"
            ),
        },
        wordings=_summaqa_pins,
        extra="local",
        cost="local model",
        citation='T. Scialom et al., "Answers Unite! Unsupervised Metrics for Reinforced Summarization", 2019',
    ),
)

_ASKING = (
    MetricEntry(
        name="factscore",
        summary="share of the candidate's statements that its source, or its references, support",
        build=_later("persona", "build_share"),
        needs=frozenset({"source", "llm"}),
        options={
            "against": MetricOption(
                values=("source", "references"), default="source", summary="what must support the statements"
            ),
            "llm": LLM,
        },
        wordings=_share_wordings("factscore"),
        cost="llm",
        citation='S. Min et al., "FActScore: Fine-grained Atomic Evaluation of Factual Precision", 2023',
    ),
    MetricEntry(
        name="persona_precision",
        summary="share of the candidate's statements that are of use to the reader it is for",
        build=_later("persona", "build_share"),
        needs=frozenset({"persona", "llm"}),
        options={"llm": LLM},
        wordings=_share_wordings("persona_precision"),
        cost="llm",
        citation=_INFORMATION_SATISFACTION,
    ),
    MetricEntry(
        name="persona_recall",
        summary="share of what the reader needs of the source that the candidate tells",
        build=_later("persona", "build_share"),
        needs=frozenset({"persona", "query", "source", "llm"}),
        options={"needs": NEEDS_OPTION, "llm": LLM},
        wordings=_share_wordings("persona_recall"),
        cost="llm",
        citation=_INFORMATION_SATISFACTION,
    ),
)

BATTERY: tuple[MetricEntry, ...] = (*_REFERENCES, *_SURFACE, *_ASKING, *_LOCAL)
