"""What a data file holds, and what can be measured on it."""

import json

from gameproof.files import check


def rated(n_tasks=6, n_systems=3, **extra):
    return [
        {
            "task_id": f"t{task}",
            "group": f"g{task % 2}",
            "system": f"s{system}",
            "candidate": "c" * (task + 1),
            "references": ["r"] * (1 + task % 3),
            "source": "s",
            "ratings": {"fluency": task + system},
            "raters": {"ann": {"fluency": task}, "bob": {"fluency": system}},
            **extra,
        }
        for task in range(n_tasks)
        for system in range(n_systems)
    ]


def test_a_good_file_is_counted():
    report = check(rated())
    assert report.is_good
    assert (report.n_rows, report.n_items, report.n_tasks, report.n_groups, report.n_systems) == (
        18,
        18,
        6,
        2,
        3,
    )
    assert report.references_per_item is not None
    assert (report.references_per_item.low, report.references_per_item.median) == (1, 2.0)
    assert report.raters == {"ann": 18, "bob": 18}
    (fluency,) = report.dimensions
    assert (fluency.n, fluency.low, fluency.high, fluency.mean, fluency.n_distinct) == (18, 0.0, 7.0, 3.5, 8)


def test_problems_are_part_of_the_report_and_good_rows_are_still_counted():
    report = check([*rated(), {"candidate": 3}])
    assert not report.is_good
    assert (report.n_rows, report.n_items, report.n_problems) == (19, 18, 1)


def test_duplicates_are_counted_once():
    report = check([*rated(), *rated()])
    assert (report.n_items, report.n_duplicates, report.dimensions[0].n) == (18, 18, 18)


def test_missing_parts_are_counted():
    report = check([{"candidate": " "}, {"candidate": "a", "query": "q"}])
    assert report.missing["candidate text"] == 1
    assert report.missing["references"] == 2
    assert report.missing["query"] == 1


def test_a_file_without_references_and_ratings_says_what_cannot_be_measured():
    report = check([{"candidate": "a", "system": "A"}, {"candidate": "b", "system": "B"}])
    assert "metrics that need no reference" in report.measurable
    assert "metrics that need references: no references" in report.not_measurable
    assert "correlation with ratings: no ratings" in report.not_measurable


def test_a_fully_rated_file_can_be_measured_in_every_way():
    assert check(rated()).not_measurable == ()


def test_one_candidate_for_each_task_has_no_correlation_within_tasks():
    report = check(rated(n_systems=1))
    assert "correlation within tasks: one candidate for each task" in report.not_measurable


def test_groups_that_are_too_small_for_negatives_are_noted():
    rows = [{**row, "group": row["task_id"]} for row in rated()]
    note = "every group has one task: negative references are drawn from the whole data set there"
    assert note in check(rows).notes
    rows = rated(n_tasks=12)
    rows += [{**row, "task_id": "single", "group": "single"} for row in rated(n_tasks=1)]
    note = (
        "1 of 3 groups have fewer than 5 tasks: negative references are drawn from the whole data set there"
    )
    assert note in check(rows).notes


def test_a_single_group_is_no_matter():
    assert (
        check([{"candidate": "a"}, {"candidate": "b"}]).notes
        == check([{"candidate": "b"}, {"candidate": "a"}]).notes
    )
    assert not any("group" in note for note in check([{"candidate": "a"}]).notes)


def test_the_report_is_plain_json():
    report = check([*rated(), {"candidate": 3}])
    content = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert content["items"] == 18
    assert content["problems"][0]["field"] == "candidate"
