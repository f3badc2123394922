"""What every metric that can be asked for by name promises."""

import math
import pickle
from dataclasses import replace

import pytest
from tests.support import fake_model, scoring, tiny_models
from tests.support.scoring import score_items

from gameproof._version import __version__
from gameproof.metrics import catalogue
from gameproof.metrics.base import EMPTY_CANDIDATE, NO_REFERENCE, Metric
from gameproof.metrics.catalogue import METRICS
from gameproof.metrics.reader_pool import NO_OTHER_READER
from gameproof.records import Item, Persona, Requirement

CELLS = (
    "TV+fvar+statement+overlap",
    "KL+direct+statement+overlap",
    "TV+fvar+statement+oracle",
    "TV+fvar+statement+oracle,batch=candidate,decompose=rules.v1",
    "TV+fvar+report+oracle",
    "KL+direct+statement+oracle,samples=2",
)
# Options that ask for more than the model of these tests gives, or items have: each has tests of its own.
NOT_HERE = {"expectation=true", "query=true", "persona=true", "llm=", "predictor=nli", "critic=soft"}
# Each metric plain, and with every value of every option that is not its default.
NAMES = (
    *METRICS,
    *(
        f"{name},{key}={value}"
        for name, entry in METRICS.items()
        for key, option in entry.options.items()
        for value in option.values
        if value != option.default and f"{key}={value}" not in NOT_HERE
    ),
    *CELLS,
)
# What a text scores depends on the other texts of the run.
POOLED = {
    name
    for name in NAMES
    if name in CELLS or "idf=true" in name or "pool" in METRICS[name.split(",")[0]].needs
}
ALONE = [name for name in NAMES if name not in POOLED]
# With these the models of optional packages are tried, tiny random ones where they are large.
MODELS = {
    "bertscore": "encoder",
    "blanc": "masked",
    "summaqa": "answers",
    "supert": "encoder",
}
EXTRAS = {"local": tiny_models.HAS_TORCH, "syntax": tiny_models.HAS_SPACY}
MISSING = {name for name, entry in METRICS.items() if entry.extra and not EXTRAS[entry.extra]}
MISSING |= set() if tiny_models.HAS_SPACY else {"summaqa"}
SINGLE_PRECISION = (
    1e-5  # of scores by 32-bit models: texts that go through them together change the last digits
)


def each(names):
    """Parametrize over metrics; those whose extra is not installed are skipped."""
    skip = pytest.mark.skip(reason="needs an extra that is not installed here")
    marked = [pytest.param(name, marks=[skip] * (name.split(",")[0] in MISSING)) for name in names]
    return pytest.mark.parametrize("name", marked)


every_metric = each(NAMES)

TEXTS = [
    (
        "Rain fell all night. The bridge closed at dawn.",
        ["All night it rained. At dawn the bridge was closed."],
    ),
    (
        "A committee met on Tuesday, and nothing was said of costs.",
        ["The committee met. Costs were not mentioned."],
    ),
    ("Three hens, two foxes.", ["The farm keeps three hens, and two foxes visit it.", "Foxes visit."]),
    ("The museum opened in 1931 after a long dispute.", ["A dispute delayed the museum until 1931."]),
    ("Prices rose by 3.5% in May.", ["In May prices went up 3.5%."]),
    ("The orchestra toured Norway.", ["A tour of Norway by the orchestra."]),
]
SCRIPTS = [
    ("สวัสดีครับ ผมชื่อเล็ก", ["สวัสดีครับ ผมชื่อเล็ก"]),
    ("καλημέρα κόσμε, τι κάνεις;", ["καλημέρα κόσμε, τι κάνεις;"]),
    ("今天下雨。桥关闭了。", ["今天下雨。桥关闭了。"]),
    ("كتب الولد الدرس في المدرسة", ["كتب الولد الدرس في المدرسة"]),
    ("The café is naïve.", ["The café is naïve."]),
]


MODEL = fake_model.FakeModel(fake_model.honest)
READER = Persona(role="teacher", query="What happened to the bridge?")
SOURCE = "The bridge in Norway closed in 1931. Rain had fallen all night, said Mary Smith of London."


def make_items(pairs):
    """Make items of (candidate, references), for one reader, of sources that differ by a word."""
    return [
        replace(
            item,
            persona=READER,
            source=f"{SOURCE} The keeper of house{place} wrote it down.",
            requirements=(Requirement(text=f"The keeper of house{place} closed the bridge."),),
        )
        for place, item in enumerate(scoring.make_items(pairs))
    ]


def build_metrics(names):
    return catalogue.build_metrics([with_model(name) for name in names], llm=MODEL)


def metric(name):
    return catalogue.metric(with_model(name), llm=MODEL)


def with_model(name):
    """Add the model that a name leaves open."""
    head = name.split(",")[0]
    if ",model=" in name or head not in {*MODELS, "syntax"}:
        return name
    model = tiny_models.SPACY_MODEL if head == "syntax" else tiny_models.tiny_model(MODELS[head])
    entities = f",entities={tiny_models.SPACY_MODEL}" * (head == "summaqa")
    return f"{name},model={model}{entities}"


def tolerance(name):
    return SINGLE_PRECISION if name.split(",")[0] in MODELS else 0


def numbers(name: str, items: list[Item]) -> list[float]:
    (built,) = build_metrics([name])
    return score_items(built, items).values.tolist()


@every_metric
def test_is_a_metric_that_says_what_it_needs(name: str):
    (built,) = build_metrics([name])
    assert isinstance(built, Metric)
    assert built.needs <= {"references", "source", "persona", "query", "requirements", "pool", "llm"}
    assert isinstance(built.higher_is_better, bool)


@every_metric
def test_name_and_signature_rebuild_the_metric(name: str):
    built = metric(name)
    assert metric(built.name).name == built.name
    assert metric(built.name).signature() == built.signature()
    assert metric(built.signature()).signature() == built.signature()


@every_metric
def test_nothing_in_name_or_signature_means_anything_to_a_shell(name: str):
    built = metric(name)
    for text in (built.name, built.signature()):
        assert not set(text) & set(" \t\n\"'`$&|;<>()[]{}*?!#~^\\")


@every_metric
def test_the_signature_names_the_version_of_gameproof(name: str):
    assert f"v={__version__}" in metric(name).signature().split(",")


@every_metric
def test_every_item_has_a_finite_number_or_a_reason(name: str):
    items = make_items([*TEXTS, *SCRIPTS, ("!!!", ["..."]), ("yes", ["yes"]), ("\U0001f44d", ["\U0001f44d"])])
    scores = score_items(metric(name), items)
    assert scores.item_ids == tuple(item.id for item in items)
    for item, value in zip(items, scores.values.tolist(), strict=True):
        assert math.isfinite(value) != (item.id in scores.reasons)


@every_metric
@pytest.mark.parametrize("blank", ["", "   ", "\n\t"])
def test_case_39_an_empty_candidate_is_missing_as_empty(name: str, blank: str):
    items = make_items([(blank, ["Rain fell."]), *TEXTS])
    scores = score_items(metric(name), items)
    assert math.isnan(scores.values[0])
    assert scores.reasons["item 0"] == EMPTY_CANDIDATE


@every_metric
@pytest.mark.parametrize("references", [(), ("",), ("  ", "\n")])
def test_without_a_reference_the_score_is_missing_where_one_is_needed(name: str, references: tuple[str, ...]):
    built = metric(name)
    scores = score_items(built, make_items([("Rain fell all night.", references), *TEXTS]))
    if "references" in built.needs:
        assert scores.reasons["item 0"] == NO_REFERENCE
    elif name.startswith("reader-fit"):
        assert scores.reasons["item 0"] == NO_OTHER_READER  # each of these items is a query of its own
    else:
        assert math.isfinite(scores.values[0])


@each(ALONE)
def test_a_blank_reference_among_others_is_skipped(name: str):
    (candidate, references) = TEXTS[2]
    among = numbers(name, make_items([(candidate, ["", references[0], " "])]))
    alone = numbers(name, make_items([(candidate, [references[0]])]))
    assert repr(among) == repr(
        alone
    )  # a missing score (of a reader of planted texts) is equal to itself here


@every_metric
def test_the_order_of_items_does_not_move_a_score(name: str):
    items = make_items([*TEXTS, *SCRIPTS])
    assert numbers(name, items[::-1])[::-1] == pytest.approx(
        numbers(name, items), rel=1e-12, abs=tolerance(name), nan_ok=True
    )


@each(ALONE)
def test_one_item_scores_as_it_does_among_others(name: str):
    items = make_items([*TEXTS, *SCRIPTS])
    alone = [numbers(name, [item])[0] for item in items]
    assert alone == pytest.approx(numbers(name, items), rel=0, abs=tolerance(name), nan_ok=True)


@every_metric
def test_the_same_items_get_the_same_scores_again(name: str):
    items = make_items(TEXTS)
    first, second = numbers(name, items), numbers(name, items)
    assert repr(first) == repr(second)  # a missing score is equal to itself here


@every_metric
def test_no_items_give_no_scores(name: str):
    if name in POOLED:
        pytest.skip("it needs a pool of other tasks")
    assert numbers(name, []) == []


@every_metric
def test_a_copy_in_another_process_gives_the_same_scores(name: str):
    items = make_items(TEXTS)
    copy = pickle.loads(pickle.dumps(metric(name)))  # noqa: S301 - our own bytes
    assert repr(score_items(copy, items).values.tolist()) == repr(numbers(name, items))


def test_scores_do_not_depend_on_the_metrics_beside():
    items = make_items([*TEXTS, *SCRIPTS])
    names = [name for name in ALONE if name.split(",")[0] not in MISSING]
    together = [score_items(built, items).values.tolist() for built in build_metrics(names)]
    for name, values in zip(names, together, strict=True):
        assert values == pytest.approx(numbers(name, items), rel=0, abs=tolerance(name), nan_ok=True), name
