"""Krippendorff's alpha in clustered resamples, against one call of the krippendorff package a resample.

420 units of two raters with three answers, as a study of 140 sessions has them, in 20 clusters.
"""

import json
import time

import krippendorff
import numpy as np

from gameproof.stats.agreement import alpha_draws
from gameproof.stats.bootstrap import resample_counts

N_UNITS, N_CLUSTERS = 420, 20
N_RESAMPLES = 10_000
N_LOOPED = 1_000  # of the package: its time is in proportion


def main() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, size=N_UNITS)
    second = np.where(rng.random(N_UNITS) < 0.6, first, rng.integers(0, 3, size=N_UNITS))
    units = np.stack([first, second], axis=1).astype(float)
    clusters = np.arange(N_UNITS) % N_CLUSTERS
    record = {}
    for level in ("nominal", "ordinal", "interval"):
        started = time.process_time()
        draws = alpha_draws(units, level=level, clusters=clusters.tolist(), n_resamples=N_RESAMPLES, seed=0)
        ours = time.process_time() - started
        counts = resample_counts(N_CLUSTERS, N_RESAMPLES, seed=0)[:N_LOOPED]
        started = time.process_time()
        theirs = [
            krippendorff.alpha(
                reliability_data=np.repeat(units, count[clusters], axis=0).T, level_of_measurement=level
            )
            for count in counts
        ]
        looped = (time.process_time() - started) * N_RESAMPLES / N_LOOPED
        record[level] = {
            "gameproof_seconds": round(ours, 3),
            "looped_seconds": round(looped, 1),
            "ratio": round(looped / ours, 1),
            "largest_difference": float(np.abs(draws[:N_LOOPED] - theirs).max()),
        }
    print(json.dumps(record))


if __name__ == "__main__":
    main()
