"""Intervals of a study's analysis hold what was planted as often as they say."""

import numpy as np
import pytest
from scipy import stats
from tests.support.study_played import CONDITIONS, PLANTED, PLANTED_CONTRASTS, played
from tests.support.study_simulation import SESSIONS

from gameproof.study.analysis import _regress
from gameproof.study.duels import duels_of
from gameproof.study.strengths import fit_strengths

N_STUDIES = 120
# Percentile intervals over 20 readers are a little short (see `gameproof.stats.agreement`): .90 instead of .95.
PROMISED = {"CR2": 0.93, "bootstrap": 0.90}


@pytest.mark.slow
def test_intervals_hold_the_planted_effects() -> None:
    """Studies of the paper's size, readers with tastes of their own; the bound is the 1 in 1,000 point of a binomial."""
    held: dict[str, list[bool]] = {}
    for seed in range(N_STUDIES):
        duels = duels_of(played(seed, SESSIONS))
        fit, strengths = _regress(duels).fit, fit_strengths(duels, CONDITIONS, seed=seed)
        assert fit is not None
        for each in fit.coefficients:
            hit = each.interval_cr2.low < PLANTED[each.name] < each.interval_cr2.high
            held.setdefault(f"CR2 {each.name}", []).append(hit)
        contrasts = {each.name: each for each in (*strengths.contrasts, strengths.side) if each is not None}
        for name, planted in PLANTED_CONTRASTS.items():
            interval = contrasts[name].interval
            assert interval is not None
            held.setdefault(f"bootstrap {name}", []).append(interval.low < planted < interval.high)
    for name, hits in held.items():
        least = stats.binom.ppf(0.001, N_STUDIES, PROMISED[name.partition(" ")[0]])
        assert np.sum(hits) >= least, (name, np.mean(hits))
