import sys
from pathlib import Path

import pytest
from tests.support.scoring import make_items, score_items
from tests.support.stub_server import Answer, StubServer

from gameproof.errors import SpecError
from gameproof.metrics import adapters
from gameproof.metrics.adapters.hosts import HOSTS
from gameproof.metrics.catalogue import metric
from gameproof.reports.catalogues import list_catalogue

ITEMS = make_items([("rain fell", ["rain", "it rained"])])
MODULE = """
def shared(candidate, reference):
    return len(set(candidate.split()) & set(reference.split()))

def lengths(candidates):
    return [len(text) for text in candidates]
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"own_functions_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def refusal(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        metric(text)
    return str(caught.value)


def test_a_function_is_called_with_the_parts_that_the_text_names(module):
    assert score_items(metric(f"call:{module}:shared"), ITEMS).values.tolist() == [1.0]
    built = metric(f"call:{module}:lengths,args=candidate,batch=true,higher_is_better=false,version=3")
    assert score_items(built, ITEMS).values.tolist() == [9.0]
    assert not built.higher_is_better
    assert built.direction_known
    assert (
        built.signature()
        == f"call:{module}:lengths,args=candidate,batch=true,higher_is_better=false,version=3"
    )


def test_a_command_with_arguments_is_one_word_of_a_signature(tmp_path):
    path = tmp_path / "score.py"
    path.write_text("import sys\nfor line in sys.stdin: print(sys.argv[1])")
    built = metric(f"command:{sys.executable} {path} 7,version=1")
    assert score_items(built, ITEMS).values.tolist() == [7.0]
    assert " " not in built.signature()
    again = metric(built.signature())
    assert again.signature() == built.signature()
    assert score_items(again, ITEMS).values.tolist() == [7.0]


def test_a_server_is_named_by_its_address(monkeypatch):
    monkeypatch.setenv("SCORER_TOKEN", "secret")
    with StubServer(lambda _: Answer(body={"score": 0.5})) as stub:
        for text in (f"{stub.url}/score", f"http:{stub.url}/score,token=SCORER_TOKEN"):
            built = metric(text)
            assert score_items(built, ITEMS).values.tolist() == [0.5]
            assert built.name.startswith(f"http:{stub.url}/score")
        assert [call.headers.get("authorization") for call in stub.calls] == [None, "Bearer secret"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("deepeval:", "found nothing after deepeval:; allowed: module:make_metric"),
        (
            "command:cat,scale=3",
            "scale: found an option command does not have; allowed: timeout, version, needs",
        ),
        ("command:cat,needs=gold", "needs: found 'gold'; allowed: references"),
        ("command:cat,timeout=-1", "timeout: found '-1'; allowed: a number above 0"),
        ("command:cat,higher_is_better=maybe", "higher_is_better: found 'maybe'; allowed: true, false"),
        ("call:math:pi", "found float; allowed: a function"),
        ("call:sqrt", "found 'sqrt'; allowed: module:function"),
        ("call:math:sqrt,args=gold", "args: found 'gold'; allowed: candidate"),
        ("http:localhost", "allowed: an address such as"),
        ("http://[localhost/score", "found no web address (Invalid IPv6 URL); allowed: an address such as"),
        ("https://me:secret@host/x", "no user, no query"),
        ("https://host/x?key", "no user, no query"),
        ("http://host/x,token=NO_SUCH_VARIABLE", "an environment variable that is not set"),
        ("promptfoo:none.py", "there is no file none.py"),
        ("bertscore,model=~no-such-user/model", "found '~no-such-user/model', which has no config.json"),
        ("meteor,data=~no-such-user/dict", "which the folder ~no-such-user/dict does not have"),
        ("autoevals:none,gold=reference", "gold: found an option autoevals does not have"),
    ],
)
def test_what_cannot_be_used_is_refused_and_says_what_can(text, said):
    assert said in refusal(text)


def test_an_address_may_have_capitals():
    assert metric("http://LocalHost:8000/Score").name == "http:http://LocalHost:8000/Score"


def test_every_host_is_listed_with_its_options():
    rows = {row["name"]: row for row in list_catalogue("metrics").records()}
    for host in HOSTS.values():
        row = rows[f"{host.prefix}:{host.target}"]
        assert all(f"{key}=" in row["options"] for key in host.wishes())


def test_every_adapter_is_public_and_explained():
    for name in adapters.__all__:
        assert getattr(adapters, name).__doc__


def test_what_is_asked_for_twice_is_one_metric(module):
    assert metric(f"call:{module}:shared") == metric(f"call:{module}:shared")
