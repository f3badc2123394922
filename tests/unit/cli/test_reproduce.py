"""`gameproof reproduce`."""

import json

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app
from gameproof.datasets.catalogue import load_dataset


@pytest.fixture(scope="module")
def rows():
    """Return planted texts as rows of gameproof's own, which any format's name may stand before."""
    return [
        {
            "task_id": item.task_id,
            "system": item.system,
            "candidate": item.candidate,
            "references": [f"{item.references[0]} {item.candidate}"],
            "ratings": dict(item.ratings),
            "source": item.source or item.references[0],
            "title": item.references[0].split(".")[0],
        }
        for item in load_dataset("planted,tasks=3").items
    ]


def written(rows, folder, name):
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def run(*words):
    return CliRunner().invoke(app, ["reproduce", *map(str, words)])


def test_without_data_it_recomputes_what_needs_none_and_says_what_the_rest_takes():
    done = run("--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert sum(row["differ"] for row in found["summary"]) == 0
    assert found["measured"] == found["levels"] == []
    needs = {row["why"] for row in found["not_reproduced"]}
    assert {"needs a file: summeval:FILE", "the data are private"} <= needs


def test_every_printed_result_is_recomputed_or_counted_with_a_reason():
    found = json.loads(run("--json").stdout)
    # Numbers of the tables that are results: 76 + 56 + 370 + 56 + 300 of Scoring Rules!; of Information
    # Satisfaction table 2 without dashes, 28 alphas, 14 of 4 (a), 15 of 4 (b) and 20 of 4 (c), as the files have them.
    left = {row["table"]: 0 for row in found["not_reproduced"]}
    for row in found["not_reproduced"]:
        left[row["table"]] += row["values"]
    assert left["Scoring Rules!, 6"] == 76
    assert left["Scoring Rules!, 10"] == 370
    assert left["Scoring Rules!, 11"] == 300
    assert left["Information Satisfaction, 3"] == 28


def test_a_rated_set_stands_beside_the_printed_effects(rows, tmp_path):
    page = tmp_path / "all.md"
    done = run(f"summeval:{written(rows, tmp_path, 'items.jsonl')}", "-o", page, "-q")
    assert done.exit_code == 0, done.output
    text = page.read_text("utf-8")
    line = next(line for line in text.splitlines() if "rougeL · summeval · sentence" in line)
    assert "0.02 ± 0.08" in line  # table 10 prints -0.02
    assert "| intervals overlap |" in line or "| same sign |" in line or "| differs |" in line
    assert "summeval:FILE" not in text


def test_corpora_are_read_together_and_the_missing_ones_told(rows, tmp_path):
    papers = [
        {
            "paper_id": f"p{place}",
            "title": row["title"],
            "source": [row["source"]],
            "target": row["references"],
        }
        for place, row in enumerate(rows[::4])
    ]
    articles = [{"article": row["source"], "abstract": row["references"][0]} for row in rows[::4]]
    done = run(
        f"scitldr:{written(papers, tmp_path, 'scitldr.jsonl')}",
        f"pubmed:{written(articles, tmp_path, 'pubmed.jsonl')}",
        "--json",
        "-q",
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert list(found["levels"][0]) == ["test", "published", "summary", "title", "source", "no reference"]
    assert found["levels"][0]["published"] == "-1.00, 1.00"  # ROUGE-1, distractors
    assert found["levels"][0]["summary"].startswith(
        "-1.00, "
    )  # foreign sentences cost ROUGE-1 of a text with itself
    assert found["signs"][0] == {"scored against": "summary", "signs as published": 5, "of": 10}
    assert "arxiv, elife are missing" in found["notes"][0]


@pytest.mark.parametrize("name", ["rose:x.json", "items.jsonl"])
def test_other_data_is_refused(name):
    done = run(name)
    assert done.exit_code == 2
    assert "none of the papers' tables" in done.output


def test_an_ending_that_is_no_format_is_refused_before_anything_is_read():
    done = run("summeval:nowhere.jsonl", "-o", "all.txt")
    assert done.exit_code == 2
    assert "neither .md nor .json" in done.output


def test_the_file_says_what_standard_output_says(tmp_path):
    path = tmp_path / "all.json"
    printed = run("--json", "-o", path)
    assert json.loads(path.read_text("utf-8")) == json.loads(printed.stdout)


def test_without_json_the_tables_are_printed():
    done = run("-q")
    assert done.exit_code == 0
    assert "SR 7, counts  56      54     2                0" in done.stdout
    assert "SR is Scoring Rules!" in done.stderr
