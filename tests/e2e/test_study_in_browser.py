"""The study's page in a real browser: Debian's chromium, driven by Playwright."""

import asyncio
from types import SimpleNamespace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.support.browser import PATIENCE_MS, open_browser
from tests.support.study_simulation import QUERIES
from tests.support.study_site import SECRET, StudySite, demo_study

from gameproof.study.events import Reading
from gameproof.study.flow import bracket_of
from gameproof.study.retrieve.local import read_embedded

SEARCH_S = 4.0
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
PROFILE = {
    "role": "Town planner",
    "domain": "Climate",
    "needs": "Numbers",
    "knows": "Trees cool\nRoofs reflect",
}
STEP = "input[name=step], main [data-step]:not([data-progress])"
AWAKE_MS = 450  # choices are asleep for so long, against double clicks


@pytest.fixture(scope="module")
def chromium():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with StudySite(demo_study(), tmp_path_factory.mktemp("study") / "study.db") as served:
        yield served


@pytest.fixture
def open_page(chromium):
    """Return a function that opens a browser of its own; at the end the console must have stayed empty."""
    said, contexts = [], []

    def open_one(context=None, **options):
        if context is None:
            context = chromium.new_context(**({"viewport": DESK} | options))
            context.set_default_timeout(PATIENCE_MS)
            contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "response", lambda answer: answer.status < 400 or said.append(f"{answer.status} {answer.url}")
        )
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert said == []


def enter(site, page):
    participant, path = site.invite()
    page.goto(f"http://127.0.0.1:{site.port}{path}")
    return participant


def step_of(page):
    """Return the step of a page once its summaries are there."""
    page.locator(STEP).first.wait_for(state="attached")
    return page.locator(STEP).first.evaluate("node => node.value ?? node.dataset.step")


def fill(page, step, *, place=0):
    """Fill the form of a step in; return what to click."""
    kind = step.partition(":")[0]
    if kind == "consent":
        page.check("#field-agree")
    elif kind == "profile":
        for name, text in PROFILE.items():
            page.fill(f"#field-{name}", text)
    elif kind == "query":
        page.fill("#field-text", QUERIES[place % len(QUERIES)])
    else:
        return f"button[value={('left', 'right', 'neither')[place % 3]}]"
    return "button.main"


def test_eight_queries_with_reload_back_and_double_click_at_every_step(site, open_page):
    page = open_page()
    participant = enter(site, page)
    wanted, steps = {}, []
    while (step := step_of(page)).partition(":")[0] != "thanks":
        steps.append(step)
        page.reload()
        assert step_of(page) == step
        button = fill(page, step, place=len(steps))
        if step.startswith("chosen"):
            wanted[step] = ("left", "right", "neither")[len(steps) % 3]
            page.wait_for_timeout(AWAKE_MS)
        page.dblclick(button)
        expect(page.locator(f'[value="{step}"]')).to_have_count(0)
        after = step_of(page)
        assert after != step
        page.go_back()  # an old page or the current one: it asks for the current step either way
        assert step_of(page) == after
        page.go_forward()
        assert step_of(page) == after
    reading = Reading.of(site.store.events(participant))
    recorded = {key: event.data["choice"] for key, event in reading.by_key.items() if event.kind == "chosen"}
    assert recorded == wanted
    assert reading.n_queries == 8
    assert all(bracket_of(reading, query).is_over for query in range(1, 9))
    expect(page.get_by_text("Questions you have answered: 8.")).to_be_visible()


def answer(page, step, *, place=0):
    """Fill a form in and send it; wait until another page is there."""
    button = fill(page, step, place=place)
    if step.startswith("chosen"):
        page.wait_for_timeout(AWAKE_MS)
    page.click(button)
    expect(page.locator(f'[value="{step}"]')).to_have_count(0)


def choose(page, side):
    """Click a choice, and wait until the next page is there."""
    step = step_of(page)
    page.wait_for_timeout(AWAKE_MS)
    page.click(f"button[value={side}]")
    expect(page.locator(STEP).first).not_to_have_value(step)


def test_two_tabs_do_not_fork_the_tournament(site, open_page):
    first = open_page()
    participant = enter(site, first)
    while not (step := step_of(first)).startswith("chosen"):
        answer(first, step)
    second = open_page(first.context)
    second.goto(f"http://127.0.0.1:{site.port}/")
    assert step_of(second) == step == "chosen:1:1"
    choose(first, "right")
    assert step_of(first) == "chosen:1:2"
    choose(second, "left")  # on the page that was open before
    assert step_of(second) == "chosen:1:2"
    choose(first, "left")
    choose(second, "right")
    assert step_of(first) == step_of(second) == "chosen:1:3"
    events = site.store.events(participant)
    assert [event.data["choice"] for event in events if event.kind == "chosen"] == ["right", "left"]


def test_a_phone_shows_every_page_without_sideways_scrolling(site, open_page):
    page = open_page(viewport=PHONE, has_touch=True)
    enter(site, page)
    for _ in range(7):
        step = step_of(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], step
        button = fill(page, step)
        if step.startswith("chosen"):
            expect(page.locator("button[value=right]")).to_be_in_viewport()
            tops = [page.locator(f"#summary-{n}").bounding_box()["y"] for n in (1, 2)]
            assert tops[0] < tops[1]
        page.tap(button)
        expect(page.locator(f'[value="{step}"]')).to_have_count(0)
    step_of(page)
    page.goto(f"http://127.0.0.1:{site.port}/pause")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def tab_to(page, selector):
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", f"the focus on {selector} cannot be seen"
            return
    pytest.fail(f"{selector} cannot be reached by Tab")


def test_a_query_by_keyboard_alone(site, open_page):
    page = open_page()
    participant = enter(site, page)
    press = page.keyboard.press
    tab_to(page, "#field-agree")
    press("Space")
    tab_to(page, "button.main")
    press("Enter")
    expect(page.locator("#field-role")).to_be_visible()
    tab_to(page, "#field-role")
    page.keyboard.type("Nurse of 120 beds")  # digits are text here and no choice
    tab_to(page, "button.main")
    press("Enter")
    expect(page.locator("#field-text")).to_be_visible()
    tab_to(page, "#field-text")
    page.keyboard.type(QUERIES[0])
    tab_to(page, "button.main")
    press("Enter")
    assert step_of(page) == "chosen:1:1"
    tab_to(page, "a.cite")
    press("Enter")
    expect(page.locator("dialog[open]")).to_be_visible()
    press("1")  # a choice needs a page without an open abstract
    press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert page.evaluate("document.activeElement.matches('a.cite')")
    for place, key in enumerate("120", start=1):
        page.wait_for_timeout(AWAKE_MS)
        press(key)
        expect(page.locator(STEP).first).not_to_have_value(f"chosen:1:{place}")
    assert step_of(page) == "query:2"
    events = site.store.events(participant)
    assert [event.data["choice"] for event in events if event.kind == "chosen"] == [
        "left",
        "right",
        "neither",
    ]


def test_a_key_that_is_held_down_answers_one_page(site, open_page):
    page = open_page()
    participant = enter(site, page)
    while not (step := step_of(page)).startswith("chosen"):
        answer(page, step)
    page.wait_for_timeout(AWAKE_MS)
    for _ in range(20):  # the first one is a press, the others are repetitions of the held key
        page.keyboard.down("1")
    assert step_of(page) == "chosen:1:2"
    page.keyboard.up("1")
    assert len([event for event in site.store.events(participant) if event.kind == "chosen"]) == 1


def test_a_query_without_script(site, open_page):
    page = open_page(java_script_enabled=False)
    participant = enter(site, page)
    kinds = ["consent", "profile", "query", "chosen", "chosen", "chosen"]
    for place, kind in enumerate(kinds):
        if kind == "chosen":
            page.wait_for_selector(".choices")  # the page of progress loads itself again
        answer(page, step_of(page), place=place)
    assert len([event for event in site.store.events(participant) if event.kind == "chosen"]) == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(site, open_page, scheme):
    page = open_page(color_scheme=scheme, reduced_motion="reduce")
    checked = []

    def check(name):
        found = Axe().run(page).response["violations"]
        bad = [each for each in found if each["impact"] in {"serious", "critical"}]
        assert bad == [], (name, [(each["id"], each["nodes"][0]["html"]) for each in bad])
        checked.append(name)

    enter(site, page)
    while not (step := step_of(page)).startswith("query:2"):
        check(step)
        if step in {"consent", "profile"}:
            page.click("button.main")  # not filled in: problems are shown
            check(f"{step} again")
        if step == "chosen:1:1":
            page.click("a.cite >> nth=0")
            check("abstract")
            page.click("dialog[open] button")
            page.click(".sources summary")
            check("sources")
        answer(page, step)
    check("query:2")
    page.click("button[name=finish]")
    assert step_of(page).startswith("thanks")
    check("thanks")
    for path in ("pause", "documents/1/1"):
        page.goto(f"http://127.0.0.1:{site.port}/{path}")
        check(path)
    page.goto(f"http://127.0.0.1:{site.port}/admin")
    check("sign in")
    page.fill("#secret", SECRET)
    page.click("button.main")
    page.click("text=Make links")
    check("admin")
    assert len(checked) == 16


def test_the_page_of_progress_is_fine_for_axe_and_goes_on_by_itself(tmp_path, chromium):
    corpus = read_embedded()

    async def search(query, n):
        await asyncio.sleep(SEARCH_S)
        return await corpus.search(query, n)

    retriever = SimpleNamespace(source="x", search=search, close=corpus.close)
    with StudySite(demo_study(), tmp_path / "study.db", retriever=retriever) as site:
        page = chromium.new_page()
        enter(site, page)
        for step in ("consent", "profile", "query"):
            answer(page, step)
        expect(page.locator("[data-progress]")).to_be_visible()
        found = Axe().run(page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []
        page.wait_for_selector(".choices")
        page.close()
