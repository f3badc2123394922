import sys
from importlib import metadata
from pathlib import Path

import pytest
from tests.support.scoring import make_items, score_items

from gameproof.errors import SpecError
from gameproof.metrics.catalogue import metric

MODULE = """
from gameproof.metrics.base import as_metric, from_pair

def words(item):
    return len(item.candidate.split())

def overlap(candidate, reference):
    return len(set(candidate.split()) & set(reference.split()))

paired = from_pair(overlap, name="overlap", version="2")
batched = as_metric(lambda items: [1.0 for _ in items], name="ones", version="1", batch=True)
number = 3

class Judge:
    def score(self, item):
        return 1.0

judge = Judge()
"""


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put a module of metrics into the working folder and return its name."""
    name = f"own_metrics_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", sys.path.copy())
    return name


def refusal(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        metric(text)
    return str(caught.value)


def test_a_function_of_the_working_folder_receives_an_item(address: str):
    built = metric(f"{address}:words")
    assert score_items(built, make_items([("Rain fell.", ["x"])])).values.tolist() == [2.0]
    assert built.name == f"{address}:words"
    assert built.signature() == f"{address}:words,version=unpinned"


def test_a_function_can_be_pinned_and_its_signature_rebuilds_it(address: str):
    built = metric(f"{address}:words,version=2")
    assert built.signature() == f"{address}:words,version=2"
    assert metric(built.signature()).signature() == built.signature()
    assert metric(f"{address}:words,version=unpinned").signature().endswith("version=unpinned")


def test_what_from_pair_and_as_metric_made_is_taken_as_it_is(address: str):
    items = make_items([("rain fell", ["rain"])])
    assert metric(f"{address}:paired").signature() == "overlap,version=2"
    assert score_items(metric(f"{address}:paired"), items).values.tolist() == [1.0]
    assert score_items(metric(f"{address}:batched"), items).values.tolist() == [1.0]


def test_a_method_is_found_by_its_path(address: str):
    built = metric(f"{address}:judge.score")
    assert score_items(built, make_items([("rain", ["rain"])])).values.tolist() == [1.0]


def test_what_is_no_function_and_no_metric_is_refused(address: str):
    assert "found int; allowed: a function of an Item" in refusal(f"{address}:number")
    assert "found the class Judge" in refusal(f"{address}:Judge")
    assert "found Judge; allowed" in refusal(f"{address}:judge")


def test_a_name_that_the_module_does_not_have_is_refused_with_its_file(address: str):
    message = refusal(f"{address}:wrds")
    assert f"{address}.py has no 'wrds'" in message


def test_options_of_a_metric_from_outside_are_refused(address: str):
    assert "scale: found an option" in refusal(f"{address}:words,scale=10")
    assert "version: found one for a metric that has its own" in refusal(f"{address}:paired,version=3")


@pytest.mark.usefixtures("address")
def test_a_module_that_does_not_exist_is_refused_with_where_it_was_looked_for(tmp_path: Path):
    assert str(tmp_path) in refusal("no_such_module_here:words")


def test_a_module_that_fails_is_refused_with_its_own_words(address: str, tmp_path: Path):
    (tmp_path / f"{address}_a.py").write_text("raise RuntimeError('no key')", encoding="utf-8")
    (tmp_path / f"{address}_b.py").write_text("import no_such_package_here", encoding="utf-8")
    assert "RuntimeError: no key" in refusal(f"{address}_a:words")
    assert "No module named 'no_such_package_here'" in refusal(f"{address}_b:words")


@pytest.mark.parametrize("text", [":words", "module:"])
def test_half_an_address_is_refused(text: str):
    assert "allowed: module:function" in refusal(text)


class FakeDistribution:
    name = "planet"
    version = "1.4"


def offer(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Let an installed package ``planet`` offer a metric ``rings``."""
    point = metadata.EntryPoint(name="rings", value=value, group="gameproof.metrics")
    vars(point).update(dist=FakeDistribution())
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: [point] if group == point.group else [])


def test_a_package_offers_a_metric_pinned_to_its_version(address: str, monkeypatch: pytest.MonkeyPatch):
    offer(monkeypatch, f"{address}:words")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    built = metric("planet/rings")
    assert built.signature() == "planet/rings,version=1.4"
    assert metric(built.signature()).signature() == built.signature()
    assert "allowed: 1.4, which is installed" in refusal("planet/rings,version=1.3")


def test_a_package_that_fails_is_named(monkeypatch: pytest.MonkeyPatch):
    offer(monkeypatch, "no_such_module_here:words")
    assert "the package planet offers it but fails to load it: ModuleNotFoundError" in refusal("planet/rings")


def test_a_package_that_offers_no_metric_is_named(monkeypatch: pytest.MonkeyPatch):
    offer(monkeypatch, "math:pi")
    assert "the package planet offers 'math:pi': found float" in refusal("planet/rings")


def test_a_metric_that_no_package_offers_is_refused_with_those_that_are(monkeypatch: pytest.MonkeyPatch):
    offer(monkeypatch, "math:pi")
    assert "no installed package offers it; allowed: planet/rings" in refusal("planet/moons")


def test_the_catalogue_wins_over_packages(monkeypatch: pytest.MonkeyPatch):
    def never(**_: str) -> list[metadata.EntryPoint]:
        raise AssertionError

    monkeypatch.setattr(metadata, "entry_points", never)
    assert metric("rougeL").name == "rougeL"


@pytest.mark.parametrize("code", [0, 3])
def test_a_module_that_ends_the_process_is_refused_and_does_not_choose_the_exit_code(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name = f"a_program_{code}_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(
        f"import sys\ndef score(item): return 1.0\nsys.exit({code})", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", sys.path.copy())
    said = refusal(f"{name}:score")
    assert f"the module {name} cannot be imported: SystemExit: {code}; it ends the process" in said
    offer(monkeypatch, f"{name}:score")
    assert "the package planet offers it but fails to load it: SystemExit" in refusal("planet/rings")
