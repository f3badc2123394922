import pytest

from gameproof.audits.plan import make_plan, read_plan
from gameproof.errors import InputError, PlanError

MINIMUM = {"data": "items.jsonl", "metrics": ["rougeL"]}


def write(folder, text):
    path = folder / "audit.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_plan_needs_data_and_metrics_only():
    plan = make_plan(MINIMUM)

    assert (plan.suite, plan.margin, plan.seed, plan.gate) == ("all", ".10", 0, None)


def test_a_plan_file_has_the_options_of_the_command(tmp_path):
    path = write(
        tmp_path,
        'data = "planted"\nmetrics = ["rougeL", "length"]\nmargin = 0.2\nsample = 50\n[map]\ncandidate = "output"\n',
    )

    plan = make_plan(read_plan(path))

    assert plan.metrics == ("rougeL", "length")
    assert (plan.margin, plan.sample, plan.map) == ("0.2", 50, {"candidate": "output"})


def test_paths_in_a_plan_are_relative_to_the_plan(tmp_path):
    (tmp_path / "items.jsonl").touch()
    record = read_plan(write(tmp_path, 'data = "items.jsonl"\nout = "run"\nvariants = "elsewhere.jsonl"\n'))

    assert record["data"] == str(tmp_path / "items.jsonl")
    assert record["out"] == str(tmp_path / "run")
    assert record["variants"] == "elsewhere.jsonl"  # no such file beside the plan: left for the reader


def test_everything_that_is_wrong_is_told_together():
    with pytest.raises(PlanError) as caught:
        make_plan({"data": "a", "metrics": [], "sample": 0, "margin": "big", "colour": "red"})

    message = caught.value.message
    assert "metrics: found []" in message
    assert "sample: found 0; allowed: 1 or more" in message
    assert (
        "margin: found 'big'; allowed: a number of standard deviations (.10) or of sentences (.5sent)"
        in message
    )
    assert "colour: this option is unknown; allowed: data, metrics, out" in message


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"metrics": "rougeL"}, "metrics: found 'rougeL'; allowed: a list, for example ['rougeL']"),
        ({"seed": "x"}, "seed: found 'x'; allowed: a whole number"),
        ({"suite": "some"}, "suite: found 'some'; allowed: 'strategic', 'satisfaction' or 'all'"),
        ({"metric": ["rougeL"]}, "metric: this option is unknown; did you mean metrics?"),
    ],
)
def test_a_wrong_option_is_told_in_words_of_plans(record, said):
    with pytest.raises(PlanError) as caught:
        make_plan(MINIMUM | record)
    assert said in caught.value.message


def test_what_is_missing_is_named():
    with pytest.raises(PlanError, match="metrics: it is needed"):
        make_plan({"data": "a"})


@pytest.mark.parametrize("margin", [".10", "0.1", "1", ".5sent", "0.5sent", 0.25, 1])
def test_margins_are_numbers_of_deviations_or_of_sentences(margin):
    assert make_plan({**MINIMUM, "margin": margin}).margin == str(margin)


@pytest.mark.parametrize("margin", ["-0.1", "sent", "10%", "", True])
def test_other_margins_are_refused(margin):
    with pytest.raises(PlanError, match="margin: found"):
        make_plan({**MINIMUM, "margin": margin})


def test_a_file_that_is_no_plan_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not TOML"):
        read_plan(write(tmp_path, "data: planted"))
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(tmp_path / "missing.toml")
    (tmp_path / "latin.toml").write_bytes(b'data = "caf\xe9"')
    with pytest.raises(InputError, match="is not TOML"):
        read_plan(tmp_path / "latin.toml")


def test_a_byte_order_mark_does_not_matter(tmp_path):
    assert read_plan(write(tmp_path, '\ufeffdata = "planted"')) == {"data": "planted"}
