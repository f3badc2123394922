"""Vectors of the tokens of texts, from any encoder that transformers can load."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

from gameproof.llm.local.positions import limit_of
from gameproof.metrics.local_files import load_package
from gameproof.metrics.text_memo import Store

__all__ = ["Encoded", "Encoder"]

BATCH = 64  # texts that go through the encoder together, of about one length
# Tokenizers of these write a word differently at the start of a text than after a space.
SPACE_BEFORE = frozenset({"roberta", "xlm-roberta-xl", "longformer", "bart", "gpt2", "led", "deberta", "mvp"})
TURN = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """The tokens of one text that the encoder saw, with their vectors of length one."""

    ids: Sequence[int]
    vectors: Any  # (tokens, width), a tensor: an optional package
    n_cut: int  # tokens of the text beyond the limit of the model

    @property
    def nbytes(self) -> int:
        """Return the memory of the vectors."""
        return int(self.vectors.nbytes) + 40 * len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """An encoder in a folder; it is loaded when the first text comes, once in a process."""

    folder: str
    layer: int | None  # whose output is taken; None: the last one
    metric: str  # who needs it, for errors

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of texts, special ones included, uncut."""
        tokenizer, model, _ = self._ready()
        lead = " " if model.config.model_type in SPACE_BEFORE else ""
        found = tokenizer([lead + text.strip() for text in texts], verbose=False)["input_ids"]
        return [list(ids) for ids in found]

    def pieces(self, ids: Sequence[int]) -> list[str | None]:
        """Return tokens as the tokenizer writes them; None for the marks of the model, but for unknown words."""
        tokenizer, _, _ = self._ready()
        marks = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        written = tokenizer.convert_ids_to_tokens(list(ids))
        return [None if token in marks else str(piece) for token, piece in zip(ids, written, strict=True)]

    @property
    def edges(self) -> frozenset[int]:
        """The tokens that begin and end every text."""
        tokenizer, _, _ = self._ready()
        marks = (tokenizer.cls_token_id, tokenizer.sep_token_id)
        return frozenset(int(mark) for mark in marks if mark is not None)

    @property
    def limit(self) -> int:
        """How many tokens of a text the model takes."""
        return self._ready()[2]

    def encode(self, texts: Iterable[str], store: Store) -> dict[str, Encoded]:
        """Return the vectors of texts; what the store of a run has is not computed again."""
        wanted = list(dict.fromkeys(texts))
        new = [text for text in wanted if self._key(text) not in store]
        made = self._compute(new)
        return {
            text: store.get(
                self._key(text), lambda text=text: made[text] if text in made else self._compute([text])[text]
            )
            for text in wanted
        }

    def _key(self, text: str) -> Hashable:
        return ("encoder", self.folder, self.layer, text)

    def _compute(self, texts: Sequence[str]) -> dict[str, Encoded]:
        if not texts:
            return {}
        torch = load_package("torch", self.metric)
        tokenizer, model, limit = self._ready()
        rows = self.tokenize(texts)
        order = sorted(range(len(texts)), key=lambda row: -min(len(rows[row]), limit))
        found: dict[str, Encoded] = {}
        pad = tokenizer.pad_token_id or 0
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            cut = [_cut(rows[row], limit, self.edges) for row in batch]
            width = max(len(ids) for ids in cut)
            ids = torch.tensor([[*row, *[pad] * (width - len(row))] for row in cut])
            mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in cut])
            with TURN, torch.inference_mode():
                output = model(ids, attention_mask=mask).last_hidden_state
                output = output / output.norm(dim=-1, keepdim=True)
            for place, row in enumerate(batch):
                seen = cut[place]
                vectors = output[place, : len(seen)].clone()  # a view would keep the whole batch
                found[texts[row]] = Encoded(ids=seen, vectors=vectors, n_cut=len(rows[row]) - len(seen))
        return found

    def _ready(self) -> tuple[Any, Any, int]:
        return _load(self.folder, self.layer, self.metric)


def _cut(ids: Sequence[int], limit: int, edges: frozenset[int]) -> list[int]:
    """Cut the tokens of a text at the limit, its closing mark kept."""
    if len(ids) <= limit:
        return list(ids)
    has_end = ids[-1] in edges
    return [*ids[: limit - has_end], *ids[len(ids) - has_end :]]


@lru_cache(maxsize=2)
def _load(folder: str, layer: int | None, metric: str) -> tuple[Any, Any, int]:
    """Load a tokenizer and an encoder with its first layers only."""
    load_package("torch", metric)
    transformers = load_package("transformers", metric)
    transformers.utils.logging.disable_progress_bar()  # a library does not write to the terminal
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = transformers.AutoModel.from_pretrained(folder, local_files_only=True).eval()
    if getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    if layer is not None:
        _keep_layers(model, layer, metric)
    return tokenizer, model, limit_of(tokenizer, model)


def _keep_layers(model: Any, layer: int, metric: str) -> None:
    from gameproof.errors import PlanError  # noqa: PLC0415

    holder = getattr(model, "encoder", model)
    for name in ("layer", "layers", "block"):
        layers = getattr(holder, name, None)
        if layers is not None:
            if not 1 <= layer <= len(layers):
                raise PlanError(
                    f"layer: {metric} found {layer}, and the model has layers 1 to {len(layers)}."
                )
            setattr(holder, name, layers[:layer])
            return
    raise PlanError(f"layer: {metric} cannot tell the layers of a model of type {model.config.model_type}.")
