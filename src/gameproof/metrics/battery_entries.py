"""Rows of the catalogue: the battery, beyond the lexical metrics and the judge."""

from gameproof.metrics.cider import CIDER_REFS, build_cider
from gameproof.metrics.common_options import REFS
from gameproof.metrics.entries import MetricEntry, MetricOption
from gameproof.metrics.meteor import COMPATIBLE as METEOR_COMPATIBLE
from gameproof.metrics.meteor import build_meteor, meteor_versions
from gameproof.metrics.surface import COMPATIBLE, LENGTHS, build_copied, build_novel, build_repeated

__all__ = ["BATTERY"]

_GRUSKY = 'M. Grusky, M. Naaman, Y. Artzi, "Newsroom: A Dataset of 1.3 Million Summaries", 2018'
_FABBRI = 'A. Fabbri et al., "SummEval: Re-evaluating Summarization Evaluation", 2021'
_SOURCE = frozenset({"source"})
_NEWSROOM = {
    "compat": MetricOption(
        values=COMPATIBLE,
        default="none",
        summary="newsroom: the value of that paper's code, which can miss the longest shared run",
    )
}
_NGRAM = {"n": MetricOption(values=LENGTHS, default="1", summary="words in a row that are looked at")}


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
            "corpus": MetricOption(
                values=("",),
                kind="text",
                default="",
                summary="the digest of the references that weights come from, as a signature has it",
            ),
        },
        citation='R. Vedantam et al., "CIDEr: Consensus-based Image Description Evaluation", 2015',
    ),
)

BATTERY: tuple[MetricEntry, ...] = (*_REFERENCES, *_SURFACE)
