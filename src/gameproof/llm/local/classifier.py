"""A sequence-classification model in a local folder, run by transformers on pairs of texts."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from gameproof.errors import MissingExtraError, PlanError
from gameproof.files.home import from_home
from gameproof.llm.local.identity import DIGEST_SHOWN, digest_of_model
from gameproof.llm.local.positions import NO_LIMIT, limit_of
from gameproof.llm.text_scores import NumberFormat
from gameproof.records import FloatArray

__all__ = ["SequenceClassifier"]

EXTRA = "local"
FORMATS: Mapping[NumberFormat, str] = {"fp32": "float32", "bf16": "bfloat16"}  # as torch calls them


class SequenceClassifier:
    """Says how likely each label of a pair of texts is. Loaded on first use; one call at a time."""

    def __init__(self, folder: str | Path, *, dtype: NumberFormat = "fp32") -> None:
        """Look at the files; nothing is loaded yet.

        Raises:
            PlanError: There is no such folder, or it holds no model.
            MissingExtraError: The packages are not installed.
        """
        self._folder = from_home(folder)
        if not (self._folder / "config.json").is_file():
            raise PlanError(
                f"{folder} is no folder of a model: it has no config.json.",
                hint="nli cells ask a sequence-classification model: llm=transformers:FOLDER.",
            )
        self._torch, self._transformers = _load("torch"), _load("transformers")
        self._digest = digest_of_model(self._folder)
        self._dtype: NumberFormat = dtype
        self._loaded: tuple[Any, Any] | None = None  # Any: a tokenizer and a model of an optional package
        self._turn = Lock()

    @property
    def label(self) -> str:
        """The name of the folder, and a digest of the model that is in it."""
        return f"{self._folder.resolve().name}@{self._digest[:DIGEST_SHOWN]}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""
        _, model = self._ready()
        found: Mapping[int, str] = model.config.id2label
        return tuple(str(found[place]) for place in sorted(found))

    @property
    def max_tokens(self) -> int:
        """How many tokens both texts together may have, special ones left out."""
        tokenizer, model = self._ready()
        most = limit_of(tokenizer, model)
        return most if most == NO_LIMIT else most - int(tokenizer.num_special_tokens_to_add(pair=True))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of texts, special ones left out."""
        tokenizer, _ = self._ready()
        if not texts:
            return []
        found = tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)
        return [len(ids) for ids in found["input_ids"]]

    def score(self, pairs: Sequence[tuple[str, str]], *, batch: int) -> FloatArray:
        """Return the log-probability of each label (column) for each pair (row).

        Pairs go through the model in order of length, so that little is spent on padding.
        """
        torch = self._torch
        with self._turn, torch.inference_mode():
            tokenizer, model = self._ready()
            lengths = [len(first) + len(second) for first, second in pairs]
            order = sorted(range(len(pairs)), key=lengths.__getitem__)
            rows = np.empty((len(pairs), len(self.labels)))
            for start in range(0, len(order), batch):
                places = order[start : start + batch]
                encoded = tokenizer(
                    [pairs[place][0] for place in places],
                    [pairs[place][1] for place in places],
                    padding=True,
                    truncation=False,
                    return_tensors="pt",
                )
                rows[places] = model(**encoded).logits.double().log_softmax(-1).numpy()
        return rows

    def _ready(self) -> tuple[Any, Any]:
        if self._loaded is None:
            place = str(self._folder)
            auto, tokens = (
                self._transformers.AutoModelForSequenceClassification,
                self._transformers.AutoTokenizer,
            )
            dtype = getattr(self._torch, FORMATS[self._dtype])
            model = auto.from_pretrained(place, local_files_only=True, dtype=dtype)
            self._loaded = (tokens.from_pretrained(place, local_files_only=True), model.eval())
        return self._loaded


def _load(name: str) -> Any:  # Any: an optional package
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError("a local model", extra=EXTRA) from error
