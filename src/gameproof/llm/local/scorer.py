"""Score texts with one loaded model: tokens, packing where the model honours it, plain passes where not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gameproof.llm.local.forward import Forward
from gameproof.llm.local.framing import Framer
from gameproof.llm.local.packing import Job, fewest_tokens
from gameproof.llm.text_scores import NumberFormat, Setting, TextScore, too_long

__all__ = ["NOT_PACKED", "TextScorer"]

NOT_PACKED = (
    "the model does not keep apart texts that are packed behind one beginning: each goes through it with a copy of"
    " its own of what is before it, which is slower and gives the same numbers"
)
NO_NUMBER = "the model gave no finite log-probability"

# How far packed and plain passes may be apart on the built-in example, in nats a token. A model that does not
# honour the mask is off by whole nats.
TOLERANCES: dict[NumberFormat, float] = {"fp32": 1e-4, "bf16": 0.05}
EXAMPLE = (
    "The bridge over the river was closed after the flood of last winter, and nobody knows when it will open "
    "again. The town has asked the province for help, but the money is not there yet."
)
MAX_KNOWN = 50_000  # texts whose tokens are kept
CONTEXT_FIELDS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length")
WINDOW_FIELDS = ("sliding_window", "attention_chunk_size")


@dataclass(slots=True)
class TextScorer:
    """One model in one number format."""

    tokenizer: Any  # of optional packages without types, as is the model
    model: Any
    dtype: NumberFormat
    fewest_tokens: int = 0  # that the scores so far would take at best
    framer: Framer = field(init=False)
    forward: Forward = field(init=False)
    packs: bool = field(init=False)
    most_tokens: int | None = field(init=False)  # of the model's context
    _known: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])  # text -> tokens

    def __post_init__(self) -> None:
        """Look at the model, and try whether it can be packed."""
        self.framer = Framer(self.tokenizer)
        self.forward = Forward(self.model)
        config = self.model.config.get_text_config()
        self.most_tokens = _first_number(config, CONTEXT_FIELDS)
        self.packs = self._can_be_packed()
        self.forward.n_tokens = 0

    def notes(self) -> tuple[str, ...]:
        """Say what a reader of the scores must know."""
        defused = self.framer.n_defused
        return (
            *self.framer.notes,
            *(() if self.packs else (NOT_PACKED,)),
            *(
                (f"{defused:,} texts hold control tokens of the model: a blank breaks them up",)
                if defused
                else ()
            ),
        )

    def score(
        self, settings: Sequence[Setting], *, batch: int, stopped: Callable[[], bool] = lambda: False
    ) -> list[list[TextScore | str]]:
        """Score every text of every setting; a text beyond the context has a reason.

        Raises:
            StoppedError: `stopped`, which is asked between two passes, has said so.
        """
        self.forward.stopped = stopped
        found: list[list[TextScore | str]] = []
        packed: list[tuple[int, list[int], Job]] = []
        plain: list[tuple[int, list[int], Job]] = []
        for number, setting in enumerate(settings):
            beginning = self.framer.beginning(setting.messages)
            texts = [self._tokens(text) for text in setting.texts]
            lengths = [len(beginning) + len(text) - 1 for text in texts]
            fits = [place for place, length in enumerate(lengths) if self._fits(length)]
            found.append([too_long(self.most_tokens or 0)] * len(texts))
            job = Job(
                beginning=beginning, branches=tuple(texts[place] for place in fits), family=setting.family
            )
            in_window = self._in_window(max((lengths[place] for place in fits), default=0))
            (packed if self.packs and in_window else plain).append((number, fits, job))
        for jobs, run in ((packed, self.forward.packed), (plain, self.forward.plain)):
            self.fewest_tokens += fewest_tokens(job for _, _, job in jobs)
            sums = run([job for _, _, job in jobs], batch=batch) if jobs else []
            for (number, fits, job), values in zip(jobs, sums, strict=True):
                for place, branch, value in zip(fits, job.branches, values, strict=True):
                    is_finite = float("-inf") < value < float("inf")
                    found[number][place] = TextScore(value, len(branch)) if is_finite else NO_NUMBER
        return found

    def _tokens(self, text: str) -> tuple[int, ...]:
        """Cut a text into tokens, once for all settings."""
        if text not in self._known:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[text] = self.framer.text(text)
        return self._known[text]

    def _fits(self, length: int) -> bool:
        return self.most_tokens is None or length <= self.most_tokens

    def _in_window(self, length: int) -> bool:
        """Whether a text is short enough that layers with a sliding window see all of it."""
        window = _first_number(self.model.config.get_text_config(), WINDOW_FIELDS)
        return window is None or length < window

    def _can_be_packed(self) -> bool:
        """Score a small example packed and plain, and compare."""
        ids = tuple(self.tokenizer(EXAMPLE, add_special_tokens=False)["input_ids"])[: self.most_tokens]
        third = max(2, len(ids) // 3)
        branches = (ids[:third], ids[third : 2 * third], ids[2 * third :], ids[: third // 2])
        jobs = [
            Job(beginning=ids[: third - cut], branches=tuple(branch for branch in branches if branch))
            for cut in range(2)
        ]
        plain = self.forward.plain(jobs, batch=1)
        try:
            packed = self.forward.packed(jobs, batch=2)
        except Exception as error:  # noqa: BLE001 - whatever an architecture says to a mask it does not know
            del error
            return False
        return all(
            abs(one - other) <= TOLERANCES[self.dtype] * len(branch)
            for job, ones, others in zip(jobs, plain, packed, strict=True)
            for branch, one, other in zip(job.branches, ones, others, strict=True)
        )


def _first_number(config: Any, names: Sequence[str]) -> int | None:  # Any: an optional package's
    for name in names:
        value = getattr(config, name, None)
        if isinstance(value, int) and value > 0:
            return value
    return None
