"""log p(text | frame) for all metrics of a run: each pair goes through the model once.

Metrics say which pairs they are going to need (`announce`) before the first of them asks. What is announced for
a frame is scored when the frame is first asked about, behind one computation of the frame.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from gameproof.errors import CallError, SpecError
from gameproof.llm.asking import ask_together
from gameproof.llm.client import LogProbModel
from gameproof.llm.connect import Connection
from gameproof.llm.local.framing import plain_frame
from gameproof.llm.selftest import check_logprobs
from gameproof.llm.text_scores import NumberFormat, Setting, TextScore, find_text_scorer
from gameproof.prompts.messages import Message

__all__ = ["PairScores"]

Found = TextScore | str  # a score, or the reason why there is none

MAX_KEPT = 400_000  # pairs; the frames not used for longest go first
MAX_ANNOUNCED = 100_000
SETTINGS_AT_ONCE = 64  # handed to the model together: what is found is kept even if the run ends after that
NO_TOKEN_COUNT = 0  # an endpoint does not say how many tokens a text has

OVER_HTTP = "texts are scored over HTTP in a plain frame, without the model's chat template and without the end of a turn"


@dataclass(frozen=True, slots=True)
class _Frame:
    """Turns, by their digest."""

    key: bytes
    messages: tuple[Message, ...]


class PairScores:
    """The scores of one model in one number format."""

    def __init__(self, model: object, *, dtype: NumberFormat) -> None:
        """Nothing is loaded yet.

        Args:
            model: Runs on this machine, or gives log-probabilities that pass the self-test.
            dtype: Number format of a model on this machine.
        """
        self._model = model
        self._dtype: NumberFormat = dtype
        self._scorer = find_text_scorer(model)
        self._kept: OrderedDict[bytes, dict[str, Found]] = OrderedDict()
        self._n_kept = 0
        self._announced: OrderedDict[bytes, dict[str, None]] = OrderedDict()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self._model, self._dtype)

    @property
    def nbytes(self) -> int:
        """Next to nothing: what is kept here has a bound of its own."""
        return 1000

    @property
    def is_local(self) -> bool:
        """Whether the model runs on this machine."""
        return self._scorer is not None

    def notes(self) -> tuple[str, ...]:
        """Say what a reader of the scores must know about how the model was used."""
        return (OVER_HTTP,) if self._scorer is None else self._scorer.scoring_notes(self._dtype)

    async def check(self, *, per_token: bool) -> None:
        """Make sure that the model can do what is asked.

        Raises:
            EndpointError: It answers chats only, or its log-probabilities are not what they claim to be.
            SpecError: An endpoint is asked for what only a model on this machine can do.
        """
        if self._scorer is not None:
            return
        model, place = self._model, getattr(self._model, "name", "the model")
        if isinstance(model, Connection):
            model, place = model.provider.model, model.provider.place
        if not isinstance(model, LogProbModel):
            await check_logprobs(model, place)
        for asked, what in ((per_token, "ratio=token"), (self._dtype != "fp32", f"dtype={self._dtype}")):
            if asked:
                raise SpecError(
                    f"{what} needs a model on this machine: an endpoint says neither how many tokens a text has nor"
                    " in which number format it computes.",
                    hint=f"Use --llm transformers:FOLDER, or leave {what} out.",
                )

    def announce(self, settings: Sequence[Setting]) -> None:
        """Take note of pairs that will be asked about."""
        for setting in settings:
            key = _digest(setting.messages)
            self._announced.setdefault(key, {}).update(dict.fromkeys(setting.texts))
            self._announced.move_to_end(key)
        while len(self._announced) > MAX_ANNOUNCED:
            self._announced.popitem(last=False)

    async def find(self, settings: Sequence[Setting], *, batch: int) -> list[list[Found]]:
        """Return a score or a reason for every text of every setting."""
        keys = [_digest(setting.messages) for setting in settings]
        lock = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with lock:  # metrics that prepare at the same time do not score the same texts twice
            todo = self._missing(keys, settings)
            places = list(todo)
            for first in range(0, len(places), SETTINGS_AT_ONCE):
                part = places[first : first + SETTINGS_AT_ONCE]
                found = await self._score([todo[key] for key in part], batch=batch)
                for key, values in zip(part, found, strict=True):
                    self._keep(key, dict(zip(todo[key].texts, values, strict=True)))
            answers = [
                [self._kept[key][text] for text in setting.texts]
                for key, setting in zip(keys, settings, strict=True)
            ]
            self._forget()
        return answers

    def _missing(self, keys: Sequence[bytes], settings: Sequence[Setting]) -> dict[bytes, Setting]:
        """Return what is to be scored, sorted so that frames which begin alike are neighbours."""
        wanted: dict[bytes, dict[str, None]] = {}
        first: dict[bytes, Setting] = {}
        for key, setting in zip(keys, settings, strict=True):
            first.setdefault(key, setting)
            texts = wanted.setdefault(key, self._announced.pop(key, {}))
            texts.update(dict.fromkeys(setting.texts))
            self._kept.setdefault(key, {})
            self._kept.move_to_end(key)
        todo: dict[bytes, Setting] = {}
        for key, texts in wanted.items():
            known = self._kept[key]
            new = tuple(text for text in texts if text not in known)
            if new:
                todo[key] = replace(first[key], texts=new)
        order = sorted(todo, key=lambda key: (todo[key].family, len(todo[key].messages[-1].content)))
        return {key: todo[key] for key in order}

    async def _score(self, settings: Sequence[Setting], *, batch: int) -> list[list[Found]]:
        if self._scorer is not None:
            return await self._scorer.score_texts(settings, dtype=self._dtype, batch=batch)
        pairs = [(plain_frame(setting.messages), text) for setting in settings for text in setting.texts]
        values = iter(await ask_together([self._ask(context, text) for context, text in pairs]))
        return [[next(values) for _ in setting.texts] for setting in settings]

    async def _ask(self, context: str, text: str) -> Found:
        model = self._model
        assert isinstance(model, LogProbModel)  # noqa: S101 - `check` has seen to it
        try:
            return TextScore(await model.logprob(context, text.strip()), NO_TOKEN_COUNT)
        except CallError as error:
            return error.reason

    def _keep(self, key: bytes, values: dict[str, Found]) -> None:
        self._kept[key].update(values)
        self._n_kept += len(values)

    def _forget(self) -> None:
        while self._n_kept > MAX_KEPT:
            _, values = self._kept.popitem(last=False)
            self._n_kept -= len(values)


def _again(model: object, dtype: NumberFormat) -> PairScores:
    """Make scores in another process, where nothing is known yet."""
    return PairScores(model, dtype=dtype)


def _digest(messages: Sequence[Message]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for turn in messages:
        digest.update(repr((turn.role, turn.content)).encode("utf-8", "surrogatepass"))
    return digest.digest()
