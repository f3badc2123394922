"""A study with planted effects goes through the page, the export and the analysis, and comes out again."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from gameproof import aio
from tests.support.study_simulation import (
    QUERIES,
    SESSIONS,
    STRENGTHS,
    SimulatedReader,
    simulated_study,
    stub_models,
)
from tests.support.study_site import StudySite

AT_ONCE = 4


def take_part(site, number, n_sessions):
    """Let one simulated reader see pages and post forms, as a browser does."""
    reader, browser = SimulatedReader(number=number), site.browser(enter=True)
    browser.go_to("consent")
    browser.answer({"agree": "yes"})
    browser.answer(reader.profile)
    while not (shown := browser.get()).step.startswith("thanks"):
        kind, _, place = shown.step.partition(":")
        form = {"token": shown.token, "step": shown.step}
        if kind == "query":
            number_of_query = int(place)
            if number_of_query > n_sessions:
                browser.post("/", form | {"finish": "yes"})
            else:
                browser.post("/", form | {"text": QUERIES[number_of_query - 1]})
        elif kind == "chosen":
            left, right = (text.strip() for text in shown.summaries)
            choice = reader.choose(left, right, is_final=place.endswith(":3"))
            browser.post("/", form | {"choice": choice})
