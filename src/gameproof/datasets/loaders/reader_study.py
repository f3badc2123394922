"""The released layout of a reader study ("Information Satisfaction"): choices in a bracket of four summaries."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from gameproof.datasets.loaders.base import (
    BadRecord,
    LeftOut,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    each,
    listed,
    text,
)

__all__ = ["READER_STUDY"]

# Round of the bracket -> its two summaries; the final is between the winners.
FIRST_ROUND: Mapping[str, tuple[str, str]] = {"round1_ab": ("A", "B"), "round1_cd": ("C", "D")}
FINAL = "final"
NEITHER = "N"
NEEDS = ("info_needs", "information_needs", "needs")


def _is_reader(record: Record) -> bool:
    """Say whether a record is what one reader did: queries with what was chosen, and nothing of texts or marks."""
    queries = record.get("annotations")
    return isinstance(queries, list) and ("token" in record or "pre_task_answers" in record)


def _annotator(record: Record, _count: int, place: Place) -> Iterator[Row | LeftOut]:
    """Read results/annotator-*.json: the queries of one reader, with what was chosen."""
    reader = str(record.get("token") or place.path.stem)
    persona = _persona(record)
    for query in listed(record, "annotations"):
        summaries = query.get("summaries")
        if not summaries:
            yield LeftOut("queries without summaries, which the reader gave up")
            continue
        for name, pair, choice in _choices(query):
            yield {
                "task_id": f"{reader}/{query.get('query_index', 0)}",
                "group": reader,
                "question": text(query, "query"),
                "source": None,
                "candidate_a": text(summaries, pair[0]),
                "candidate_b": text(summaries, pair[1]),
                "candidate_a_id": _condition(query, pair[0]),
                "candidate_b_id": _condition(query, pair[1]),
                "references": [],
                "preference": choice,
                "annotator": reader,
                "round": name,
                **({"persona": persona} if persona else {}),
            }


def _choices(query: Record) -> Iterator[tuple[str, tuple[str, str], str]]:
    """Yield each choice that was made: its round, the two summaries, and a, b or tie.

    Where a first round has no winner there was no final; a winner of the bracket that met nobody is no choice.
    """
    winners: list[str] = []
    for name, pair in FIRST_ROUND.items():
        winner = query.get(name)
        if winner is None:
            continue
        yield name, pair, _choice(name, pair, winner)
        if winner in pair:
            winners.append(str(winner))
    final = query.get(FINAL)
    if final is not None and len(winners) == 2:
        yield FINAL, (winners[0], winners[1]), _choice(FINAL, (winners[0], winners[1]), final)


def _choice(name: str, pair: tuple[str, str], winner: object) -> str:
    if winner == NEITHER:
        return "tie"
    if winner not in pair:
        raise BadRecord(f"{name!r} is {winner!r}", f"{pair[0]}, {pair[1]} or {NEITHER}")
    return "a" if winner == pair[0] else "b"


def _condition(query: Record, letter: str) -> str:
    """Name what made a summary: its model, and whether it was told who the reader is."""
    metadata = cast("Mapping[str, Any]", query.get("metadata") or {})
    about = cast("Mapping[str, Any]", metadata.get(letter) or {})
    if not about:
        return letter
    told = "personalised" if about.get("has_pre_question") else "generic"
    return f"{about.get('model', letter)} ({told})"


def _persona(record: Record) -> dict[str, str]:
    answers = cast("Mapping[str, Any]", record.get("pre_task_answers") or {})
    needs = next((answers[key] for key in NEEDS if answers.get(key)), None)
    found = {"role": answers.get("role"), "domain": answers.get("domain"), "needs": needs}
    return {key: str(value) for key, value in found.items() if value}


READER_STUDY = PublicDataset(
    name="reader_study",
    title="A reader study in the layout of Information Satisfaction",
    contains="four summaries for each query of a reader, chosen between in two rounds; neither is a tie",
    domain="summaries",
    licence="as its study says",
    size="the paper's: 140 sessions of 20 readers",
    where="the authors of arXiv:2608.14457; `gameproof study export` writes the same layout for studies of your own",
    cite="Information Satisfaction (arXiv:2608.14457)",
    groups="own",
    group_rule="the reader",
    shapes=(
        Shape(
            looks="a folder with users.json and results/annotator-*.json: token, pre_task_answers and annotations, each "
            "with query, summaries (A to D), round1_ab, round1_cd and final",
            fits=_is_reader,
            convert=each(_annotator),
            kind="comparisons",
            files=("results/*.json", "annotator-*.json"),
        ),
    ),
)
