"""Reader tests: what is measured text by text, and what is wrong with the papers' numbers about level means."""

import numpy as np
import pytest
from rich.console import Console

import gameproof
from gameproof.audits.levels import artefacts_of, describe_levels, explain_artefacts
from gameproof.records import Dataset, Item, Variant
from gameproof.reports.terminal import print_result
from gameproof.stats.paired import PairedSample
from gameproof.stats.parity import share_of_orders
from gameproof.stats.ratio import infer_loss_ratio
from gameproof.stats.results import Verdict


def document(number, n_sentences):
    text = " ".join(f"Fact {place} of paper {number} holds." for place in range(n_sentences))
    return Item(id=str(number), task_id=str(number), candidate=text, source=text, domain="summaries")


def rows_of(result):
    return {row.check: row for row in result.metrics[0].checks}


def facts_told(item):
    """Sentences of the candidate, less three times those of the whole text: every sentence adds .9, 1 or 1.1."""
    return (0.9 + 0.1 * (int(item.id) % 3)) * item.candidate.count(".") - 3 * item.source.count(".")


def test_every_text_rises_and_yet_the_papers_rho_is_negative():
    # 110 texts, ten of each length from 2 to 12 sentences. In each, a further sentence adds about 1: its own rho is +1.
    # But level k has only the texts of k sentences or more, whose mean is k - 3 (k + 12) / 2 = -k/2 - 18 for k >= 2.
    items = [document(number, 2 + number % 11) for number in range(110)]
    for item in items:
        parts = item.candidate.split(". ")
        scores = [
            facts_told(item.with_candidate(". ".join(parts[:k]).rstrip(".") + "."))
            for k in range(1, len(parts) + 1)
        ]
        assert np.all(np.diff(scores) > 0.89)

    row = rows_of(gameproof.audit(items, facts_told, perturbations=["incremental_sentences"]))[
        "incremental_sentences"
    ]

    means = {level.level: level.mean for level in row.levels if level.n}
    assert means[2] == pytest.approx(-2 / 2 - 18, abs=0.1)
    assert means[12] == pytest.approx(-12 / 2 - 18, abs=0.2)
    assert row.rho < -0.9  # all steps go down but the first
    assert row.match_rate == pytest.approx(1 / 11)  # that step, of eleven
    assert row.parity_verdict == "fail"
    assert row.share_right == 1.0
    assert row.low > 0
    assert row.artefacts == ("unequal_documents",)
    assert "means over different texts: 110 at level 1, 10 at level 12" in row.detail


def test_fractions_have_every_text_at_every_level():
    items = [document(number, 4 + number % 9) for number in range(45)]
    rows = rows_of(gameproof.audit(items, facts_told, suite="satisfaction"))
    for name in ("incremental_addition", "incremental_random"):
        assert rows[name].verdict is Verdict.PASS
        assert rows[name].rho == 1.0
        assert rows[name].artefacts == ()
        assert {level.n for level in rows[name].levels} == {45}


def test_a_metric_that_only_reads_beginnings_sees_them_grow_and_nothing_else():
    items = [document(number, 6 + number % 5) for number in range(45)]

    def beginning(item):  # the first sentence of the whole text, if the candidate begins with it
        return float(item.candidate.startswith(item.source.partition(".")[0])) + 0.01 * (len(item.id) % 2)

    rows = rows_of(
        gameproof.audit(items, beginning, perturbations=["incremental_addition", "incremental_random"])
    )
    assert rows["incremental_addition"].verdict is not Verdict.PASS
    assert rows["incremental_random"].verdict is Verdict.PASS


def test_length_alone_is_told_from_foreign_sentences():
    items = [document(number, 5 + number % 7) for number in range(60)]
    n_words = gameproof.as_metric(lambda item: -len(item.candidate.split()), name="brevity", version="1")
    foreign = gameproof.as_metric(
        lambda item: -sum(f"of paper {item.id} " not in part for part in item.candidate.split(".")[:-1]),
        name="own", version="1",
    )  # fmt: skip
    brevity, own = (
        rows_of(gameproof.audit(items, metric, suite="satisfaction"))["distractor_sentences"]
        for metric in (n_words, foreign)
    )
    assert brevity.verdict is Verdict.PASS  # it falls as sentences are added, whatever they are
    assert brevity.beyond_length.verdict is not Verdict.PASS
    assert abs(brevity.beyond_length.value) < 0.5  # words: the control has as many
    assert own.beyond_length.value == -5  # five foreign sentences; its own cost nothing
    assert own.beyond_length.verdict is Verdict.PASS


def test_off_domain_sentences_come_from_other_groups_and_else_from_everyday_life(tmp_path):
    items = [document(number, 4) for number in range(6)]
    grouped = [Item(id=f"g{n}", task_id=f"g{n}", group="far", candidate=f"The moon {n} is rather far away.", source=f"The moon {n} is rather far away.") for n in range(6)]  # fmt: skip
    gameproof.perturb(items, out=tmp_path / "one.jsonl", perturbations=["off_domain_sentences"])
    gameproof.perturb([*items, *grouped], out=tmp_path / "two.jsonl", perturbations=["off_domain_sentences"])
    one, two = ((tmp_path / name).read_text("utf-8") for name in ("one.jsonl", "two.jsonl"))
    assert "moon" not in one
    assert "Fact 0 of paper 0 holds. " in one
    first = [line for line in two.splitlines() if '"item": "0"' in line]
    assert len(first) == 5
    assert all("The moon" in line for line in first)


def lengths(shift):
    """Texts with longer and shorter variants whose score is shifted by so many tenths."""
    rng = np.random.default_rng(0)
    items, variants, scores = [], [], {}
    for number in range(40):
        item = document(number, 6)
        items.append(item)
        scores[item.candidate] = rng.normal()
        for name in ("lengthen", "shorten"):
            for level in (25, 50):
                text = f"{item.candidate} {name} {level}."
                variants.append(Variant(item_id=item.id, name=name, level=level, text=text))
                scores[text] = scores[item.candidate] + shift * level / 50 + 0.02 * rng.normal()
    data = Dataset(name="d", items=tuple(items), variants=tuple(variants))

    def metric(item):  # a deleted sentence costs 1
        return scores.get(item.candidate, scores[item.source] - 1)

    return rows_of(gameproof.audit(data, metric, suite="satisfaction"))


def test_a_length_that_does_not_matter_is_shown_level_by_level_and_in_sentences():
    row = lengths(0.02)["lengthen"]
    assert row.verdict is Verdict.PASS
    assert [level.level for level in row.levels] == [0, 25, 50]
    assert all(level.pvalue_inside <= 0.05 for level in row.levels[1:])
    assert row.sentence_ratio.verdict is Verdict.PASS
    assert row.sentence_ratio.value == pytest.approx(0.02, abs=0.01)  # a gain of .02 where a sentence costs 1


def test_a_length_that_matters_is_worth_so_many_sentences():
    row = lengths(-0.8)["shorten"]
    assert row.verdict is Verdict.FAIL
    assert row.sentence_ratio.verdict is Verdict.FAIL
    assert row.sentence_ratio.value == pytest.approx(-0.8, abs=0.02)
    assert row.sentence_ratio.low < -0.8 < row.sentence_ratio.high


def test_the_ratio_is_not_told_where_the_unit_costs_nothing():
    rng = np.random.default_rng(1)
    tasks, scores = np.arange(40), rng.normal(size=40)
    same = PairedSample(tasks=tasks, original=scores, variant=scores + 0.1 * rng.normal(size=40))
    found = infer_loss_ratio(same, same, margin=0.5, alpha=0.001)
    assert found.value is None
    assert found.detail == "losing one sentence is not shown to cost anything"


# Counted by hand for 3: of 6 orders, rho -1 and twice -.5; for 4 and 6 the numbers of methods 4.2: 9/24, 151/720
@pytest.mark.parametrize(
    ("n_levels", "share"), [(3, 3 / 6), (4, 9 / 24), (6, 151 / 720), (2, None), (8, None)]
)
def test_the_chance_of_the_papers_rule_is_counted(n_levels, share):
    assert share_of_orders(n_levels, low=-1.0, high=-0.4) == share


def test_two_levels_and_levels_without_order_are_flagged():
    levels = describe_levels(np.array([0.0, 1.0]), np.ones((3, 2)), {}, sign=1.0, margin=0.2)
    assert artefacts_of(levels, nominal=False) == ("two_levels",)
    four = describe_levels(np.arange(4.0), np.ones((3, 4)), {}, sign=1.0, margin=0.2)
    assert artefacts_of(four, nominal=True) == ("nominal_levels",)
    said = explain_artefacts(("nominal_levels",), four, low=-1.0, high=-0.4)
    assert said == ["these levels have no order, so rho and M say little", "rho of 4 levels passes in 38% of all orders by chance"]  # fmt: skip


def test_the_terminal_shows_slopes_and_the_papers_numbers_beside_them():
    items = [document(number, 2 + number % 11) for number in range(110)]
    result = gameproof.audit(items, facts_told, perturbations=["incremental_sentences"])
    console = Console(width=80, record=True, color_system=None)
    with console.capture() as captured:
        print_result(result, console, details=True)
    shown = captured.get()
    assert "incremental sentences  +" in shown
    assert "100% [97, 100]" in shown
    assert "−0.9" in shown  # noqa: RUF001 - rho
    assert " • rho and M compare means over different texts" in shown


def test_three_levels_of_a_stable_test_cannot_pass_the_papers_rule():
    three = describe_levels(np.array([0.0, 25.0, 50.0]), np.ones((3, 3)), {}, sign=1.0, margin=0.2)
    said = explain_artefacts((), three, low=-0.2, high=0.2)  # rho is -1, -.5, .5 or 1
    assert said == ["rho of 3 levels cannot pass, in whatever order the means are"]


def test_a_unit_that_costs_nothing_is_said():
    rng = np.random.default_rng(0)
    items = [document(number, 6) for number in range(30)]
    longer = tuple(
        Variant(item_id=item.id, name="lengthen", level=25, text=f"{item.candidate} More of it.")
        for item in items
    )
    data = Dataset(name="d", items=tuple(items), variants=longer)
    scores = {}
    noise = gameproof.as_metric(
        lambda item: scores.setdefault(item.candidate, rng.normal()), name="noise", version="1"
    )
    row = rows_of(gameproof.audit(data, noise, perturbations=["lengthen", "one_sentence_deletion"]))[
        "lengthen"
    ]
    assert row.sentence_ratio is None
    assert "not told in deleted sentences: losing one sentence is not shown to cost anything" in row.detail
