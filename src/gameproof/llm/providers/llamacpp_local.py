"""A GGUF file, run by llama.cpp in this process through the package xllamacpp.

xllamacpp rather than llama-cpp-python: it comes as a wheel where the other is compiled for minutes, it keeps
to JSON schemas, and it claims no log-probabilities of a prompt, where the other's are those of other tokens.
Questions are answered one after the other and without what earlier ones left in the cache: llama.cpp's numbers
depend in their last digits on what else is in a batch, and an answer must not depend on that.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from threading import Event, Lock
from typing import Any, cast

from gameproof.errors import CallError, EndpointError, MissingExtraError, PlanError
from gameproof.files.home import from_home
from gameproof.llm.client import Reply, Request
from gameproof.llm.local.identity import DIGEST_SHOWN, digest_of_model
from gameproof.llm.prompt_logprobs import PromptLogProbs, sum_continuation
from gameproof.llm.providers.openai_wire import (
    make_body,
    next_token_body,
    prompt_body,
    read_next_token,
    read_prompt_logprobs,
    read_reply,
    repair_surrogates,
)

__all__ = ["LlamaCppLocal"]

EXTRA = "llamacpp"
PACKAGE = "xllamacpp"
MAGIC = b"GGUF"
CONTEXT_TOKENS = (
    16_384  # at the most: the memory of a longer context would be taken whether it is needed or not
)
SILENT = -1
ENDED = "the run has ended"
UNREADABLE = "the answer of llama.cpp cannot be read"
Record = Mapping[str, object]


class LlamaCppLocal:
    """Loads the file on first use and asks the model in a thread, one call after the other."""

    def __init__(self, path: str | Path) -> None:
        """Look at the file; nothing is loaded yet.

        Raises:
            PlanError: There is no such file, or it is no GGUF file.
            MissingExtraError: The package is not installed.
        """
        self._path = from_home(path)
        _check_file(self._path)
        self._package = _load()
        self._digest = digest_of_model(self._path)
        self._server: Any = None  # Any: of an optional package without types
        self._turn = Lock()
        self._stopped = Event()

    @property
    def name(self) -> str:
        """The name of the file, without the path to it, and a digest of the model that is in it."""
        return f"{self._path.resolve().name}@{self._digest[:DIGEST_SHOWN]}"

    @property
    def base_url(self) -> str:
        """What stands for the model in the keys of the store: its name and the whole digest."""
        return f"llamacpp:{self._path.resolve().name}:{self._digest}"

    async def complete(self, request: Request) -> Reply:
        """Write a reply; JSON schemas are enforced.

        Raises:
            CallError: The question is too long for the model, or llama.cpp does not take it.
            EndpointError: The file cannot be loaded.
        """
        return await asyncio.to_thread(self._complete, request)

    async def logprob(self, context: str, continuation: str) -> float:
        """Return the log-probability of a continuation, where llama.cpp gives those of a prompt."""
        return sum_continuation(await self.score_prompt(context + continuation), context, continuation)

    async def score_prompt(self, prompt: str) -> PromptLogProbs:
        """Return what llama.cpp gives for the tokens of a prompt, unchecked: versions so far give nothing."""
        body = prompt_body(self.name, repair_surrogates(prompt))
        return read_prompt_logprobs(await asyncio.to_thread(self._ask_plainly, body), prompt)

    async def next_token(self, prompt: str) -> tuple[str, float]:
        """Return the likeliest next token and its log-probability."""
        body = next_token_body(self.name, repair_surrogates(prompt))
        found = read_next_token(await asyncio.to_thread(self._ask_plainly, body))
        if found is None:
            raise EndpointError("llama.cpp gives no log-probabilities.")
        return found

    async def close(self) -> None:
        """Stop what is being written."""
        self._stopped.set()

    def _complete(self, request: Request) -> Reply:
        body = make_body(request, "chat", ())
        more = {
            "stream": True,
            "stream_options": {"include_usage": True},
            "cache_prompt": False,
            "seed": request.sample,
        }
        pieces: list[Record] = []

        def take(piece: Record) -> bool:
            pieces.append(piece)
            return self._stopped.is_set()

        with self._turn:
            self._raise_if_stopped()
            _call(self._ready().handle_chat_completions, body | more, take)
            self._raise_if_stopped()  # half an answer is none
        return read_reply(_put_together(pieces) | {"model": self.name}, style="chat", dropped=())

    def _ask_plainly(self, body: dict[str, object]) -> Record:
        with self._turn:
            self._raise_if_stopped()
            record = _call(self._ready().handle_completions, {**body, "cache_prompt": False})
        _raise_error_in(record)
        return record

    def _raise_if_stopped(self) -> None:
        if self._stopped.is_set():
            raise CallError(ENDED)

    def _ready(self) -> Any:
        if self._server is None:
            settings = self._package.CommonParams()
            settings.model.path = str(self._path)
            settings.n_ctx = CONTEXT_TOKENS  # llama.cpp takes less where the model was trained for less
            settings.n_parallel = 1
            settings.fit_params = False
            settings.verbosity = SILENT
            settings.api_keys = [os.urandom(16).hex()]  # it opens a port too, which nobody else may use
            threads = os.environ.get("OMP_NUM_THREADS", "")
            if threads.isdecimal() and int(threads) > 0:
                settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = int(threads)
            try:
                self._server = self._package.Server(settings)
            except (RuntimeError, ValueError) as error:
                raise EndpointError(
                    f"llama.cpp cannot load {self._path}: {error}",
                    hint="Is the file whole? A model newer than llama.cpp needs: pip install -U xllamacpp",
                ) from error
        return self._server


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise PlanError(
            f"{path} is a folder; llamacpp: takes a GGUF file.",
            hint="A folder of transformers is named with --llm transformers:FOLDER.",
        )
    try:
        with path.open("rb") as file:
            beginning = file.read(len(MAGIC))
    except OSError as error:
        raise PlanError(f"there is no GGUF file {path}: {error.strerror or error}.") from error
    if beginning != MAGIC:
        raise PlanError(f"{path} is no GGUF file: it does not begin with {MAGIC.decode()}.")


def _load() -> Any:  # Any: an optional package
    try:
        return import_module(PACKAGE)
    except ImportError as error:
        raise MissingExtraError("a model in llama.cpp", extra=EXTRA) from error


def _call(handle: Callable[..., object], *given: object) -> Record:
    """Ask llama.cpp. What it does not take it raises before it writes anything."""
    try:
        answer = handle(*given)
    except (RuntimeError, ValueError) as error:
        raise CallError(f"llama.cpp does not take the question: {' '.join(str(error).split())}") from error
    return cast("Record", answer) if isinstance(answer, dict) else {}


def _put_together(pieces: list[Record]) -> dict[str, object]:
    """Make one answer of the pieces that llama.cpp wrote."""
    text: list[str] = []
    tokens: list[object] = []
    finish: object = None
    usage: object = None
    for piece in pieces:
        _raise_error_in(piece)
        usage = piece.get("usage") or usage
        for choice in cast("list[dict[str, object]]", piece.get("choices") or []):
            text.append(str(_field(choice, "delta").get("content") or ""))
            tokens.extend(cast("list[object]", _field(choice, "logprobs").get("content") or []))
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise CallError(UNREADABLE)
    logprobs = {"content": tokens} if tokens else None
    whole = {"message": {"content": "".join(text)}, "finish_reason": finish, "logprobs": logprobs}
    return {"choices": [whole], "usage": usage}


def _field(record: Record, name: str) -> Record:
    return cast("Record", record.get(name) or {})  # JSON that llama.cpp has made


def _raise_error_in(record: Record) -> None:
    error = record.get("error")
    if not isinstance(error, dict):
        return
    said = cast("dict[str, object]", error)
    needed, room = said.get("n_prompt_tokens"), said.get("n_ctx")
    if isinstance(needed, int) and isinstance(room, int):
        raise CallError(f"the prompt has {needed:,} tokens, the model takes {room:,}")
    raise CallError(f"llama.cpp answers: {said.get('message')}")
