"""Make `version_1.db`: a study's database as version 0001 of its tables wrote it, with one reader half way through.

    python tests/data/study/make_version_1.py

The file is committed and not made again: tests open it as a file that an older gameproof left behind.
"""

import json
from pathlib import Path

import sqlalchemy as sa

from gameproof.study.migrations import migrate
from gameproof.study.study_file import new_study_text

TARGET = Path(__file__).with_name("version_1.db")
POSITIONS = ["central-generic", "lead-personalised", "lead-generic", "central-personalised"]
SCHEDULE = [
    {"number": 1, "round": "round1", "left": 0, "right": 1},
    {"number": 2, "round": "round1", "left": 2, "right": 3},
    {"number": 3, "round": "final", "left": "w2", "right": "w1"},
]
DOCUMENTS = [{"id": "d1", "title": "Rain", "text": "It rained.", "url": None, "year": 2020}]
EVENTS = [
    ("consented", "consent", None, {"language": "en", "consent": "x"}),
    ("profile_given", "profile", None, {"answers": {"role": "planner", "knows": ["shade"]}}),
    ("query_given", "query:1", 1, {"text": "rain", "positions": POSITIONS, "schedule": SCHEDULE}),
    (
        "retrieved",
        "retrieval:1",
        1,
        {"source": "a test", "documents": DOCUMENTS, "n_without_abstract": 0, "note": None},
    ),
    *(
        (
            "generated",
            f"summary:1:{place}",
            1,
            {"condition": name, "text": f"It rained [1]. ({place})", "model": "m"},
        )
        for place, name in enumerate(POSITIONS)
    ),
    ("shown", "shown:chosen:1:1", 1, {"step": "chosen:1:1"}),
    ("chosen", "chosen:1:1", 1, {"comparison": 1, "choice": "right", "left": 0, "right": 1}),
]


def main() -> None:
    TARGET.unlink(missing_ok=True)
    engine = sa.create_engine(f"sqlite:///{TARGET}")
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA page_size=1024")
        migrate(connection, "0001")
        connection.execute(
            sa.text("INSERT INTO study (source, digest, created_at) VALUES (:source, 'd', :at)"),
            {"source": new_study_text("demo"), "at": _at(0)},
        )
        for place, who in enumerate(("reader-b", "reader-a")):  # the one who came first has the later name
            connection.execute(
                sa.text("INSERT INTO participants (id, created_at) VALUES (:id, :at)"),
                {"id": who, "at": _at(place)},
            )
        for place, (kind, key, query, data) in enumerate(EVENTS):
            connection.execute(
                sa.text(
                    "INSERT INTO events (participant, key, kind, query, data, at)"
                    " VALUES ('reader-b', :key, :kind, :query, :data, :at)"
                ),
                {"key": key, "kind": kind, "query": query, "data": json.dumps(data), "at": _at(10 + place)},
            )
        connection.commit()
    engine.dispose()


def _at(second: int) -> str:
    return f"2026-01-01T12:00:{second:02d}.000000Z"


if __name__ == "__main__":
    main()
