import pytest
import sacrebleu
from tests.support.scoring import make_items, score_items

from gameproof.errors import SpecError
from gameproof.metrics.adapters import from_sacrebleu
from gameproof.metrics.catalogue import metric

ITEMS = make_items(
    [
        ("the bridge closed at dawn", ["the bridge closed at dawn", "a bridge"]),
        ("rain fell", ["it rained all night"]),
    ]
)


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_scores_are_those_of_sacrebleu_itself(name):
    own = {
        "BLEU": sacrebleu.metrics.BLEU(effective_order=True),
        "CHRF": sacrebleu.metrics.CHRF(),
        "TER": sacrebleu.metrics.TER(),
    }[name]
    expected = [own.sentence_score(item.candidate, list(item.references)).score for item in ITEMS]
    built = metric(f"sacrebleu:{name}")
    assert score_items(built, ITEMS).values.tolist() == expected
    assert built.higher_is_better == (name != "TER")
    assert built.signature() == f"sacrebleu:{name},sacrebleu={sacrebleu.__version__}"
    assert metric(built.signature()).signature() == built.signature()


def test_an_own_object_of_sacrebleu_is_taken_as_it_is():
    built = from_sacrebleu(sacrebleu.metrics.TER(case_sensitive=True), name="cased")
    assert built.signature() == f"cased,sacrebleu={sacrebleu.__version__},version=unpinned"
    assert not built.higher_is_better


def test_a_version_that_is_not_installed_is_refused():
    with pytest.raises(SpecError, match=rf"sacrebleu: found '1.0'; allowed: {sacrebleu.__version__}"):
        metric("sacrebleu:TER,sacrebleu=1.0")


def test_an_unknown_name_is_refused():
    with pytest.raises(SpecError, match="found 'ROUGE'; allowed: BLEU, CHRF, TER"):
        from_sacrebleu("ROUGE")
