"""METEOR equals NLTK, to the last bit; without NLTK's slip it equals NLTK's stages over the words themselves.

Stored values: tests/golden/battery/meteor.json, made by nltk 3.10.4 over WordNet 3.0.
"""

from pathlib import Path

import pytest
from tests.support.golden import golden_values, our_values, planted_pairs, summeval_pairs

from gameproof.metrics.wordnet import FILES, USUAL_FOLDERS, wordnet_version

NAMES = pytest.mark.parametrize("name", ["meteor", "meteor,compat=nltk"])


@pytest.fixture(scope="module")
def whole_wordnet():
    for folder in USUAL_FOLDERS:
        if all((folder / file).is_file() for file in FILES) and wordnet_version(str(folder)).startswith(
            "3.0"
        ):
            return folder
    pytest.skip("needs WordNet 3.0: apt-get install wordnet-base")


@NAMES
def test_240_planted_pairs_are_equal_over_a_cut_of_wordnet(name: str):
    items = planted_pairs()
    assert our_values(name, items) == golden_values("meteor", "planted", items)[name]


@pytest.mark.real_data
@NAMES
def test_240_rated_summaries_are_equal_over_wordnet(shared_folder: Path, whole_wordnet: Path, name: str):
    items = summeval_pairs(shared_folder)
    values = golden_values("meteor", "summeval", items)[name]
    assert our_values(f"{name},data={whole_wordnet}", items) == values


def test_looking_up_stems_changes_a_third_of_real_scores_and_more_of_planted_ones():
    # What `compat=nltk` is for: 33% of the SummEval pairs differ, by up to .038, and 57% of the planted ones.
    items = planted_pairs()
    values = golden_values("meteor", "planted", items)
    differing = [a != b for a, b in zip(values["meteor"], values["meteor,compat=nltk"], strict=True)]
    assert sum(differing) / len(differing) == pytest.approx(0.575)
