"""Attempted break-ins: each is refused, and changes nothing."""

import contextlib
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.support.fake_model import FakeModel
from tests.support.study_site import StudySite, demo_study

from gameproof.errors import StoreError
from gameproof.llm.client import Reply
from gameproof.study.events import Document
from gameproof.study.retrieve.base import Found
from gameproof.study.tokens import draw_token
from gameproof.web.limits import Rate

HOSTILE = (
    "<script>alert(1)</script> [1] <img src=x onerror=alert(2)> </article></p> "
    '"><a href="javascript:alert(3)">x</a> {{ 7 * 7 }} {% raw %} &lt;b&gt; \u202e [2]'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with StudySite(demo_study(), tmp_path_factory.mktemp("study") / "study.db") as served:
        yield served


@pytest.fixture(scope="module")
def victim(site):
    browser = site.browser(enter=True)
    browser.go_to("chosen")
    return browser


def n_events(site, browser):
    return site.store.participant(browser.participant).n_events


GUESSES = (
    "", "x", "0" * 43, "..", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "' OR '1'='1", "%00", "A" * 3000, "%F0%9F%92%A9",
    "reader-000000000000",
)  # fmt: skip


@pytest.mark.parametrize("guess", GUESSES)
def test_a_guessed_link_opens_nothing(site, guess):
    browser = site.browser()
    answer = browser.get("/join/" + guess.replace(" ", "%20"))
    assert answer.status in {400, 404}
    assert not browser.cookies


def test_guessing_links_is_slowed_down(tmp_path):
    limits = {"unknown_link": Rate(burst=3, per_minute=1)}
    with StudySite(demo_study(), tmp_path / "study.db", limits=limits) as site:
        statuses = [site.browser().get(f"/join/{draw_token()}").status for _ in range(5)]
        assert statuses == [404, 404, 429, 429, 429]


@pytest.mark.parametrize("guess", ["", "x", "' OR 1=1 --", "A" * 3000, "0" * 43])
def test_a_guessed_session_sees_nothing(site, victim, guess):
    browser = site.browser()
    browser.cookies["reader"] = guess
    before = n_events(site, victim)
    assert browser.get().step == ""
    assert browser.get("/documents/1/1").headers["location"] == "/"
    assert browser.get("/progress").status == 401
    assert browser.post("/", {"step": "chosen:1:1", "choice": "left"}).headers["location"] == "/"
    assert n_events(site, victim) == before


def test_a_reader_sees_no_documents_of_another(site, victim):
    stranger = site.browser(enter=True)
    assert victim.get("/documents/1/1").status == 200
    assert stranger.get("/documents/1/1").status == 404
    assert stranger.get().step == "consent"


def test_a_form_of_another_session_is_refused(site, victim):
    stranger = site.browser(enter=True)
    token = stranger.get().token
    shown, before = victim.get(), n_events(site, victim)
    form = {"step": shown.step, "choice": "left"}
    for forged in (token, "", "x", shown.token[:-1], shown.token.upper()):
        assert victim.post("/", form | {"token": forged}).status == 403
    assert n_events(site, victim) == before


FOREIGN = (
    {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"},
    {"Origin": "http://["}, {"Origin": ""},
)  # fmt: skip


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_post_that_another_site_makes_a_browser_send_is_refused(site, victim, headers):
    shown, before = victim.get(), n_events(site, victim)
    form = {"token": shown.token, "step": shown.step, "choice": "left"}
    assert victim.post("/", form, **headers).status == 403
    assert n_events(site, victim) == before


def test_cookies_are_kept_from_scripts_and_other_sites(site):
    answer = site.browser().get(site.invite()[1])
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


def test_behind_https_cookies_are_secure_and_of_this_host_alone(tmp_path):
    with StudySite(demo_study(), tmp_path / "study.db") as site:
        object.__setattr__(site.settings, "address", "https://study.example.org")  # as a proxy shows it
        cookie = site.browser().get(site.invite()[1]).headers["set-cookie"]
    assert cookie.startswith("__Host-reader=")
    assert "; Secure" in cookie
    assert "Path=/" in cookie


def test_every_answer_has_the_headers(victim):
    pages = [
        victim.get(path) for path in ("/", "/nowhere", "/static/page.css", "/pause", "/admin", "/join/x")
    ]
    for answer in [*pages, victim.post("/", {}), victim.send("PUT", "/")]:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"


def test_no_page_has_inline_script_or_style(victim):
    for path in ("/", "/pause", "/documents/1/1", "/admin"):
        text = victim.get(path).text
        assert re.findall(r"<script(?![^>]* src=)", text) == []
        assert not re.search(r"<[^>]+ (?:style|on\w+)=", text)
        assert "<style" not in text


def test_a_hostile_summary_is_text(tmp_path):
    def hostile(_name):
        return FakeModel(lambda _request: Reply(text=HOSTILE, model="m"))

    study = hostile_study()
    with StudySite(study, tmp_path / "study.db", models=hostile) as site:
        browser = site.browser(enter=True)
        shown = browser.go_to("chosen", text="<script>alert(4)</script> How can cities keep cool in summer?")
        assert "<script>alert" not in shown.text
        assert "<img" not in shown.text
        assert 'javascript:alert(3)"' not in shown.text
        assert "49" not in shown.summaries[0]
        for summary in shown.summaries:
            assert " ".join(summary.split()) == " ".join(HOSTILE.split())


def hostile_study():
    study = demo_study()
    return replace(study, conditions=tuple(replace(each, model="stub") for each in study.conditions))


def test_a_hostile_document_has_no_link_of_another_scheme(tmp_path):
    async def search(_query, _n):
        document = Document(
            id="1",
            title="<b>x</b>",
            text="Rain <script>alert(1)</script> fell for three days.",
            url="javascript:alert(1)",
        )
        return Found(documents=(document,), source="<i>x</i>")

    async def close():
        pass

    retriever = SimpleNamespace(source="x", search=search, close=close)
    with StudySite(demo_study(), tmp_path / "study.db", retriever=retriever) as site:
        browser = site.browser(enter=True)
        text = browser.go_to("chosen").text + browser.get("/documents/1/1").text
        assert "<script>alert" not in text
        assert "<b>x" not in text
        assert "<i>x" not in text
        assert "javascript:" not in text


PATHS = (
    "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/page.css/..",
    "/static/....//app.py", "/documents/../../etc/passwd", "/documents/1/-1", "/documents/1/0", "/documents/-1/1",
    "/documents/1e9/1", "/documents/99999999999999999999999/1", "/documents/1/99999999999999999999999",
    "/.env", "/study.db", "/admin/delete/..%2f..", "/admin/delete/' OR 1=1", "/%00", "/join",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_to_a_file_or_a_row(victim, path):
    answer = victim.get(path.replace(" ", "%20"))
    assert answer.status in {303, 400, 404}
    assert "import" not in answer.text
    assert "root:" not in answer.text


SQL = (
    "' OR '1'='1",
    "'; DROP TABLE events; --",
    "1); DELETE FROM participants; --",
    "\x00",
    "\\",
    '"',
    "%s",
    ":id",
)


@pytest.mark.parametrize("text", SQL)
def test_statements_in_a_form_are_text(site, text):
    browser = site.browser(enter=True)
    shown = browser.go_to("query")
    n = len(site.store.participants())
    browser.post("/", {"token": shown.token, "step": shown.step, "text": f"{text} cool cities"})
    browser.post("/", {"token": shown.token, "step": f"query:1{text}", "text": "cool"})
    browser.post("/", {"token": text, "step": text, "choice": text})
    assert len(site.store.participants()) == n
    given = [event for event in site.store.events(browser.participant) if event.kind == "query_given"]
    assert [event.data["text"] for event in given] == [f"{text} cool cities".replace("\x00", "").strip()]


def test_an_oversized_body_is_refused_whatever_its_header_says(victim):
    body = "text=" + "a" * 5_000_000
    assert (
        victim.send("POST", "/", body, headers={"Content-Type": "application/x-www-form-urlencoded"}).status
        == 413
    )
    chunked = iter([body.encode()])
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Transfer-Encoding": "chunked"}
    with contextlib.suppress(
        BrokenPipeError, ConnectionResetError
    ):  # closed before all was sent: refused as well
        assert victim.send("POST", "/", chunked, headers=kind).status == 413
    assert victim.get().status == 200


@pytest.mark.parametrize("kind", ["", "application/json", "multipart/form-data; boundary=x", "text/plain"])
def test_another_kind_of_body_is_refused(victim, kind):
    assert victim.send("POST", "/", "step=consent", headers={"Content-Type": kind}).status == 415


def test_a_form_with_too_many_fields_is_refused(victim):
    assert victim.post("/", {f"f{n}": "x" for n in range(500)}).status == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(victim, method):
    assert victim.send(method, "/").status == 405


def test_too_many_requests_of_one_reader_are_refused_for_a_while(tmp_path):
    with StudySite(
        demo_study(), tmp_path / "study.db", limits={"reader": Rate(burst=4, per_minute=1)}
    ) as site:
        browser, other = site.browser(enter=True), site.browser(enter=True)
        statuses = [browser.get().status for _ in range(6)]
        assert statuses == [200] * 4 + [429] * 2
        assert "Everything you have done is stored" in browser.get().text
        assert other.get().status == 200


def test_an_address_that_floods_the_server_is_refused(tmp_path):
    with StudySite(
        demo_study(), tmp_path / "study.db", limits={"address": Rate(burst=5, per_minute=1)}
    ) as site:
        statuses = [site.browser().get("/admin").status for _ in range(7)]
        assert statuses == [200] * 5 + [429] * 2


def test_a_revoked_link_and_its_sessions_are_dead(site):
    participant, path = site.invite()
    browser = site.browser()
    browser.get(path)
    assert browser.get().step == "consent"
    site.store.revoke(participant)
    assert browser.get().step == ""
    assert site.browser().get(path).status == 404


def test_a_deleted_reader_is_gone_from_open_tabs(site):
    browser = site.browser(enter=True)
    shown = browser.go_to("query")
    site.store.delete(browser.participant)
    form = {"token": shown.token, "step": shown.step, "text": "cool"}
    assert browser.post("/", form).headers["location"] == "/"
    assert browser.get().step == ""
    assert site.store.events(browser.participant) == ()


def test_a_link_that_one_reader_made_is_not_shown_to_the_next_one_in_the_same_browser(site):
    browser = site.browser(enter=True)
    browser.go_to("chosen")
    token = re.search(r'name="token" value="(\w+)"', browser.get("/pause").text)[1]
    browser.post("/pause", {"token": token})
    own = re.search(r"/join/[\w-]+", browser.get("/pause").text)[0]
    _, link = site.invite()
    browser.post(link, {})  # "yes, go on with this link"
    assert own not in browser.get("/pause").text
    assert "/join/" not in browser.get("/pause").text


def test_a_failure_shows_no_trace_and_no_reason(tmp_path, monkeypatch):
    with StudySite(demo_study(), tmp_path / "study.db") as site:
        browser = site.browser(enter=True)

        def fail(*_arguments):
            raise RuntimeError("secret path /srv/study")

        monkeypatch.setattr(type(site.store), "events", fail)
        answer = browser.get()
        assert answer.status == 500
        assert "Traceback" not in answer.text
        assert "/srv" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_database_that_is_away_asks_to_try_again(tmp_path, monkeypatch):
    with StudySite(demo_study(), tmp_path / "study.db") as site:
        browser = site.browser(enter=True)

        def fail(*_arguments):
            raise StoreError("the study's database failed: postgresql://user:pass@host")

        monkeypatch.setattr(type(site.store), "events", fail)
        answer = browser.get()
        assert answer.status == 503
        assert "retry-after" in answer.headers
        assert "pass@" not in answer.text


def test_tokens_of_links_and_sessions_are_in_no_database(tmp_path):
    path = tmp_path / "study.db"
    with StudySite(demo_study(), path) as site:
        _, link = site.invite()
        browser = site.browser()
        browser.get(link)
        data = b"".join(file.read_bytes() for file in tmp_path.glob("study.db*"))
    assert browser.cookies["reader"].encode() not in data
    assert link.rpartition("/")[2].encode() not in data
