"""No page, address, id or order tells which condition wrote a summary."""

import re

import pytest
from tests.support.fake_model import FakeModel
from tests.support.study_simulation import simulated_study, stub_models
from tests.support.study_site import StudySite, demo_study

from gameproof.llm.client import Reply

PAGES = ("/", "/progress", "/pause", "/documents/1/1", "/static/page.js", "/static/page.css", "/nowhere")
STUDIES = {
    "demonstration": lambda: (demo_study(queries="queries = 2"), None),
    "paper": lambda: (simulated_study(), stub_models),
}


def all_pages(browser):
    """Go through a whole session and yield all that the server says."""
    while True:
        shown = browser.get()
        yield from (browser.get(path) for path in PAGES)
        kind = shown.step.partition(":")[0]
        if kind == "thanks":
            return
        form = {
            "consent": {"agree": "yes"},
            "profile": {"role": "nurse", "domain": "wards", "needs": "numbers", "use_case": "notes"},
            "query": {"text": "How can cities keep cool in summer?"},
            "chosen": {"choice": "left"},
        }.get(kind)
        if form:
            yield browser.post("/", {"token": shown.token, "step": shown.step} | form)


@pytest.mark.parametrize("name", STUDIES)
def test_no_page_reveals_a_condition_or_a_model(tmp_path, name):
    study, models = STUDIES[name]()
    names = {each.id for each in study.conditions} | {each.model for each in study.conditions}
    names |= {"personalised", "generic", "extractive", "positions", "condition"}
    with StudySite(study, tmp_path / "study.db", models=models) as site:
        browser = site.browser(enter=True)
        for answer in all_pages(browser):
            said = answer.text + str(dict(answer.headers))
            own = {name for name in names if re.search(re.escape(name), said, re.IGNORECASE)}
            assert not own, said


def test_pages_with_swapped_texts_differ_in_the_texts_alone(tmp_path):
    """The page is the same function of both texts, whatever condition wrote them."""
    study = simulated_study()
    with StudySite(study, tmp_path / "study.db", models=stub_models) as site:
        pages = [site.browser(enter=True).go_to("chosen") for _ in range(6)]
        skeletons = set()
        for page in pages:
            text = page.text
            for summary in ("Alder", "Birch", "Cedar", "Elm"):
                text = text.replace(f"{summary} trees", "TREES")
            text = re.sub(r"reader-[0-9a-f]+|[0-9a-f]{64}", "ID", text)
            skeletons.add(text)
        assert len(skeletons) == 1


def test_a_failed_model_is_counted_and_not_named(tmp_path):
    def models(name):
        if "deepseek" in str(name):
            return FakeModel(lambda _request: Reply(text="", model="m"))
        return stub_models(name)

    with StudySite(simulated_study(), tmp_path / "study.db", models=models) as site:
        browser = site.browser(enter=True)
        shown = browser.go_to("query:1")
        browser.post("/", {"token": shown.token, "step": shown.step, "text": "How can cities keep cool?"})
        said = "".join(browser.get(path).text for _ in range(20) for path in ("/", "/progress"))
        assert "deepseek" not in said
        assert "wrote nothing" not in said
