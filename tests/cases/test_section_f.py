"""Public cases, section F: text metrics that go wrong quietly, as an audit meets them."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import gameproof
from gameproof.cli.app import app
from gameproof.metrics.adapters import from_torchmetrics
from gameproof.metrics.base import scores_from
from gameproof.records import Dataset, Item, Variant
from gameproof.reports.html import render_html
from gameproof.text import is_splittable, sentences

LIMIT = 700  # words that the metric below reads
runner = CliRunner()


class FirstWords:
    """Overlap with the reference, which reads the first 700 words only and says so."""

    name = "first_words"
    needs = frozenset({"references"})
    higher_is_better = True

    def signature(self):
        return "first_words,version=1"

    async def prepare(self, pool):
        del pool
        return self

    async def score(self, items):
        read = [item.candidate.split()[:LIMIT] for item in items]
        shares = [
            len(set(words) & set(item.references[0].split())) / len(set(item.references[0].split()))
            for words, item in zip(read, items, strict=True)
        ]
        scores = scores_from(self.signature(), items, shares)
        cut = {item.id: f"cut at {LIMIT} words" for item in items if len(item.candidate.split()) > LIMIT}
        return type(scores)(
            signature=scores.signature,
            item_ids=scores.item_ids,
            values=scores.values,
            reasons=scores.reasons,
            remarks=cut,
        )


def long_items(n_tasks):
    rng = np.random.default_rng(33)
    items, variants = [], []
    for n in range(n_tasks):
        words = [f"w{n}x{place}" for place in range(900)]
        kept = rng.random(900) < 0.5
        candidate = " ".join(words)
        reference = " ".join(word for word, is_kept in zip(words, kept, strict=True) if is_kept)
        items.append(Item(id=f"i{n}", task_id=f"t{n}", candidate=candidate, references=(reference,)))
        # Nothing but the tail is deleted.
        variants.append(Variant(item_id=f"i{n}", name="sentence_deletion", text=" ".join(words[:LIMIT])))
    return Dataset(name="long", items=tuple(items), variants=tuple(variants))


def test_case_33_texts_that_were_cut_are_counted_and_damage_to_the_tail_is_not_seen():
    result = gameproof.audit(long_items(24), FirstWords(), perturbations=["sentence_deletion"])
    (metric,) = result.metrics
    assert f"scored in part: 24 of 24 originals: cut at {LIMIT} words (24)" in metric.alarms
    (row,) = metric.checks
    assert str(row.state) == "no_change"
    assert str(row.verdict) == "fail"
    assert str(row.note) == "blind"


class Untruncated:
    """What torchmetrics does with a text over the limit of its model: ``truncation`` is False by default."""

    higher_is_better = True

    def reset(self):
        self.sizes = []

    def update(self, preds, target):
        del target
        self.sizes += [len(text.split()) for text in preds]

    def compute(self):
        if max(self.sizes) > 512:
            raise RuntimeError("The size of tensor a (600) must match the size of tensor b (512)")
        return sum(self.sizes) / len(self.sizes)


@pytest.mark.parametrize("batch", [False, True])
def test_case_34_a_metric_that_breaks_on_a_long_text_breaks_no_audit(batch):
    items = [
        Item(
            id=f"i{n}",
            task_id=f"t{n}",
            candidate="rain fell. " * (300 if n == 3 else 5 + n),
            references=("rain",),
        )
        for n in range(12)
    ]
    metric = from_torchmetrics(Untruncated, batch=batch)
    result = gameproof.audit(
        Dataset(name="d", items=tuple(items)), metric, perturbations=["sentence_deletion"]
    )
    (alarm, *_) = result.metrics[0].alarms
    # One text at a time, only the long one is lost; a batch is lost whole, and is never scored by halves.
    assert alarm.startswith(
        f"missing: {12 if batch else 1} of 12 originals have no score: RuntimeError: The size of"
    )


def test_case_36_thai_greek_and_accents_through_the_command_line(tmp_path):
    texts = ["สวัสดีครับ", "καλημέρα κόσμε", "café naïve"]
    path = tmp_path / "items.jsonl"
    path.write_text(
        "".join(json.dumps({"id": text, "candidate": text, "references": [text]}) + "\n" for text in texts)
    )
    done = runner.invoke(app, ["score", str(path), "-m", "rouge1", "-m", "rougeL", "--json"])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["score"] for row in rows] == [1.0] * 6


LINE = "Rain fell all night. The bridge closed at dawn."
SWAPPED = "The bridge closed at dawn. Rain fell all night."


def test_case_37_and_41_lsum_differs_from_l_and_both_say_what_they_are(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps({"candidate": SWAPPED, "references": [LINE]}) + "\n")
    table = gameproof.score(str(path), ["rougeL", "rougeLsum"])
    # 5 of 9 words in the same order, and all of them sentence by sentence; rouge-score 0.1.2 gives .556 and,
    # with a line break between the sentences, 1.0.
    assert [round(float(scores.values[0]), 3) for scores in table.scores] == [0.556, 1.0]
    version = gameproof.__version__
    assert table.signatures == (
        f"rougeL,refs=first,stem=false,tok=unicode,v={version}",
        f"rougeLsum,refs=first,split=rules.v1,stem=false,tok=unicode,v={version}",
    )


@pytest.mark.parametrize("blank", ["", "   "])
def test_case_39_an_empty_candidate_is_counted_as_empty_in_an_audit(blank):
    items = [
        Item(
            id=f"i{n}",
            task_id=f"t{n}",
            candidate=blank if n == 0 else f"Rain {n} fell. It was dark.",
            references=(f"Rain {n}.",),
        )
        for n in range(12)
    ]
    metrics = ["rougeL", "chrf", "bleu", "length", "TV+fvar+statement+overlap"]
    result = gameproof.audit(
        Dataset(name="d", items=tuple(items)), metrics, perturbations=["sentence_deletion"]
    )
    for metric in result.metrics:
        assert any(alarm.startswith("missing: 1 of 12") and "empty (1)" in alarm for alarm in metric.alarms)


def test_case_40_the_floor_of_mismatched_pairs_stands_beside_the_mean():
    def generous(item):
        shared = set(item.candidate.split()) & set(item.references[0].split())
        return 0.85 + len(shared) / 100

    items = [
        Item(id=f"i{n}", task_id=f"t{n}", candidate=f"ok w{n} x{n}", references=(f"w{n} x{n} y{n}",))
        for n in range(24)
    ]
    result = gameproof.audit(
        Dataset(name="d", items=tuple(items)),
        gameproof.as_metric(generous, version="1"),
        perturbations=["random_replacement"],
    )
    (metric,) = result.metrics
    assert metric.summary["floor"] == pytest.approx(0.85)  # no shared word
    assert metric.summary["mean"] == pytest.approx(0.87)  # two shared words
    assert any(alarm.startswith("high floor: ") and "98%" in alarm for alarm in metric.alarms)  # .85 / .87
    page = render_html(result, exit_code=0)
    assert "floor: mean score of texts that belong to another task" in page
    assert "mean score" in page


def test_case_42_sentences_are_split_without_a_download():
    assert sentences("Dr. Lee paid $3.5 m. Then left.") == ["Dr. Lee paid $3.5 m.", "Then left."]
    assert sentences("今天下雨。桥关闭了。") == ["今天下雨。", "桥关闭了。"]
    assert not is_splittable("สวัสดีครับ ผมชื่อเล็ก")
