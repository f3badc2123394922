"""A causal language model in a local folder or GGUF file, run by transformers."""

import asyncio
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from threading import Event, Lock
from typing import Any

from gameproof.errors import CallError, MissingExtraError, PlanError
from gameproof.files.home import from_home
from gameproof.llm.client import Reply, Request
from gameproof.llm.local.identity import DIGEST_SHOWN, digest_of_model
from gameproof.llm.local.scorer import TextScorer
from gameproof.llm.prompt_logprobs import PromptLogProbs, split_pair
from gameproof.llm.providers.openai_wire import repair_surrogates
from gameproof.llm.text_scores import NumberFormat, Setting, TextScore

__all__ = ["TransformersLocal"]

EXTRA = "local"
NEVER_ENFORCED = ("json_object", "json_schema")
GGUF = ".gguf"
FORMATS: Mapping[NumberFormat, str] = {"fp32": "float32", "bf16": "bfloat16"}  # as torch calls them


class TransformersLocal:
    """Loads the model on first use and asks it in a thread, one call after the other."""

    def __init__(self, path: str | Path) -> None:
        """Look at the files; nothing is loaded yet.

        Raises:
            PlanError: There is no such folder or file.
            MissingExtraError: The packages are not installed.
        """
        self._path = from_home(path)
        if not (self._path.is_dir() or (self._path.is_file() and self._path.suffix.lower() == GGUF)):
            raise PlanError(f"there is no folder or GGUF file {path}.")
        self._torch, self._transformers = _load("torch"), _load("transformers")
        self._digest = digest_of_model(self._path)
        self._loaded: tuple[Any, Any] | None = None  # Any: a tokenizer and a model of an optional package
        self._scorers: dict[NumberFormat, TextScorer] = {}
        self._turn = Lock()
        self._stopped = Event()

    @property
    def name(self) -> str:
        """The name of the folder or file, without the path to it, and a digest of the model that is in it."""
        return f"{self._path.resolve().name}@{self._digest[:DIGEST_SHOWN]}"

    @property
    def path(self) -> Path:
        """The folder or file."""
        return self._path

    @property
    def base_url(self) -> str:
        """What stands for the model in the keys of the store: its name and the whole digest."""
        return f"transformers:{self._path.resolve().name}:{self._digest}"

    async def complete(self, request: Request) -> Reply:
        """Write a reply; JSON schemas cannot be enforced, and the reply says so."""
        return await asyncio.to_thread(self._complete, request)

    async def logprob(self, context: str, continuation: str) -> float:
        """Return the log-probability of a continuation; a text without context follows the start token."""
        return await asyncio.to_thread(self._logprob, context, continuation)

    async def score_prompt(self, prompt: str) -> PromptLogProbs:
        """Return the log-probability of each token of a prompt."""
        return await asyncio.to_thread(self._score_prompt, prompt)

    async def next_token(self, prompt: str) -> tuple[str, float]:
        """Return the likeliest next token and its log-probability."""
        return await asyncio.to_thread(self._next_token, prompt)

    async def score_texts(
        self, settings: Sequence[Setting], *, dtype: NumberFormat = "fp32", batch: int = 8
    ) -> list[list[TextScore | str]]:
        """Return how likely texts are as replies, each with the end of its turn; one thread for all of them."""
        ended = Event()

        def score() -> list[list[TextScore | str]]:
            with self._turn:
                return self.text_scorer(dtype).score(
                    settings, batch=batch, stopped=lambda: ended.is_set() or self._stopped.is_set()
                )

        try:
            return await asyncio.to_thread(score)
        except asyncio.CancelledError:
            ended.set()  # the thread ends behind the pass that it is in
            raise

    def scoring_notes(self, dtype: NumberFormat) -> tuple[str, ...]:
        """Say how texts were scored; nothing before there were any."""
        scorer = self._scorers.get(dtype)
        return () if scorer is None else scorer.notes()

    def text_scorer(self, dtype: NumberFormat = "fp32") -> TextScorer:
        """Return what scores texts in a number format; the model is loaded the first time. Blocks."""
        if dtype not in self._scorers:
            tokenizer, model = self._from_files(dtype=getattr(self._torch, FORMATS[dtype]))
            self._scorers[dtype] = TextScorer(tokenizer, model, dtype)
        return self._scorers[dtype]

    async def close(self) -> None:
        """Stop what is being written."""
        self._stopped.set()

    # Any, below: torch and transformers are optional and have no types here.

    def _ready(self) -> tuple[Any, Any]:
        if self._loaded is None:
            self._loaded = self._from_files()
        return self._loaded

    def _from_files(self, **options: Any) -> tuple[Any, Any]:
        auto, tokens = self._transformers.AutoModelForCausalLM, self._transformers.AutoTokenizer
        if self._path.suffix.lower() == GGUF:
            place, more = str(self._path.parent), {"gguf_file": self._path.name}
        else:
            place, more = str(self._path), {}
        self._transformers.utils.logging.disable_progress_bar()  # it would run through our own
        tokenizer = tokens.from_pretrained(place, local_files_only=True, **more)
        model = auto.from_pretrained(place, local_files_only=True, **more, **options)
        return tokenizer, model.eval()

    def _complete(self, request: Request) -> Reply:
        torch = self._torch
        with self._turn, torch.inference_mode():
            tokenizer, model = self._ready()
            ids = self._encode_chat(tokenizer, request)
            room = self._room(model, len(ids))
            sampled = bool(request.temperature)
            torch.manual_seed(request.sample)
            output = model.generate(
                torch.tensor([ids]),
                attention_mask=torch.ones(1, len(ids), dtype=torch.long),
                max_new_tokens=min(request.max_tokens, room),
                do_sample=sampled,
                temperature=request.temperature if sampled else None,
                top_p=None,
                top_k=None,
                pad_token_id=tokenizer.eos_token_id
                if tokenizer.pad_token_id is None
                else tokenizer.pad_token_id,
                stopping_criteria=[self._is_stopped],
            )
        new = output[0].tolist()[len(ids) :]
        ended = bool(new) and new[-1] in _end_tokens(tokenizer, model)
        asked = (
            *(NEVER_ENFORCED if request.schema else ()),
            *(("top_logprobs",) if request.top_logprobs else ()),
        )
        return Reply(
            text=str(tokenizer.decode(new, skip_special_tokens=True)),
            finish="stop" if ended else "length",
            model=self.name,
            tokens_in=len(ids),
            tokens_out=len(new),
            dropped=asked,
        )

    def _is_stopped(self, ids: Any, scores: Any) -> Any:
        del scores
        return self._torch.full((ids.shape[0],), self._stopped.is_set(), dtype=self._torch.bool)

    def _logprob(self, context: str, continuation: str) -> float:
        before, after = (repair_surrogates(text) for text in split_pair(context, continuation))
        with self._turn:
            tokenizer, _ = self._ready()
            head = self._encode(tokenizer, before) if before else []
            whole = self._encode(tokenizer, before + after)
            if whole[: len(head)] != head:
                raise CallError("one token spans the end of the context and the beginning of the text")
            return sum(self._values(whole)[len(head) :])

    def _score_prompt(self, prompt: str) -> PromptLogProbs:
        with self._turn:
            tokenizer, _ = self._ready()
            ids = self._encode(tokenizer, prompt)
            tokens = tuple(str(tokenizer.decode([one])) for one in ids)
            return PromptLogProbs(
                prompt=prompt, tokens=tokens, logprobs=tuple(self._values(ids)), n_prompt_tokens=len(ids)
            )

    def _next_token(self, prompt: str) -> tuple[str, float]:
        with self._turn, self._torch.inference_mode():
            tokenizer, model = self._ready()
            ids = [self._start(tokenizer), *self._encode(tokenizer, prompt)]
            values = model(self._torch.tensor([ids])).logits[0, -1].double().log_softmax(-1)
            best = int(values.argmax())
            return str(tokenizer.decode([best])), float(values[best])

    def _values(self, ids: Sequence[int]) -> list[float]:
        """Return the log-probability of each token after those before it: row i - 1 speaks of token i."""
        if not ids:
            return []
        torch = self._torch
        with torch.inference_mode():
            tokenizer, model = self._ready()
            self._room(model, len(ids))
            logits = model(torch.tensor([[self._start(tokenizer), *ids]])).logits[0, :-1]
            rows = logits.double().log_softmax(-1)
            return rows.gather(1, torch.tensor(ids)[:, None])[:, 0].tolist()

    def _encode(self, tokenizer: Any, text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    def _encode_chat(self, tokenizer: Any, request: Request) -> list[int]:
        turns = [{"role": turn.role, "content": repair_surrogates(turn.content)} for turn in request.messages]
        if tokenizer.chat_template:
            text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
            return self._encode(tokenizer, text)
        text = "\n\n".join(turn["content"] for turn in turns)
        return [self._start(tokenizer), *self._encode(tokenizer, text)]

    def _start(self, tokenizer: Any) -> int:
        start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        if start is None:
            raise CallError("the model has no token for the start of a text")
        return int(start)

    def _room(self, model: Any, n_tokens: int) -> int:
        most = getattr(model.config, "max_position_embeddings", None) or n_tokens + 1_000_000
        if n_tokens >= most:
            raise CallError(f"the prompt has {n_tokens:,} tokens, the model takes {most:,}")
        return int(most) - n_tokens


def _end_tokens(tokenizer: Any, model: Any) -> set[int]:
    ends: Any = model.generation_config.eos_token_id
    listed: list[Any] = ends if isinstance(ends, list) else [ends]  # pyright: ignore[reportUnknownVariableType] - one or many
    return {int(end) for end in [*listed, tokenizer.eos_token_id] if end is not None}


def _load(name: str) -> Any:  # Any: an optional package
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError("a local model", extra=EXTRA) from error
