import pickle
from dataclasses import dataclass

import pytest
from tests.support.scoring import make_items, score_items

from gameproof import text
from gameproof.metrics import rouge_texts
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.text_memo import Store, TextMemo


@dataclass(frozen=True)
class Value:
    nbytes: int


def test_a_value_is_made_once():
    store = Store(10_000)
    made: list[str] = []

    def make() -> Value:
        made.append("made")
        return Value(10)

    assert store.get(("kind", "text"), make) is store.get(("kind", "text"), make)
    assert made == ["made"]


def test_what_was_not_used_for_longest_goes_first():
    store = Store(3000)
    for name in ("a", "b"):
        store.get((name,), lambda: Value(1000))
    store.get(("a",), lambda: Value(1000))
    store.get(("c",), lambda: Value(1000))
    kept = [name for name in ("a", "b", "c") if (name,) in store._values]
    assert kept == ["a", "c"]


def test_the_size_of_texts_in_keys_counts():
    store = Store(100_000)
    for row in range(1000):
        store.get(("kind", (f"{row} " + "x" * 5000,)), lambda: Value(1))
    assert store.nbytes <= 100_000
    assert len(store) < 20


def test_a_value_larger_than_the_store_is_returned_and_not_kept():
    store = Store(10)
    assert store.get(("kind",), lambda: Value(1000)).nbytes == 1000
    assert (len(store), store.nbytes) == (0, 0)


def test_a_copy_starts_empty_with_the_same_limits():
    memo = TextMemo(reference_bytes=123, candidate_bytes=456)
    memo.references.get(("kind",), lambda: Value(1))
    copy = pickle.loads(pickle.dumps(memo))  # noqa: S301 - our own bytes
    assert (copy.references.max_bytes, copy.candidates.max_bytes, len(copy.references)) == (123, 456, 0)


def test_the_metrics_of_a_run_tokenise_each_text_once(monkeypatch: pytest.MonkeyPatch):
    seen: list[str] = []

    def counting_words(piece: str) -> list[str]:
        seen.append(piece)
        return text.words(piece)

    monkeypatch.setitem(rouge_texts.TOKENISERS, "unicode", counting_words)
    pairs = [("Rain fell. Snow came.", ["It rained."]), ("Snow fell. Rain came.", ["It snowed. It rained."])]
    for built in build_metrics(["rouge1", "rouge2", "rougeL", "rougeLsum", "rouge1,stem=true", "length"]):
        score_items(built, make_items(pairs))
    candidates = ["Rain fell.", "Snow came.", "Snow fell.", "Rain came."]
    assert sorted(seen) == sorted([*candidates, "It rained.", "It snowed.", "It rained."])


def test_a_stream_of_new_texts_stays_within_the_limits_of_the_memo():
    names = ["rouge1", "rougeLsum", "bleu", "chrf++"]
    metrics = build_metrics(names)
    memo = metrics[0].score_candidates.__self__.reader.memo
    memo.references.max_bytes = memo.candidates.max_bytes = 200_000
    for row in range(100):
        items = make_items([(f"candidate {row} of many words", [f"reference {row} of many words"])])
        for built in metrics:
            score_items(built, items)
        assert memo.references.nbytes <= 200_000
        assert memo.candidates.nbytes <= 200_000
