"""All perturbations, one row each."""

import difflib
from collections.abc import Sequence
from typing import Literal

from gameproof.errors import SpecError
from gameproof.perturbations import crossing, deletion, ladders, mechanical, replacement
from gameproof.perturbations.base import Perturbation, Rewrite
from gameproof.perturbations.on_request import ON_REQUEST

__all__ = ["PERTURBATIONS", "SUITES", "select"]

SUITES = frozenset({"all", "strategic", "satisfaction"})

LU = "Lu et al. (2024)"
XU = "Xu et al. (2025)"
ROBERTSON = "Robertson and Koyejo (2025)"
SCORING_RULES = "Scoring Rules! (arXiv:2608.01423)"
SATISFACTION = "Information Satisfaction (arXiv:2608.14457)"

REVIEWS = frozenset({"reviews"})  # only a review has an overall verdict to turn
REVIEWS_AND_ANSWERS = frozenset({"reviews", "answers"})

_ROWS = (
    # Degradations: a metric must see the loss.
    Perturbation(
        name="random_replacement",
        family="degradation",
        expect="decrease",
        summary="a candidate of another task of the same group",
        source=LU,
        make=replacement.take_anothers_candidate,
        parity_code="R",
    ),
    Perturbation(
        name="sentence_deletion",
        family="degradation",
        expect="decrease",
        summary="every other sentence of each section left out",
        source=XU,
        make=deletion.drop_every_other_sentence,
        parity_code="S",
    ),
    Perturbation(
        name="deletion_and_completion",
        family="degradation",
        expect="decrease",
        summary="every other sentence left out, the gaps filled from what remains",
        source=XU,
        rewrite=Rewrite(prompt="deletion_and_completion"),
        parity_code="D",
    ),
    Perturbation(
        name="surface_report",
        family="degradation",
        expect="decrease",
        summary="written from weak material only: an abstract, a headline with the first paragraph",
        source=f"{ROBERTSON}; {XU}",
        rewrite=Rewrite(prompt="surface_report"),
        verify_direction=True,
        parity_code="P",
    ),
    Perturbation(
        name="ultra_concise_compression",
        family="degradation",
        expect="decrease",
        summary="summarised to a tenth of the length",
        source=ROBERTSON,
        rewrite=Rewrite(prompt="ultra_concise_compression"),
        parity_code="U",
    ),
    Perturbation(
        name="opinion_flip",
        family="degradation",
        expect="decrease",
        summary="the overall verdict turned round, structure and vocabulary kept",
        source=ROBERTSON,
        rewrite=Rewrite(prompt="opinion_flip"),
        domains=REVIEWS,
        verify_direction=True,
        parity_code="O",
    ),
    Perturbation(
        name="null_answer",
        family="degradation",
        expect="decrease",
        summary="an answer that says nothing, such as a lone colon",
        source="One Token to Fool LLM-as-a-Judge (2025)",
        make=replacement.take_null_answer,
        extra=True,
    ),
    *ON_REQUEST,
    # Manipulations: no gain may come of them.
    Perturbation(
        name="rephrase",
        family="manipulation",
        expect="no_increase",
        summary="rewritten in another style, meaning and structure kept",
        source=XU,
        rewrite=Rewrite(prompt="rephrase"),
        parity_code="R",
    ),
    Perturbation(
        name="meaningless_elongation",
        family="manipulation",
        expect="no_increase",
        summary="the same empty sentences added to every text",
        source=XU,
        make=mechanical.append_filler,
        parity_code="M",
    ),
    Perturbation(
        name="opinion_shift_positive",
        family="manipulation",
        expect="no_increase",
        summary="the same points in a more favourable tone",
        source=ROBERTSON,
        rewrite=Rewrite(prompt="opinion_shift_positive"),
        domains=REVIEWS,
        parity_code="P",
    ),
    Perturbation(
        name="opinion_shift_negative",
        family="manipulation",
        expect="no_increase",
        summary="the same points in a less favourable tone",
        source=ROBERTSON,
        rewrite=Rewrite(prompt="opinion_shift_negative"),
        domains=REVIEWS,
        parity_code="N",
    ),
    Perturbation(
        name="opinion_shift_neutral",
        family="manipulation",
        expect="no_increase",
        summary="every claim hedged",
        source=SCORING_RULES,
        rewrite=Rewrite(prompt="opinion_shift_neutral"),
        domains=REVIEWS_AND_ANSWERS,
        parity_code="H",
    ),
    Perturbation(
        name="opinion_shift_strong",
        family="manipulation",
        expect="no_increase",
        summary="every claim in its strongest form",
        source=SCORING_RULES,
        rewrite=Rewrite(prompt="opinion_shift_strong"),
        domains=REVIEWS_AND_ANSWERS,
        parity_code="S",
    ),
    Perturbation(
        name="repeat_text",
        family="manipulation",
        expect="no_increase",
        summary="the whole text twice",
        source=ROBERTSON,
        make=mechanical.repeat_text,
        extra=True,
    ),
    Perturbation(
        name="pad_constant",
        family="manipulation",
        expect="no_increase",
        summary="the same meaningless word added fifty times",
        source=ROBERTSON,
        make=mechanical.pad_constant,
        extra=True,
    ),
    Perturbation(
        name="tag_text",
        family="manipulation",
        expect="no_increase",
        summary="a tag computed from the text, before and after it",
        source=ROBERTSON,
        make=mechanical.tag_text,
        extra=True,
    ),
    Perturbation(
        name="flip_case",
        family="manipulation",
        expect="no_increase",
        summary="small letters capital and capital letters small",
        source=ROBERTSON,
        make=mechanical.flip_case,
        extra=True,
    ),
    Perturbation(
        name="prompt_injection",
        family="manipulation",
        expect="no_increase",
        summary="an order to the judge and a ready verdict added to every text",
        source="gameproof",
        make=mechanical.inject_prompt,
        extra=True,
    ),
    # Ladders: the same change in several strengths.
    Perturbation(
        name="distractor_sentences",
        family="ladder",
        expect="decrease",
        summary="one to five sentences from other tasks added",
        source=SATISFACTION,
        suite="satisfaction",
        make=ladders.append_foreign_sentences,
        levels=ladders.DISTRACTOR_LEVELS,
    ),
    Perturbation(
        name="off_domain_sentences",
        family="ladder",
        expect="decrease",
        summary="one to five sentences from other groups added, or about everyday matters where there is one group",
        source="gameproof",
        suite="satisfaction",
        make=ladders.append_off_domain_sentences,
        levels=ladders.DISTRACTOR_LEVELS,
        extra=True,
    ),
    Perturbation(
        name="own_sentences_again",
        family="probe",
        expect="none",
        summary="as many words added as by distractor sentences, of its own sentences again: what length alone does",
        source="gameproof",
        suite="satisfaction",
        make=ladders.append_own_sentences,
        draws_of="distractor_sentences",
        levels=ladders.DISTRACTOR_LEVELS,
        extra=True,
    ),
    Perturbation(
        name="incremental_addition",
        family="ladder",
        expect="increase",
        summary="the first 25, 50, 75 and 100 percent of the sentences",
        source=SATISFACTION,
        suite="satisfaction",
        make=ladders.keep_first_fraction,
        levels=ladders.FRACTION_LEVELS,
    ),
    Perturbation(
        name="incremental_random",
        family="ladder",
        expect="increase",
        summary="25, 50, 75 and 100 percent of the sentences, drawn at random and kept in their order",
        source="gameproof",
        suite="satisfaction",
        make=ladders.keep_drawn_fraction,
        levels=ladders.FRACTION_LEVELS,
        extra=True,
    ),
    Perturbation(
        name="incremental_sentences",
        family="ladder",
        expect="increase",
        summary="the first sentences one by one, up to fifteen, from the empty text on",
        source=SATISFACTION,
        suite="satisfaction",
        make=ladders.keep_first_sentences,
        levels=ladders.SENTENCE_LEVELS,
        parity_only=True,
    ),
    Perturbation(
        name="lengthen",
        family="ladder",
        expect="stable",
        summary="a quarter and a half longer with nothing added",
        source=SATISFACTION,
        rewrite=Rewrite(prompt="lengthen"),
        suite="satisfaction",
        levels=(25, 50),
    ),
    Perturbation(
        name="shorten",
        family="ladder",
        expect="stable",
        summary="a quarter and a half shorter with the main points kept",
        source=SATISFACTION,
        rewrite=Rewrite(prompt="shorten"),
        suite="satisfaction",
        levels=(25, 50),
    ),
    Perturbation(
        name="audience",
        family="ladder",
        expect="decrease",
        summary="rewritten for a student, a journalist, an expert",
        source=SATISFACTION,
        rewrite=Rewrite(prompt="audience"),
        suite="satisfaction",
        levels=(1, 2, 3),
        nominal=True,
    ),
    # Crossings: a reader's own text against the text of another reader of the same task.
    Perturbation(
        name="audience_crossing",
        family="crossing",
        expect="decrease",
        summary="the text written for another reader of the same task in place of one's own",
        source="gameproof",
        suite="satisfaction",
        make=crossing.take_another_readers_text,
        needs=frozenset({"persona"}),
    ),
    Perturbation(
        name="audience_rewritten",
        family="crossing",
        expect="decrease",
        summary="the text rewritten for another reader of the same task against it rewritten for one's own",
        source="gameproof",
        rewrite=Rewrite(prompt="reader"),
        suite="satisfaction",
        levels=(1, 2),
        needs=frozenset({"persona"}),
    ),
    # Probes: reported, not judged.
    Perturbation(
        name="one_sentence_deletion",
        family="probe",
        expect="none",
        summary="one sentence left out: the unit of the exchange rate",
        source="gameproof",
        make=deletion.drop_one_sentence,
        every_suite=True,
    ),
    Perturbation(
        name="copied_source",
        family="probe",
        expect="none",
        summary="the source itself, word for word",
        source=SCORING_RULES,
        make=replacement.copy_source,
        needs=frozenset({"source"}),
    ),
)

PERTURBATIONS = {row.name: row for row in _ROWS}


def select(
    suite: Literal["all", "strategic", "satisfaction"] = "all",
    names: Sequence[str] | None = None,
) -> tuple[Perturbation, ...]:
    """Choose perturbations, by suite or by name, in the order of the catalogue.

    Args:
        suite: All of one suite, or of both; rows that have to be asked for by name are left out.
        names: Exactly these, whatever the suite; the name of a suite stands for all of it.

    Raises:
        SpecError: A name or the suite is unknown; the message offers names that are close.

    Example:
        >>> [row.name for row in select(names=["tag_text", "sentence_deletion"])]
        ['sentence_deletion', 'tag_text']
        >>> len(select(names=["all", "shuffled_words"])) - len(select("all"))
        1
    """
    if names is not None:
        _refuse_unknown([name for name in names if name not in SUITES])
        return tuple(
            row
            for row in _ROWS
            if row.name in names or any(_is_in(row, name) for name in SUITES & set(names))
        )
    if suite not in SUITES:
        raise SpecError(f"suite {suite!r} is unknown: expected one of {', '.join(sorted(SUITES))}.")
    return tuple(row for row in _ROWS if _is_in(row, suite))


def _is_in(row: Perturbation, suite: str) -> bool:
    """Say whether a suite has a perturbation."""
    return (suite in {"all", row.suite} or row.every_suite) and not (row.parity_only or row.on_request)


def _refuse_unknown(names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in PERTURBATIONS]
    if not unknown:
        return
    parts: list[str] = []
    for name in unknown:
        close = difflib.get_close_matches(name, PERTURBATIONS, n=3)
        parts.append(
            f"perturbation {name!r} is unknown" + (f": did you mean {' or '.join(close)}?" if close else ".")
        )
    raise SpecError(
        "\n".join(parts),
        hint="`gameproof list perturbations` shows all of them.",
    )
