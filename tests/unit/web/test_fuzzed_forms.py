"""Any form at any step: never a failure of the server, never more than one event for a step."""

import string
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.study_site import FORM, StudySite, demo_study

NAMES = st.sampled_from((
    "token", "step", "agree", "language", "role", "domain", "needs", "use_case", "knows", "text", "finish", "choice",
    "more", "secret", "count", "days", "participant", "", "constructor", "__class__",
))  # fmt: skip
VALUES = st.one_of(
    st.sampled_from((
        "yes", "left", "right", "neither", "en", "consent", "profile", "query:1", "chosen:1:1", "thanks:1", "-1", "1e99",
    )),
    st.text(max_size=40),
    st.text(alphabet=st.characters(categories=["Cc", "Cf", "Zl", "Lo", "So"]), max_size=20),
    st.integers().map(str),
    st.just("x" * 600),
)  # fmt: skip
FORMS = st.dictionaries(NAMES | st.text(alphabet=string.ascii_letters, max_size=5), VALUES, max_size=8)
ADDRESSES = st.sampled_from((
    "/", "/begin", "/pause", "/leave", "/admin", "/admin/invite", "/admin/link", "/admin/revoke", "/admin/delete",
    "/admin/sign-out", "/join/x",
))  # fmt: skip
KINDS = ("consent", "profile", "query", "chosen", "thanks")
MANY = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    with StudySite(demo_study(queries="queries = 1"), folder / "study.db") as served:
        yield served


@pytest.fixture(scope="module")
def readers(site):
    """Return a reader at each step."""
    found = {}
    for kind in KINDS:
        found[kind] = site.browser(enter=True)
        found[kind].go_to(kind)
    return found


@pytest.mark.parametrize("kind", KINDS)
@MANY
@given(fields=FORMS, keep=st.booleans())
def test_a_form_of_any_content_is_answered(readers, site, kind, fields, keep):
    browser = readers[kind]
    shown = browser.get()
    own = {"token": shown.token, "step": shown.step} if keep else {}
    if not shown.token:  # at the end there is no form
        own = {}
    assert browser.post("/", fields | own).status in {200, 303, 400, 403}
    assert browser.get().status == 200
    keys = [event.key for event in site.store.events(browser.participant)]
    assert len(keys) == len(set(keys))


@MANY
@given(
    address=ADDRESSES,
    body=st.binary(max_size=300),
    kind=st.sampled_from((FORM, f"{FORM}; charset=x", "text/html")),
)
def test_a_body_of_any_bytes_is_answered(readers, address, body, kind):
    status = readers["query"].send("POST", address, body, headers={"Content-Type": kind}).status
    assert status < 500


@MANY
@given(
    path=st.text(max_size=60),
    language=st.text(max_size=20),
    cookie=st.text(string.printable[:94], max_size=40),
)
def test_an_address_of_any_text_is_answered(site, path, language, cookie):
    browser = site.browser()
    browser.cookies = {"reader": cookie, "admin": cookie}
    assert browser.get(f"/{quote(path)}").status < 500
    assert browser.get(f"/?language={quote(language)}").status == 200
