"""Public cases, section G: statistics, as an audit and a comparison show them."""

import gameproof
from gameproof.stats.results import State, Verdict


def rows(n_tasks=2, systems=("a", "b", "c"), rating=lambda task, system: task + system):
    return [
        {
            "task_id": f"t{task}",
            "system": name,
            "candidate": f"It rained on {task} days. {'The river rose. ' * (system + 1)}Nobody was hurt in town {task}.",
            "references": [f"It rained on {task} days. The river rose."],
            "ratings": {"quality": rating(task, system)},
        }
        for task in range(n_tasks)
        for system, name in enumerate(systems)
    ]


def correlations(result):
    return {row.level: row for row in result.metrics[0].correlation if row.dimension == "mean"}


def checks(result):
    return {row.check: row for row in result.metrics[0].checks}


def test_case_43_a_constant_metric_has_no_correlation_and_the_reason_is_said():
    result = gameproof.audit(
        rows(4),
        gameproof.as_metric(lambda _: 3.0, name="three", version="1"),
        perturbations=["one_sentence_deletion"],
    )
    for row in correlations(result).values():
        assert row.rho is None
        assert row.state is State.UNDEFINED
        assert row.state_detail.startswith("constant scores")
    assert "constant metric" in result.metrics[0].alarms[0]
    assert "undefined" in str(result) or "constant scores" in str(result)


def test_case_46_three_levels_are_labelled_and_within_tasks_decides():
    # Tasks differ a lot and systems hardly: pooled follows the task, within a task nothing does.
    result = gameproof.audit(
        rows(6, rating=lambda task, system: 10 * task + (system * 7) % 3),
        gameproof.as_metric(
            lambda item: (
                float(item.task_id[1:]) * 10 + (2 * "abc".index(item.system) + int(item.task_id[1:])) % 3
            ),
            name="m",
            version="1",
        ),
        perturbations=["one_sentence_deletion"],
    )
    found = correlations(result)
    assert set(found) == {"pooled", "within_task", "system"}
    assert found["pooled"].rho > 0.9
    assert abs(found["within_task"].rho) < 1e-12  # by hand: .5, .5 and -1, twice
    assert (found["pooled"].n, found["within_task"].n) == (18, 6)  # texts, and tasks
    assert found["system"].rho is None  # the three systems have the same mean score
    assert found["system"].state is State.UNDEFINED


def test_case_48_identical_scores_are_no_change_and_a_fixed_shift_is_told_by_its_sign():
    identical = checks(
        gameproof.audit(
            rows(24),
            gameproof.as_metric(lambda item: float(item.task_id[1:]), name="task", version="1"),
            perturbations=["meaningless_elongation"],
        )
    )["meaningless_elongation"]
    assert identical.state is State.NO_CHANGE
    assert identical.verdict is not Verdict.FAIL
    assert identical.pvalue_zero is None
    shifted = checks(gameproof.audit(rows(24), "length", perturbations=["meaningless_elongation"]))
    assert shifted["meaningless_elongation"].state is State.DETERMINISTIC  # 62 words more in every text
    assert shifted["meaningless_elongation"].verdict is Verdict.FAIL
    assert shifted["meaningless_elongation"].pvalue_zero is None


def test_case_49_few_texts_pass_the_papers_rule_beside_the_smallest_effect_they_could_show():
    spread, noise = (-1.2, -0.5, 0.1, 0.6, 1.0), (0.9, -0.7, 0.5, -0.8, 0.1)

    def noisy(item):  # the filler adds .3, about a third of a standard deviation, in noise
        task = int(item.task_id[1:])
        return spread[task] + (0.3 + noise[task]) * item.candidate.endswith("see it.")

    metric = gameproof.as_metric(noisy, name="noisy", version="1")
    row = checks(gameproof.audit(rows(5, systems=("a",)), metric, perturbations=["meaningless_elongation"]))
    found = row["meaningless_elongation"]
    assert found.parity_verdict == "pass"
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.smallest_detectable > 0.3
    assert "5 tasks: fewer than 20 cannot show a pass" in found.detail


def test_case_49_few_texts_show_no_resistance_however_clear_their_scores_are():
    spread, noise = (-1.2, -0.5, 0.1, 0.6, 1.0), (0.09, -0.07, 0.05, -0.08, 0.01)

    def falls(item):  # the filler costs about a standard deviation in every text
        task = int(item.task_id[1:])
        return spread[task] - (1.0 + noise[task]) * item.candidate.endswith("see it.")

    metric = gameproof.as_metric(falls, name="falls", version="1")
    row = checks(gameproof.audit(rows(5, systems=("a",)), metric, perturbations=["meaningless_elongation"]))
    found = row["meaningless_elongation"]
    assert found.pvalue_margin_adjusted <= 0.05  # a gain is ruled out, as far as five tasks can
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "5 tasks: fewer than 20 cannot show a pass" in found.detail


def test_case_54_a_judge_that_reads_length_is_called_a_length_metric():
    judge = gameproof.as_metric(
        lambda item: float(len(item.candidate.split()) // 2), name="judge", version="1"
    )
    result = gameproof.audit(rows(24), judge, perturbations=["meaningless_elongation"])
    assert any(alarm.startswith("length metric") for alarm in result.metrics[0].alarms)
    assert result.metrics[0].summary["rho_length"] > 0.9
