"""Digests change exactly when something that matters does."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from gameproof.files import digest_file, digest_items, digest_of
from gameproof.records import Item


def test_a_digest_is_the_sha256_of_canonical_json():
    assert (
        digest_of({"b": 1, "a": ["é", None]}) == hashlib.sha256(b'{"a":["\\u00e9",null],"b":1}').hexdigest()
    )


def test_equal_values_of_other_types_have_the_same_digest():
    assert digest_of({"a": (1, 2), "b": Path("x")}) == digest_of({"b": "x", "a": [np.int64(1), 2]})


def test_half_a_character_and_nan_have_a_digest():
    assert digest_of("\ud83d") != digest_of("\ud83c")
    assert digest_of(float("nan")) != digest_of(None)


def test_a_file_has_the_digest_of_its_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 3_000_000)
    assert digest_file(tmp_path / "a") == hashlib.sha256(b"x" * 3_000_000).hexdigest()


def test_items_have_one_digest_that_depends_on_every_part_and_on_their_order():
    one, two = Item(id="a", task_id="t", candidate="c"), Item(id="b", task_id="t", candidate="d")
    digest = digest_items([one, two])
    assert digest == digest_items(iter([one, two]))
    assert digest != digest_items([two, one])
    assert digest != digest_items([one, replace(two, ratings={"x": 1.0})])
    assert digest != digest_items([one])
