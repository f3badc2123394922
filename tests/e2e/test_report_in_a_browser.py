"""The report and the page of a comparison in a real browser, opened from disk as a user opens them."""

from pathlib import Path

import pytest
from tests.support.browser import PATIENCE_MS, open_browser
from tests.support.fake_difference import fake_difference
from tests.support.fake_runs import fake_run, hostile_run

import gameproof
from gameproof.reports.html import render_page
from gameproof.reports.run_difference_page import render_difference

pytestmark = [
    pytest.mark.enable_socket,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]

SERIOUS = {"serious", "critical"}
OVERFLOWING = """() => [...document.querySelectorAll('main *')].filter(e =>
    e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll') && !e.closest('svg') && !e.closest('.unseen')
).map(e => e.outerHTML.slice(0, 100))"""
OVERLAPS = """() => [...document.querySelectorAll('.map')].filter(m => m.getBoundingClientRect().width).flatMap(map => {
    const boxes = [...map.querySelectorAll('.map-name')].map(e => e.getBoundingClientRect());
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
        a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
}).length"""

PAGES = {
    "one": lambda: render_page([fake_run()]),
    "two": lambda: render_page([fake_run(), fake_run()]),
    "hostile": lambda: render_page([hostile_run(), fake_run()]),
    "comparison": lambda: render_difference(fake_difference()),
}


@pytest.fixture(scope="module")
def browser():
    with open_browser() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    paths = {name: folder / f"{name}.html" for name in PAGES}
    for name, path in paths.items():
        path.write_text(PAGES[name](), encoding="utf-8")
    return paths


def open_page(context, path):
    """Open a page from disk; return it with everything that the console said and the network was asked for."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:")) else said.append(request.url),
    )
    page.goto(path.as_uri())
    return page, said


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", list(PAGES))
def test_a_page_fits_its_window_and_the_console_stays_empty(browser, pages, name, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said = open_page(context, pages[name])
    page.evaluate("document.querySelectorAll('details').forEach(found => found.open = true)")

    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(OVERLAPS) == 0
    assert page.evaluate("document.querySelectorAll('script').length") == 0
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(PAGES))
def test_axe_finds_nothing_serious(browser, pages, name, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    page, _ = open_page(context, pages[name])
    page.evaluate("document.querySelectorAll('details').forEach(found => found.open = true)")

    found = axe.Axe().run(page).response["violations"]

    assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in SERIOUS] == []
    context.close()


def test_an_audit_of_a_hostile_corpus_leaves_a_safe_page(browser, tmp_path):
    texts = [
        "<script>alert(document.domain)</script> Closed. <img src=x onerror=alert(1)>",
        "\"'><svg onload=alert(1)> The end. ]]></style></title><script>alert(2)</script>",
        "\x1b[2J\x00 control. \u202eevil\u2066 marks. \u2028 line.",
        f"One {'w' * 100_000} word. Two {'v' * 100_000} words.",
        "{{ 7 * 7 }} {% raw %} template. نص من اليمين. 中文句子。",
        "<!-- comment --> and &lt;entities&gt; &#0; here.",
    ]
    rows = [
        {
            "task_id": f"<b>{task}</b>\u202e",
            "system": f"<i>{place}</i>",
            "candidate": f"{text} {task}",
            "references": [texts[(place + 1) % len(texts)], text],
            "ratings": {"<u>clear</u>": place},
        }
        for task in range(5)
        for place, text in enumerate(texts)
    ]
    gameproof.audit(rows, ["length", "rougeL"], out=tmp_path / "run", suite="strategic")

    context = browser.new_context(viewport={"width": 360, "height": 900})
    page, said = open_page(context, tmp_path / "run" / "report.html")
    page.evaluate("document.querySelectorAll('details').forEach(found => found.open = true)")
    assert said == []
    assert page.locator(".move").count() > 0
    assert page.evaluate("document.querySelectorAll('script, img, [onload], [onerror]').length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert (tmp_path / "run" / "report.html").stat().st_size < 1_000_000
    context.close()


def test_the_keyboard_reaches_the_findings_the_tables_and_the_examples(browser, pages):
    context = browser.new_context(viewport={"width": 360, "height": 900})
    page, _ = open_page(context, pages["one"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.tagName + '.' + document.activeElement.className"))
    assert {"A.", "SUMMARY.", "SECTION.scroll"} <= reached
    assert page.evaluate("document.querySelector('.moves').open") is False
    page.focus(".moves > summary")
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector('.moves').open") is True
    context.close()


def test_paper_shows_what_is_folded_on_a_screen(browser, pages):
    context = browser.new_context(viewport={"width": 760, "height": 900})
    page, _ = open_page(context, pages["one"])
    page.emulate_media(media="print")

    assert page.locator(".move").first.is_visible()
    assert page.locator(".contents").first.is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 760
    context.close()
