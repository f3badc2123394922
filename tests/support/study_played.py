"""Studies played in memory, without pages and databases: sessions made by hand, or by simulated readers."""

from collections.abc import Sequence

from tests.support.study_simulation import DEEPSEEK, LLAMA, STRENGTHS, WORDS, SimulatedReader

from gameproof.seeds import rng_for
from gameproof.study.record import (
    NEITHER,
    ComparisonRecord,
    ConditionRecord,
    ReaderRecord,
    SessionRecord,
    StudyRecord,
    SummaryRecord,
)
from gameproof.study.tournament import NEITHER as CANCELLED

CONDITIONS = tuple(
    ConditionRecord(id=f"{model} {'personalised' if persona else 'generic'}", model=model, persona=persona)
    for model, persona in STRENGTHS
)
PLANTED = {
    "Intercept": 0.619,
    f"model_pq = {LLAMA}": -0.833,
    f"model_generic = {LLAMA}": 0.523,
    "round_stage = round1": 0.0,
}
PLANTED_CONTRASTS = {
    "told about the reader": (0.619 + 0.309) / 2,
    f"{DEEPSEEK} rather than {LLAMA}": (0.619 + 0.0 + 0.214 + 0.523) / 2,
    "left": 0.0,
}
BY_WORD = {WORDS[condition.model, condition.persona]: condition for condition in CONDITIONS}


def session(  # noqa: PLR0917 - one reads better in a line
    reader: str, query: int, order: Sequence[str], first: str, second: str, final: str | None
) -> SessionRecord:
    """Make a session of a tournament: labels A to D in the order of conditions, choices as labels or NEITHER."""
    decided = NEITHER not in {first, second}
    return SessionRecord(
        reader=reader,
        query=query,
        text="q",
        documents=(),
        summaries=tuple(
            SummaryRecord(label=label, condition=condition, text="t")
            for label, condition in zip("ABCD", order, strict=True)
        ),
        comparisons=(
            ComparisonRecord(number=1, round="round1", left="A", right="B", choice=first),
            ComparisonRecord(number=2, round="round1", left="C", right="D", choice=second),
            ComparisonRecord(
                number=3,
                round="final",
                left=first if decided else None,
                right=second if decided else None,
                choice=final if decided else None,
                cancelled=None if decided else CANCELLED,
            ),
        ),
    )


def played(seed: int, sessions: Sequence[int], *, spread: float = 0.4) -> StudyRecord:
    """Play a study without a database: the same readers as in `study_simulation`."""
    rows: list[SessionRecord] = []
    for number, n_sessions in enumerate(sessions):
        reader = SimulatedReader(number=number, seed=seed, spread=spread)
        for query in range(1, n_sessions + 1):
            words = rng_for(seed, "order", number, query).permutation(list(BY_WORD)).tolist()
            pick = {"left": 0, "right": 1, "neither": -1}
            one, two = (pick[reader.choose(words[a], words[a + 1], is_final=False)] for a in (0, 2))
            final = None
            winners = ["AB"[one], "CD"[two]] if min(one, two) >= 0 else []
            if winners:
                word_of = dict(zip("ABCD", words, strict=True))
                choice = pick[reader.choose(word_of[winners[0]], word_of[winners[1]], is_final=True)]
                final = winners[choice] if choice >= 0 else NEITHER
            rows.append(
                session(
                    f"reader-{number}", query, [BY_WORD[word].id for word in words],
                    "AB"[one] if one >= 0 else NEITHER, "CD"[two] if two >= 0 else NEITHER, final,
                )
            )  # fmt: skip
    readers = tuple(ReaderRecord(id=f"reader-{number}", answers={}) for number in range(len(sessions)))
    return StudyRecord(
        name="played", conditions=CONDITIONS, readers=readers, sessions=tuple(rows), n_queries=8
    )
