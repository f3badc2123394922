"""A masked language model in a folder: guesses of masked tokens, alone or behind a text, and tuning on a text."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from gameproof.llm.local.positions import limit_of
from gameproof.metrics.local_files import load_package

__all__ = ["MaskedModel", "Piece"]

BATCH = 32
LEARNING_RATE = 5e-5  # as the authors of BLANC tune
TUNING_SHARE = 0.15  # of the tokens of a text that are masked at a time
TURN = Lock()


@dataclass(frozen=True, slots=True)
class Piece:
    """A token of a text: its number, how many characters it has, and where it stands in its word."""

    token: int
    n_characters: int
    is_first: bool
    is_whole: bool  # the word has no other token


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedModel:
    """A masked language model; it is loaded when the first text comes, once in a process."""

    folder: str
    metric: str  # who needs it, for errors

    @property
    def limit(self) -> int:
        """How many tokens the model takes, besides those that begin and end a text."""
        return _load(self.folder, self.metric)[2] - 2

    def pieces(self, text: str) -> list[Piece]:
        """Return the tokens of a text, without those that begin and end it."""
        tokenizer, _, _ = _load(self.folder, self.metric)
        found = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        words: list[int | None] = found.word_ids()
        counts = {word: words.count(word) for word in set(words)}
        return [
            Piece(
                token=int(token),
                n_characters=end - start,
                is_first=place == 0 or words[place - 1] != words[place],
                is_whole=counts[words[place]] == 1,
            )
            for place, (token, (start, end)) in enumerate(
                zip(found["input_ids"], found["offset_mapping"], strict=True)
            )
        ]

    def filler(self, length: int) -> list[int]:
        """Return that many full stops: a text that says nothing."""
        tokenizer, _, _ = _load(self.folder, self.metric)
        return [int(tokenizer.convert_tokens_to_ids("."))] * length

    def guess(
        self,
        before: Sequence[int],
        sentence: Sequence[int],
        masks: Sequence[Sequence[int]],
        *,
        tuned: Any = None,
    ) -> list[list[int]]:
        """Return the likeliest tokens at masked places of a sentence that stands behind other tokens.

        Args:
            before: Tokens in front of the sentence.
            sentence: Tokens of the sentence.
            masks: For each guess, the places in the sentence that are masked together.
            tuned: A model from `tune`, in the place of the one in the folder.
        """
        torch = load_package("torch", self.metric)
        tokenizer, model, _ = _load(self.folder, self.metric)
        found: list[list[int]] = []
        lead = 1 + len(before)
        for start in range(0, len(masks), BATCH):
            batch = masks[start : start + BATCH]
            rows: list[list[int]] = []
            for places in batch:
                masked = [
                    tokenizer.mask_token_id if place in places else token
                    for place, token in enumerate(sentence)
                ]
                rows.append([tokenizer.cls_token_id, *before, *masked, tokenizer.sep_token_id])
            with TURN, torch.inference_mode():
                best = (tuned or model)(torch.tensor(rows)).logits.argmax(dim=-1).tolist()
            found += [
                [row[lead + place] for place in places] for row, places in zip(best, batch, strict=True)
            ]
        return found

    def tune(self, tokens: Sequence[int], *, epochs: int, rng: np.random.Generator) -> Any:
        """Return a copy of the model, tuned to guess masked tokens of a text."""
        torch = load_package("torch", self.metric)
        tokenizer, model, limit = _load(self.folder, self.metric)
        tuned = copy.deepcopy(model)
        optimizer = torch.optim.AdamW(tuned.parameters(), lr=LEARNING_RATE)
        width = limit - 2
        chunks = [list(tokens[start : start + width]) for start in range(0, len(tokens), width)]
        with TURN:
            for _ in range(epochs):
                for chunk in chunks:
                    hidden = rng.random(len(chunk)) < TUNING_SHARE
                    hidden[int(rng.integers(len(chunk)))] = True  # at least one
                    shown = np.where(hidden, tokenizer.mask_token_id, chunk).tolist()
                    wanted = np.where(hidden, chunk, -100).tolist()
                    ids = torch.tensor([[tokenizer.cls_token_id, *shown, tokenizer.sep_token_id]])
                    loss = tuned(ids, labels=torch.tensor([[-100, *wanted, -100]])).loss
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        return tuned


@lru_cache(maxsize=1)
def _load(folder: str, metric: str) -> tuple[Any, Any, int]:
    load_package("torch", metric)
    transformers = load_package("transformers", metric)
    transformers.utils.logging.disable_progress_bar()  # a library does not write to the terminal
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    # Without dropout, in tuning too: the same text gives the same score.
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
    return tokenizer, model, limit_of(tokenizer, model)
