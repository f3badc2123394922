"""Every verb that asks a ``planted:`` model about texts it does not know says that the answers mean nothing."""

import pytest

import gameproof

METRIC, MODEL = "judge", "planted:judge"
TOLD = "judge: planted: models understand the embedded data set 'planted' only; what they answer about other texts, and so"


def audit(data):
    result = gameproof.audit(data, [METRIC], perturbations=["sentence_deletion"], llm=MODEL, cache="off")
    return result.run["notes"]


def score(data):
    return gameproof.score(data, [METRIC], llm=MODEL, cache="off", spot_checks="none").notes


def attack(data):
    found = gameproof.attack(
        data, METRIC, budget=1, universal_budget=0, moves=["hedge"], llm=MODEL, cache="off"
    )
    return (*found.notes, *found.results[0].notes)


def agree(data):
    rows = [
        {
            "candidate_a": row["candidate"],
            "candidate_b": f"{row['candidate']} And more.",
            "preference": "a",
            "references": row["references"],
        }
        for row in data
    ]
    return gameproof.agree(rows, [METRIC], llm=MODEL, cache="off").notes


@pytest.fixture(scope="module")
def strange():
    return [
        {"task_id": f"t{task}", "system": system, "candidate": f"{system} {task}.", "references": ["A text."]}
        for task in range(4)
        for system in ("One", "Two")
    ]


@pytest.mark.parametrize(
    ("verb", "what"), [(audit, "verdict"), (score, "score"), (attack, "verdict"), (agree, "agreement")]
)
def test_texts_that_a_planted_model_does_not_know_are_named(verb, what, strange):
    assert f"{TOLD} every {what} on these metrics here, means nothing" in list(verb(strange))


@pytest.mark.parametrize("verb", [audit, score, attack])
def test_on_its_own_texts_nothing_is_said(verb):
    assert not any("understand the embedded" in note for note in verb("planted,tasks=2"))


def test_scores_that_stream_to_a_file_are_warned_of_too(tmp_path):
    data = tmp_path / "items.jsonl"
    data.write_text('{"task_id": "t", "candidate": "One.", "references": ["A text."]}\n', encoding="utf-8")
    table = gameproof.score(str(data), [METRIC], llm=MODEL, cache="off", out=tmp_path / "scores.csv")

    assert any(note.startswith(TOLD) for note in table.notes)
