"""The pages of a reader, over HTTP, from the link to the thanks."""

import asyncio
import json
import re
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.support.fake_model import FakeModel
from tests.support.study_simulation import simulated_study, stub_models
from tests.support.study_site import StudySite, demo_study

from gameproof.llm.client import Reply
from gameproof.study.events import Reading
from gameproof.study.flow import bracket_of


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    with StudySite(demo_study(queries="queries = 2"), folder / "study.db") as served:
        yield served


def test_a_session_goes_from_the_link_to_the_thanks(site):
    browser = site.browser(enter=True)
    for kind in ("consent", "profile", "query:1", "chosen:1:1", "chosen:1:2", "query:2", "thanks"):
        browser.go_to(kind)
    assert "Questions you have answered: 2." in browser.get().text
    reading = Reading.of(site.store.events(browser.participant))
    assert all(bracket_of(reading, query).is_over for query in (1, 2))


def test_every_form_is_redirected_and_every_page_is_at_one_address(site):
    browser = site.browser(enter=True)
    for form in ({"agree": "yes"}, {"role": "nurse"}, {"text": "cool cities"}):
        answer = browser.answer(form)
        assert (answer.status, answer.headers["location"]) == (303, "/")


def test_a_repeated_and_an_outdated_form_record_nothing_more(site):
    browser = site.browser(enter=True)
    shown = browser.go_to("chosen:1:1")
    form = {"token": shown.token, "step": shown.step, "choice": "right"}
    for choice in ("right", "right", "left"):
        assert browser.post("/", form | {"choice": choice}).status == 303
    events = site.store.events(browser.participant)
    assert [event.data["choice"] for event in events if event.kind == "chosen"] == ["right"]
    assert browser.get().step == "chosen:1:2"


def test_all_problems_of_a_form_are_shown_at_once_and_entries_are_kept(site):
    browser = site.browser(enter=True)
    browser.go_to("profile")
    answer = browser.answer({"domain": 'rivers & "floods"', "needs": "x" * 501, "role": ""})
    assert answer.status == 200
    assert answer.text.count('class="problem"') == 2
    assert 'value="rivers &amp; &#34;floods&#34;"' in answer.text
    assert "x" * 501 in answer.text
    assert "at most 500 characters" in answer.text
    assert 'href="#field-role"' in answer.text


def test_consent_is_asked_for(site):
    browser = site.browser(enter=True)
    answer = browser.answer({})
    assert "please tick the box" in answer.text
    assert browser.get().step == "consent"


def test_progress_is_told_as_numbers_and_changes_its_step_when_summaries_are_there(site):
    browser = site.browser(enter=True)
    browser.go_to("query")
    browser.answer({"text": "Do sensors in rivers warn of floods in time?"})
    first = json.loads(browser.get("/progress").text)
    assert first["step"] in {"preparing:1", "chosen:1:1"}
    browser.go_to("chosen")
    assert json.loads(browser.get("/progress").text) == {"step": "chosen:1:1"}


def test_a_citation_opens_its_abstract_without_script(site):
    browser = site.browser(enter=True)
    shown = browser.go_to("chosen")
    path = re.search(r'href="(/documents/1/\d+)"', shown.text)[1]
    page = browser.get(path)
    assert page.status == 200
    number = int(path.rpartition("/")[2])
    document = site.desk.document(browser.participant, 1, number)
    assert document.title in page.text
    assert browser.get("/documents/1/99").status == 404


def test_a_new_link_goes_on_where_the_reader_was_on_another_device(site):
    browser = site.browser(enter=True)
    shown = browser.go_to("chosen:1:1")
    token = browser.get("/pause").token
    assert browser.post("/pause", {"token": token}).headers["location"] == "/pause"
    first, again = browser.get("/pause").text, browser.get("/pause").text
    link = re.search(r">http://127.0.0.1:\d+(/join/[\w-]+)<", first)[1]
    assert link in again
    phone = site.browser()
    assert phone.get(link).headers["location"] == "/"
    assert phone.get().summaries == shown.summaries


def test_leaving_a_browser_ends_its_session_only(site):
    browser = site.browser(enter=True)
    other = site.browser()
    other.cookies = dict(browser.cookies)
    browser.post("/leave", {"token": browser.get("/pause").token})
    assert other.get().step == ""
    assert site.store.participant(browser.participant) is not None


def test_a_link_of_somebody_else_asks_before_it_takes_a_browser_over(site):
    browser = site.browser(enter=True)
    _, path = site.invite()
    asked = browser.get(path)
    assert asked.status == 200
    assert "Another reader is using this browser" in asked.text
    before = dict(browser.cookies)
    assert browser.post(path, {}).status == 303
    assert browser.cookies != before


def test_an_open_study_takes_readers_until_it_is_full(tmp_path):
    study = demo_study(open="open = true\nmax_participants = 1")
    with StudySite(study, tmp_path / "study.db") as site:
        first, second = site.browser(), site.browser()
        assert 'action="/begin"' in first.get().text
        first.post("/begin", {})
        assert first.get().step == "consent"
        second.post("/begin", {})
        assert "all the readers it needs" in second.get().text
        assert len(site.store.participants()) == 1


def test_readers_who_press_begin_at_once_do_not_pass_the_limit(tmp_path):
    study = demo_study(open="open = true\nmax_participants = 3")
    with StudySite(study, tmp_path / "study.db") as site:
        browsers = [site.browser() for _ in range(8)]
        barrier = threading.Barrier(len(browsers))

        def begin(browser):
            barrier.wait()
            browser.post("/begin", {})

        threads = [threading.Thread(target=begin, args=(browser,)) for browser in browsers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(site.store.participants()) == 3
        assert sum("all the readers it needs" in browser.get().text for browser in browsers) == 5


def test_a_study_by_invitation_says_so(tmp_path):
    with StudySite(demo_study(open="open = false"), tmp_path / "study.db") as site:
        answer = site.browser().get()
        assert answer.status == 403
        assert "by invitation" in answer.text
        site.browser().post("/begin", {})
        assert site.store.participants() == ()


def test_a_reader_can_stop_and_go_on_after_all(site):
    browser = site.browser(enter=True)
    browser.go_to("query:2")
    browser.answer({"finish": "yes"})
    assert "Questions you have answered: 1." in browser.get().text
    browser.answer({"more": "yes"})
    assert browser.get().step == "query:2"


def test_a_page_below_a_path_has_its_links_and_its_cookie_there(tmp_path):
    with StudySite(demo_study(), tmp_path / "study.db", prefix="/lab") as site:
        browser = site.browser()
        answer = browser.get(site.invite()[1])
        assert answer.headers["location"] == "/lab/"
        assert "Path=/lab" in answer.headers["set-cookie"]
        text = browser.get().text
        assert 'action="/lab/"' in text
        assert not re.findall(r'(?:href|src|action)="/(?!lab)', text)


def test_the_language_of_the_consent_is_the_language_of_the_session(tmp_path):
    languages = 'languages = ["en", "de"]\ntitle = { en = "A study", de = "Eine Studie" }'
    study = demo_study(title=languages)
    with StudySite(study, tmp_path / "study.db") as site:
        browser = site.browser(enter=True)
        shown = browser.get("/?language=de")
        assert "Eine Studie" in shown.text
        form = {"token": shown.token, "step": "consent", "language": "de"}
        assert "Eine Studie" in browser.post("/", form).text  # not ticked: shown again
        browser.post("/", form | {"agree": "yes"})
        assert "Eine Studie" in browser.get().text
        assert "A study" in site.browser(enter=True).get("/?language=xx").text


def test_a_model_that_fails_costs_its_comparisons_and_the_reader_goes_on(tmp_path):
    def models(name):
        def write(request):
            told = "<<<reader " in request.messages[-1].content
            if told and "deepseek" in str(name):
                return Reply(text="", model="m")
            return f"{name} {told}: trees stand along the street [1]."

        return FakeModel(write)

    with StudySite(simulated_study(), tmp_path / "study.db", models=models) as site:
        browser = site.browser(enter=True)
        browser.go_to("chosen:1")
        browser.go_to("query:2")
        reading = Reading.of(site.store.events(browser.participant))
        states = bracket_of(reading, 1).matches
        assert [state.choice is not None for state in states].count(True) == 1
        assert sum(state.cancelled == "a summary could not be made" for state in states) == 2


def test_a_model_that_hangs_is_given_up_and_the_reader_goes_on(tmp_path):
    study = simulated_study()
    study = replace(study, generation=replace(study.generation, timeout_s=0.2))

    def models(name):
        if "deepseek" in str(name):
            return SimpleNamespace(name="hangs", complete=lambda _request: asyncio.sleep(3600))
        return stub_models(name)

    with StudySite(study, tmp_path / "study.db", models=models) as site:
        browser = site.browser(enter=True)
        shown = browser.go_to("query:1")
        form = {"token": shown.token, "step": shown.step, "text": "How can cities keep cool in summer?"}
        browser.post("/", form)
        shown = browser.get()
        while shown.step.startswith("preparing"):
            shown = browser.get()
        assert shown.step.partition(":")[0] in {"chosen", "query"}
        failed = [e for e in site.store.events(browser.participant) if e.kind == "generation_failed"]
        assert {event.data["reason"] for event in failed} == {"no text within 0.2 s"}
