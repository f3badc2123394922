"""nli cells on real files: a tiny random model, which must be refused, and the same one made to tell support."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore")  # those of torch and transformers are not ours

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from gameproof.errors import EndpointError, PlanError  # noqa: E402 - after the optional packages
from gameproof.llm.local.classifier import SequenceClassifier  # noqa: E402
from gameproof.metrics.predictors.nli import NliScores  # noqa: E402

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "bridge", "fell", "at", "dawn", ".", "not", "did", "fall"]
PAIRS = [
    ("The bridge fell at dawn.", "The bridge fell."),
    ("Dawn.", "The bridge did not fall at dawn."),
    ("", "."),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Save a BERT of two layers with random weights, 48 positions and three labels."""
    place = tmp_path_factory.mktemp("tiny-nli")
    (place / "vocab.txt").write_text("\n".join(WORDS))
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=48, num_labels=3, id2label={0: "contradiction", 1: "neutral", 2: "entailment"},
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(place)
    transformers.BertTokenizerFast(vocab_file=str(place / "vocab.txt"), model_max_length=48).save_pretrained(
        place
    )
    return place


def test_log_probabilities_equal_those_of_the_plain_model_whatever_the_batch(folder):
    classifier = SequenceClassifier(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        plain = [
            model(**tokenizer(*pair, return_tensors="pt")).logits[0].double().log_softmax(-1).numpy()
            for pair in PAIRS
        ]
    for batch in (1, 2, 8):
        # float32: sums in another order differ in the seventh digit
        np.testing.assert_allclose(classifier.score(PAIRS, batch=batch), plain, atol=1e-5)
    assert classifier.labels == ("contradiction", "neutral", "entailment")
    assert classifier.max_tokens == 48 - 3
    assert classifier.count_tokens(["The bridge fell."]) == [4]


def test_positions_that_begin_behind_the_padding_leave_fewer_tokens_and_a_full_pair_is_scored(
    folder, tmp_path
):
    config = transformers.RobertaConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=50, pad_token_id=0, num_labels=3,
    )  # fmt: skip
    transformers.RobertaForSequenceClassification(config).save_pretrained(tmp_path)
    transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(tmp_path)
    classifier = SequenceClassifier(tmp_path)
    # 50 rows, of which RoBERTa uses those behind the row of padding, number 0; [CLS] and two [SEP] take three more
    assert classifier.max_tokens == 50 - 1 - 3
    full = ("the " * (classifier.max_tokens - 1), "dawn")
    assert np.isfinite(classifier.score([full], batch=1)).all()


def test_a_model_that_cannot_tell_support_is_refused(folder):
    with pytest.raises(EndpointError, match="cannot tell what is supported"):
        NliScores(SequenceClassifier(folder)).check()


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(PlanError, match="no folder of a model"):
        SequenceClassifier(tmp_path)


def test_the_command_line_refuses_it_in_one_sentence(folder):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "gameproof",
            "score",
            "planted,tasks=3",
            "-m",
            f"TV+fvar+report+nli,llm=transformers:{folder}",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    assert done.returncode == 2
    assert "cannot tell what is supported" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_digest_of_the_folder_follows_its_configuration(folder, tmp_path):
    other = tmp_path / folder.name
    other.mkdir()
    for file in folder.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    assert SequenceClassifier(other).label == SequenceClassifier(folder).label
    config = json.loads((other / "config.json").read_text())
    config["id2label"] = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    (other / "config.json").write_text(json.dumps(config))
    assert SequenceClassifier(other).label != SequenceClassifier(folder).label
