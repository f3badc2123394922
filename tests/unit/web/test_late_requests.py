"""Requests that come too late, twice or too often: each is answered with where to go on."""

import json

import pytest
from tests.support.study_site import SECRET, StudySite, demo_study

from gameproof.errors import PlanError
from gameproof.web.limits import Rate
from gameproof.web.settings import Settings

ONE = Rate(burst=1, per_minute=1)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with StudySite(demo_study(), tmp_path_factory.mktemp("study") / "study.db") as served:
        yield served


@pytest.mark.parametrize("path", ["/pause", "/documents/1/1"])
def test_a_page_of_a_reader_leads_a_stranger_to_the_beginning(site, path):
    answer = site.browser().get(path)
    assert (answer.status, answer.headers["location"]) == (303, "/")


@pytest.mark.parametrize("path", ["/", "/leave", "/pause"])
def test_a_form_of_somebody_without_a_session_leads_to_the_beginning(site, path):
    answer = site.browser().post(path, {"token": "x", "step": "consent"})
    assert (answer.status, answer.headers.get("location")) == (303, "/")


def test_a_stranger_is_told_no_progress(site):
    answer = site.browser().get("/progress")
    assert (answer.status, json.loads(answer.text)) == (401, {"step": ""})


def test_progress_of_a_page_without_any_is_its_step_and_of_a_deleted_reader_empty(site):
    browser = site.browser(enter=True)
    assert json.loads(browser.get("/progress").text) == {"step": "consent"}
    site.store.delete(browser.participant)
    assert json.loads(browser.get("/progress").text)["step"] == ""


def test_one_s_own_link_opened_again_goes_on(site):
    browser = site.browser()
    _, path = site.invite()
    assert browser.get(path).status == 303
    browser.go_to("profile")
    again = browser.get(path)
    assert (again.status, again.headers["location"]) == (303, "/")
    assert browser.get().step == "profile"


def test_who_takes_part_already_begins_no_second_time(tmp_path):
    study = demo_study(open="open = true\nmax_participants = 5")
    with StudySite(study, tmp_path / "study.db") as site:
        browser = site.browser()
        for _ in range(2):
            assert browser.post("/begin", {}).headers["location"] == "/"
        assert len(site.store.participants()) == 1


def test_one_address_enrols_only_so_many_readers(tmp_path):
    study = demo_study(open="open = true\nmax_participants = 5")
    with StudySite(study, tmp_path / "study.db", limits={"enrol": ONE}) as site:
        assert [site.browser().post("/begin", {}).status for _ in range(2)] == [303, 429]
        assert len(site.store.participants()) == 1


def test_a_reader_makes_only_so_many_links(tmp_path):
    with StudySite(demo_study(), tmp_path / "study.db", limits={"new_link": ONE}) as site:
        browser = site.browser(enter=True)
        browser.go_to("profile")
        form = {"token": browser.get("/pause").token}
        first, second = (browser.post("/pause", form) for _ in range(2))
        assert (first.status, first.headers["location"], second.status) == (303, "/pause", 429)
        assert "/join/" in browser.get("/pause").text


@pytest.mark.parametrize(("method", "path"), [("POST", "/"), ("GET", "/progress")])
def test_every_request_of_a_reader_counts(tmp_path, method, path):
    with StudySite(demo_study(), tmp_path / "study.db", limits={"reader": ONE}) as site:
        browser = site.browser(enter=True)
        page = browser.get()
        fields = {"token": page.token, "step": page.step, "agree": "yes", "language": "en"}
        answer = browser.post(path, fields) if method == "POST" else browser.get(path)
        assert answer.status == 429
        assert [event.kind for event in site.store.events(browser.participant)] == ["shown"]


def test_a_file_that_the_page_does_not_have_is_not_found(site):
    assert site.browser().get("/static/no-such.css").status == 404


def test_a_watcher_is_told_that_the_database_answers(site):
    answer = site.browser().get("/healthy")
    assert (answer.status, answer.text) == (200, "ok\n")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"address": "study.example.org"}, "the page's address is 'study.example.org': expected http://HOST"),
        ({"address": "https://study.example.org/?a=1"}, "expected http://HOST or https://HOST"),
        ({"admin_secret": SECRET[:15]}, "the administrator's secret is too short: expected 16 characters"),
    ],
)
def test_settings_that_cannot_be_served_are_refused(settings, told):
    with pytest.raises(PlanError, match=told.replace("?", r"\?")):
        Settings(**settings)
