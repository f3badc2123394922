"""A study's file is checked at once."""

from pathlib import Path

import pytest

from gameproof.errors import InputError, PlanError
from gameproof.study.study_file import new_study_text, parse_study, read_study

GOOD = new_study_text("demo")


def test_the_files_that_are_written_fit() -> None:
    new = parse_study(new_study_text("new"))
    assert (len(new.conditions), new.n_queries, new.n_comparisons, new.retrieval.kind) == (
        4,
        8,
        3,
        "openalex",
    )
    assert {(condition.model, condition.persona) for condition in new.conditions} == {
        (model, persona) for model in ("extractive:lead", "extractive:central") for persona in (True, False)
    }
    assert parse_study(GOOD).invitations.open


def test_everything_that_is_wrong_is_told_together() -> None:
    bad = (
        GOOD.replace("queries = 8", "queries = 0\nquerys = 3")
        .replace('kind = "local"', 'kind = "google"')
        .replace('id = "lead-generic"', 'name = "lead-generic"')
    )
    with pytest.raises(PlanError) as caught:
        parse_study(bad)
    message = str(caught.value)
    for part in (
        "queries: found 0; allowed: 1 or more",
        "querys: this key is unknown; did you mean queries?",
        "retrieval.kind: found 'google'; allowed: 'local', 'openalex' or 'fixed'",
        "conditions.1.id: it is needed",
        "conditions.1.name: this key is unknown",
    ):
        assert part in message


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('id = "lead-generic"', 'id = "lead-personalised"', "the id 'lead-personalised' occurs twice"),
        ('name = "role"', 'name = "domain"', "the name 'domain' occurs twice"),
        (
            "[invitations]",
            '[design]\nkind = "balanced"\n[invitations]',
            "`comparisons` (pairs of a query) goes with",
        ),
        (
            "[invitations]",
            '[design]\nkind = "balanced"\ncomparisons = 7\n[invitations]',
            "at most 6 with 4 conditions",
        ),
        (
            'model = "extractive:lead"',
            'model = "extractive:magic"',
            "allowed: extractive:lead, extractive:central",
        ),
        ('thanks = "Thank you.', 'thanks.fr = "Merci', "found language 'fr'; allowed: en"),
        ('kind = "local"', 'kind = "local"\ncorpus = "none.jsonl"', "there is no file none.jsonl"),
        ('kind = "local"', 'kind = "fixed"', "needs `corpus`"),
        (
            "persona = true",
            'persona = true\nprompt = "summary.v9"',
            "found 'summary.v9'; allowed: summary.v1, or",
        ),
        ('name = "knows"', 'name = "knows it"', "found 'knows it'; allowed: a text of the form"),
        ('kind = "list"', 'kind = "choice"', "`choices` go with"),
    ],
)
def test_a_wrong_key_is_told_with_what_is_allowed(old: str, new: str, told: str) -> None:
    with pytest.raises(PlanError, match="does not fit") as caught:
        parse_study(GOOD.replace(old, new, 1))
    assert told in str(caught.value)


def test_a_tournament_needs_a_power_of_two() -> None:
    cut = GOOD[: GOOD.index('[[conditions]]\nid = "central-generic"')] + '[retrieval]\nkind = "local"\n'
    with pytest.raises(PlanError, match="a tournament needs 2, 4, 8 or 16 conditions; found 3"):
        parse_study(cut)
    assert parse_study(f'{cut}[design]\nkind = "all_pairs"\n').n_comparisons == 3


def test_texts_may_be_in_several_languages() -> None:
    text = GOOD.replace("queries = 8", 'languages = ["en", "de"]\nqueries = 8').replace(
        'thanks = "Thank you.', 'thanks.de = "Danke"\nthanks.en = "Thank you.'
    )
    study = parse_study(text)
    assert study.thanks.say("de") == "Danke"
    assert study.thanks.say(None).startswith("Thank you.")
    assert study.title.say("de").startswith("gameproof")


def test_a_prompt_of_the_study_s_own_is_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("What for.\n\n## user\n{{ question }} {{ abstracts }}\n")
    (tmp_path / "study.toml").write_text(
        GOOD.replace("persona = true", 'persona = true\nprompt = "mine.md"', 1)
    )
    assert read_study(tmp_path / "study.toml").conditions[0].prompt == "mine.md"
    windows = b"\xef\xbb\xbfWhat for.\r\n\r\n## user\r\n{{ question }} {{ abstracts }}\r\n"
    (tmp_path / "mine.md").write_bytes(windows)  # with a mark of the byte order, as some editors write it
    assert read_study(tmp_path / "study.toml").conditions[0].prompt == "mine.md"
    (tmp_path / "mine.md").write_text("What for.\n\n## user\n{{ queston }} {{ abstracts }}\n")
    with pytest.raises(
        PlanError, match="'queston' is undefined; the places of a prompt are question, reader"
    ):
        read_study(tmp_path / "study.toml")
    (tmp_path / "mine.md").write_text("no section")
    with pytest.raises(PlanError, match="no line '## user'"):
        read_study(tmp_path / "study.toml")


@pytest.mark.parametrize("content", [b"title = ", b"\xff\xfe\x00", None])
def test_what_is_no_toml_is_told(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "study.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"study\.toml"):
        read_study(path)
