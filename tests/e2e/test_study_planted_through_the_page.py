"""A study with planted effects goes through the page, the export and the analysis, and comes out again."""

from concurrent.futures import ThreadPoolExecutor

from tests.support.study_played import PLANTED, PLANTED_CONTRASTS
from tests.support.study_simulation import QUERIES, SESSIONS, SimulatedReader, simulated_study, stub_models
from tests.support.study_site import StudySite

from gameproof import _bridge, aio

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


def test_the_planted_effects_are_found_again(tmp_path):
    """20 readers, 140 sessions, the effects of the paper's table 4c: each within four of its standard errors."""
    database, folder = tmp_path / "study.db", tmp_path / "export"
    with (
        StudySite(simulated_study(), database, models=stub_models) as site,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        list(pool.map(take_part, [site] * len(SESSIONS), range(len(SESSIONS)), SESSIONS))
    _bridge.run(aio.export_study(database, folder))
    found = _bridge.run(aio.analyse_study(folder)).analysis
    assert (found.counts.sessions, found.counts.readers, found.counts.readers_with_all) == (140, 20, 16)
    fit = found.regression.fit
    assert fit is not None
    for each in fit.coefficients:
        assert abs(each.estimate - PLANTED[each.name]) < 4 * each.error_cr2
    contrasts = {
        each.name: each for each in (*found.strengths.contrasts, found.strengths.side) if each is not None
    }
    for name, planted in PLANTED_CONTRASTS.items():
        interval = contrasts[name].interval
        assert interval is not None
        error = (interval.high - interval.low) / (2 * 1.96)
        assert abs(contrasts[name].value - planted) < 4 * error
