import csv
import json

import numpy as np
import pytest

import gameproof
from gameproof.errors import DataError, InputError, PlanError
from gameproof.metrics.adapters.hosted import hosted
from gameproof.reports.agreement import (
    agreement_record,
    agreement_rows,
    agreement_sentences,
    render_agreement_markdown,
)

RNG = np.random.default_rng(2)


def quality(item):
    return float(item.candidate.split()[-1])


def inverted(item):
    return -float(item.candidate.split()[-1])


def made_rows(n_pairs=60, n_annotators=5, noise=0.3, swap=False):
    """People prefer the text with the larger number, with noise; close texts are ties."""
    rng = np.random.default_rng(7)
    rows = []
    for pair in range(n_pairs):
        worth = rng.random(2)
        for annotator in range(n_annotators):
            seen = worth + noise * rng.normal(size=2)
            gap = seen[0] - seen[1]
            choice = "tie" if abs(gap) < 0.1 else "a" if gap > 0 else "b"
            texts = [f"text {pair} worth {value:.3f}" for value in worth]
            if swap and (pair + annotator) % 2:
                texts, choice = texts[::-1], {"a": "b", "b": "a", "tie": "tie"}[choice]
            rows.append(
                {
                    "task_id": f"t{pair}",
                    "candidate_a": texts[0],
                    "candidate_b": texts[1],
                    "preference": choice,
                    "annotator": f"p{annotator}",
                }
            )
    return rows


def test_a_metric_that_knows_agrees_and_its_opposite_disagrees():
    result = gameproof.agree(
        made_rows(), [quality, gameproof.as_metric(inverted, name="inverted", version="1")]
    )
    knows, opposite = result.metrics
    assert (result.n_choices, result.n_pairs, result.n_texts) == (300, 60, 120)
    assert (result.clusters, result.n_clusters) == (("annotator", "task"), (5, 60))
    assert knows.accuracy.value > 0.8
    assert knows.accuracy.value + opposite.accuracy.value == pytest.approx(1.0, abs=1e-12)
    assert knows.auc.value + opposite.auc.value == pytest.approx(1.0, abs=1e-12)
    assert knows.information.value > 0.15
    assert knows.pvalue < 0.001
    assert knows.pvalue_sign_flip < 0.001
    [difference] = result.differences
    assert difference.accuracy.interval.low > 0


def test_direction_of_a_metric_counts():
    falling = gameproof.as_metric(inverted, name="falling", version="1", higher_is_better=False)
    result = gameproof.agree(made_rows(), [quality, falling])
    assert result.metrics[0].accuracy == result.metrics[1].accuracy


def hosted_metric(score):
    """Make a metric of another library that does not say whether higher is better."""

    async def score_items(items):
        return [score(item) for item in items]

    return hosted({"name": "theirs"}, score_items, origin=score, needs=frozenset({"references"}))


def test_a_direction_that_nobody_declares_is_measured_or_asked_for():
    def distance(item):
        """Count the words that a text does not share with its reference: less is better."""
        return float(len(set(item.candidate.split()) ^ set(item.references[0].split())))

    rows = made_rows()
    better = {"a": "candidate_a", "b": "candidate_b"}
    told = [
        {**row, "references": [row[better[row["preference"]]]]} for row in rows if row["preference"] != "tie"
    ]
    result = gameproof.agree(told, hosted_metric(distance))
    assert result.metrics[0].accuracy.value > 0.9  # as higher is better it would be below .1
    assert any("direction measured, not declared: lower is better" in note for note in result.notes)
    same = [{**row, "references": ["nothing"]} for row in told]
    with pytest.raises(InputError, match="higher"):
        gameproof.agree(same, hosted_metric(distance))


def test_which_side_a_text_stood_on_changes_only_alpha_as_printed():
    one, other = (gameproof.agree(made_rows(swap=swap), quality) for swap in (False, True))
    for name in ("accuracy", "auc", "alpha", "information"):
        first, second = getattr(one.metrics[0], name), getattr(other.metrics[0], name)
        assert first.value == pytest.approx(second.value, abs=1e-9)
    assert one.people.alpha.value == pytest.approx(other.people.alpha.value, abs=1e-12)
    assert one.people.ceiling == pytest.approx(other.people.ceiling, abs=1e-12)


def test_a_missing_score_is_counted_and_not_a_choice():
    rows = made_rows(n_pairs=20)
    for row in rows[:5]:
        row["candidate_a"] = " "
    result = gameproof.agree(rows, quality)
    [metric] = result.metrics
    assert (metric.n_missing, dict(metric.missing)) == (5, {"empty": 1})
    assert metric.accuracy.n < 100


def test_case_54_length_is_seen_for_what_it_is():
    rows = [
        {**row, "candidate_a": row["candidate_a"] + " and more" * 5 * (row["preference"] == "a")}
        for row in made_rows(n_annotators=1, noise=0.0)
    ]
    result = gameproof.agree(rows, ["length"], cluster="task")
    assert result.metrics[0].accuracy.value > 0.7  # the longer text wins wherever lengths differ


def test_all_bad_rows_are_named_together():
    rows = [*made_rows(n_pairs=2), {"candidate_a": "x", "candidate_b": None, "preference": "left"}]
    with pytest.raises(DataError) as caught:
        gameproof.agree(rows, quality)
    message = str(caught.value)
    assert "candidate_b: found null" in message
    assert "preference: found the text 'left'; allowed: a, b, or tie" in message


def test_choices_without_names_cannot_be_clustered_by_annotator():
    rows = [{key: value for key, value in row.items() if key != "annotator"} for row in made_rows()]
    assert gameproof.agree(rows, quality).clusters == ("task",)
    with pytest.raises(PlanError, match="300 choices do not say whose they are"):
        gameproof.agree(rows, quality, cluster="annotator")


def test_annotators_alone_are_resampled_where_every_pair_has_one():
    rows = [{**row, "annotator": f"p{place % 7}"} for place, row in enumerate(made_rows(n_annotators=1))]
    result = gameproof.agree(rows, quality)
    assert (result.clusters, result.n_clusters) == (("annotator",), (7,))
    crossed = gameproof.agree(rows, quality, cluster="both")
    assert crossed.clusters == ("annotator", "task")


def test_one_question_of_several_is_chosen_by_its_column():
    rows = [{**row, "informative": "b", "preference": "a"} for row in made_rows(n_pairs=4)]
    result = gameproof.agree(rows, quality, rename={"preference": "informative"})
    assert result.people.first_share == 0.0
    assert any("order of the pairs is no accident" in note for note in result.notes)


@pytest.mark.parametrize("ending", ["json", "md", "csv"])
def test_the_result_is_written_whole(tmp_path, ending):
    path = tmp_path / f"agreement.{ending}"
    result = gameproof.agree(made_rows(n_pairs=8), [quality, "length"], out=path)
    text = path.read_text(encoding="utf-8")
    if ending == "json":
        assert json.loads(text) == agreement_record(result)
        assert json.loads(text)["schema"] == "gameproof.agreement/1"
    elif ending == "csv":
        rows = list(csv.DictReader(text.splitlines()))
        assert [row["metric"] for row in rows] == ["quality", "length"]
        assert float(rows[0]["accuracy"]) == result.metrics[0].accuracy.value
    else:
        assert text == render_agreement_markdown(result)
        assert "| `quality` |" in text


def test_an_ending_that_cannot_be_written_is_refused_before_anything_is_scored(tmp_path):
    def never(item):
        raise AssertionError(item)

    with pytest.raises(PlanError, match=r"none of \.json, \.md, \.csv"):
        gameproof.agree(made_rows(), never, out=tmp_path / "agreement.html")


def test_terminal_rows_show_the_threshold_that_was_used():
    [row] = agreement_rows(gameproof.agree(made_rows(n_pairs=8), ["length"]))
    assert row["decided"].endswith(" at 5")


def test_missing_scores_are_said_with_their_reasons():
    result = gameproof.agree(made_rows(n_pairs=4), "rougeL")
    assert "note: rougeL has no score for 8 texts: no reference (8)" in agreement_sentences(result)


def test_a_threshold_of_a_metric_not_asked_for_is_refused():
    with pytest.raises(PlanError, match=r"the threshold bleu=0.1 is of no metric asked for: expected length"):
        gameproof.agree(made_rows(n_pairs=2), "length", thresholds={"bleu": 0.1})
    result = gameproof.agree(made_rows(n_pairs=2), "length,unit=characters", thresholds={"length": 3.0})
    assert result.metrics[0].threshold == 3.0


def test_one_annotator_among_both_leaves_the_intervals_over_tasks():
    result = gameproof.agree(made_rows(n_pairs=6, n_annotators=1), quality, cluster="both")
    assert "all choices are of one annotator: intervals are over tasks alone" in result.notes
    assert result.metrics[0].accuracy.interval is not None
