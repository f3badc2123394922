import json
import sys
from pathlib import Path

import pytest
from tests.support.scoring import make_items, score_items

from gameproof.errors import InputError, SpecError
from gameproof.metrics.adapters import command, from_command
from gameproof.records import Item

ITEMS = make_items([(f"text {n}", [f"reference {n}"]) for n in range(6)])
READ = "import json, os, signal, sys, time\nitems = [json.loads(line) for line in sys.stdin]\n"


@pytest.fixture
def program(tmp_path: Path):
    """Write a Python program and return the metric that runs it."""

    def make(body: str, **options):
        path = tmp_path / "score.py"
        path.write_text(body, encoding="utf-8")
        return from_command([sys.executable, "-u", str(path)], **options)

    return make


def test_each_line_in_has_a_line_out(program):
    metric = program(READ + "for item in items: print(json.dumps({'score': int(item['candidate'][-1])}))")
    assert score_items(metric, ITEMS).values.tolist() == [0, 1, 2, 3, 4, 5]


def test_the_program_sees_texts_and_no_ratings(program, tmp_path):
    item = Item(
        id="a",
        task_id="t",
        candidate="Il a plu \u2614, été.",
        references=("Rain.", " "),
        source="S",
        query="Q",
        ratings={"quality": 3.0},
    )
    out = tmp_path / "seen.json"
    metric = program(READ + f"open({str(out)!r}, 'w').write(json.dumps(items)); print(1)")
    assert score_items(metric, [item]).values.tolist() == [1.0]
    assert json.loads(out.read_text()) == [
        {
            "id": "a",
            "task_id": "t",
            "candidate": "Il a plu \u2614, été.",
            "references": ["Rain."],
            "source": "S",
            "query": "Q",
        }
    ]


def test_null_and_reasons_are_missing_scores(program):
    metric = program(
        READ + "print('null'); print(json.dumps({'score': None, 'reason': 'no verb'}));"
        "print(0.5); print('NaN'); print('true'); print(json.dumps({'score': 2, 'id': 'item 5', 'more': 1}))"
    )
    scores = score_items(metric, ITEMS)
    assert scores.values.tolist()[2] == 0.5
    assert scores.values.tolist()[4:] == [1.0, 2.0]
    assert scores.reasons == {
        "item 0": "the metric returned nothing",
        "item 1": "no verb",
        "item 3": "the metric returned nan",
    }


@pytest.mark.parametrize(
    ("lines", "said"), [(2, "it wrote 2 lines for 6 texts"), (7, "it wrote 7 lines for 6 texts")]
)
def test_a_wrong_number_of_lines_stops_the_run(program, lines, said):
    metric = program(READ + f"sys.stderr.write('I counted'); [print(1) for _ in range({lines})]")
    with pytest.raises(InputError, match=said) as caught:
        score_items(metric, ITEMS)
    assert "I counted" in str(caught.value)


def test_a_line_that_is_no_answer_stops_the_run_and_is_shown(program):
    metric = program(READ + "print('loading the model ...'); [print(1) for _ in items]")
    with pytest.raises(InputError, match=r"it wrote 7 lines|loading the model"):
        score_items(metric, ITEMS)
    metric = program(READ + "[print('good') for _ in items]")
    with pytest.raises(InputError, match="found the line 'good'"):
        score_items(metric, ITEMS)


def test_answers_in_another_order_stop_the_run(program):
    metric = program(READ + "[print(json.dumps({'id': item['id'], 'score': 1})) for item in items[::-1]]")
    with pytest.raises(InputError, match="it wrote about 'item 5' where 'item 0' was next"):
        score_items(metric, ITEMS)


def test_a_program_that_dies_at_a_text_is_started_again_for_the_rest(program):
    metric = program(
        READ + "for item in items:\n"
        "    if item['candidate'] in {'text 0', 'text 3'}: sys.exit('cannot read ' + item['candidate'])\n"
        "    print(item['candidate'][-1])"
    )
    scores = score_items(metric, ITEMS)
    assert [scores.values.tolist()[row] for row in (1, 2, 4, 5)] == [1, 2, 4, 5]
    assert scores.reasons == {
        "item 0": "the program ended with exit code 1 after 0 of 6 texts; it said: cannot read text 0",
        "item 3": "the program ended with exit code 1 after 2 of 5 texts; it said: cannot read text 3",
    }


@pytest.mark.parametrize(("number", "named"), [(9, "SIGKILL"), (40, "signal 40")])
def test_a_program_that_is_killed_is_named_as_such(program, number, named):
    metric = program(
        READ + "for item in items:\n"
        f"    if item['candidate'] == 'text 2': os.kill(os.getpid(), {number})\n"
        "    print(1)"
    )
    assert score_items(metric, ITEMS).reasons == {
        "item 2": f"the program was killed by {named} after 2 of 6 texts"
    }


def test_an_argument_that_no_program_can_have_is_refused():
    with pytest.raises(InputError, match="cannot be started: embedded null byte"):
        score_items(from_command(["echo", "a\0b"], higher_is_better=True), ITEMS)


def test_a_program_that_dies_at_many_texts_is_not_started_for_each(program, tmp_path):
    log = tmp_path / "starts"
    metric = program(
        f"open({str(log)!r}, 'a').write('x')\n" + READ + "print(1)\nif len(items) > 1: sys.exit(3)"
    )
    items = make_items([(f"text {n}", ["r"]) for n in range(40)])
    scores = score_items(metric, items)
    assert log.read_text() == "xxxx"  # once, and three more times
    assert len(scores.reasons) == 40 - 4


def test_a_program_that_never_answers_stops_the_run_with_what_it_said(program):
    metric = program("import sys; sys.exit('no module named model')")
    with pytest.raises(InputError, match=r"answers nothing: .*exit code 1.*no module named model"):
        score_items(metric, ITEMS)


def test_a_text_that_takes_too_long_is_missing_and_the_rest_is_scored(program):
    metric = program(
        READ + "for item in items:\n"
        "    if item['candidate'] == 'text 1': time.sleep(60)\n"
        "    print(1, flush=True)",
        timeout_s=1.5,
    )
    assert score_items(metric, ITEMS).reasons == {"item 1": "no answer within 1.5 s"}


SERVE = "import json, signal, sys, time\nfor line in sys.stdin: print(json.loads(line)['candidate'][-1], flush=True)\n"


@pytest.mark.parametrize(
    "stays",
    [
        "time.sleep(300)",  # ends at SIGTERM
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)",  # has to be killed
        "sys.stdout.close(); time.sleep(300)",  # says that it has nothing more to say
    ],
)
def test_a_program_that_stays_when_all_is_answered_is_ended_and_nothing_is_missing(
    program, stays, monkeypatch
):
    monkeypatch.setattr(command, "GRACE_S", 0.1)
    scores = score_items(program(SERVE + stays, timeout_s=600.0), ITEMS)  # far beyond the patience of a test
    assert scores.values.tolist() == [0, 1, 2, 3, 4, 5]
    assert not scores.reasons


def test_a_program_that_stays_is_told_to_end_and_not_started_again(program, monkeypatch, tmp_path):
    monkeypatch.setattr(command, "GRACE_S", 0.5)
    log = tmp_path / "starts"
    body = (
        "import json, signal, sys, time\n"
        f"def note(what): open({str(log)!r}, 'a').write(what)\n"
        "note('start ')\n"
        "def end(*_):\n    note('told to end')\n    sys.exit(1)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "for line in sys.stdin: print(1, flush=True)\n"
        "time.sleep(300)"
    )
    assert score_items(program(body), ITEMS).values.tolist() == [1.0] * 6
    assert log.read_text() == "start told to end"


def test_one_line_too_many_is_refused_of_a_program_that_stays_as_well(program):
    metric = program(SERVE + "print(7, flush=True); time.sleep(300)")
    with pytest.raises(InputError, match="wrote 7 lines for 6 texts"):
        score_items(metric, ITEMS)


@pytest.mark.parametrize("line", ["1", ""])
def test_a_program_that_writes_lines_without_end_is_refused(program, line):
    metric = program(f"while True: print({line!r}, flush=True)")
    with pytest.raises(InputError, match=r"wrote 1,012 lines for 6 texts, and went on"):  # two each and 1,000
        score_items(metric, ITEMS)


def test_a_program_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="cannot be started: No such file"):
        score_items(from_command("./no_such_program_here"), ITEMS)


def test_a_program_that_does_not_read_its_input_is_no_error(program):
    metric = program("for _ in range(6): print(1)")
    assert score_items(metric, ITEMS).values.tolist() == [1.0] * 6


@pytest.mark.parametrize("command", ["", [], "   "])
def test_no_command_is_refused(command):
    with pytest.raises(SpecError, match="no command"):
        from_command(command)


def test_a_quotation_that_does_not_end_is_refused():
    with pytest.raises(SpecError, match="cannot be split into words"):
        from_command("'./score.sh --fast", higher_is_better=True, version="1")


@pytest.mark.parametrize("timeout_s", [0, -1.5])
def test_a_time_that_nothing_can_be_done_in_is_refused(timeout_s):
    with pytest.raises(SpecError, match=f"timeout: found {timeout_s:g}; allowed: seconds above 0"):
        from_command("true", timeout_s=timeout_s)


def test_a_line_without_end_stops_the_run(program, monkeypatch):
    monkeypatch.setattr("gameproof.metrics.adapters.command.MAX_LINE", 1000)
    metric = program("import sys\nsys.stdin.read()\nsys.stdout.write('x' * 100_000 + chr(10))")
    with pytest.raises(InputError, match="a line is longer than 1,000 bytes"):
        score_items(metric, ITEMS)


def test_empty_lines_between_answers_are_no_answers(program):
    metric = program(READ + "for item in items: print(); print(json.dumps({'score': 1}))")
    assert score_items(metric, ITEMS).values.tolist() == [1] * 6
