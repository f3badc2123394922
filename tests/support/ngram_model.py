"""An exact bigram model, and completion endpoints over it: one that tells the truth and several that do not."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support.stub_server import Answer, Call, Script, error, reply_with

CORPUS = (
    "The capital of France is Paris. The capital of Italy is Rome. The river of Paris is the Seine. "
    "The hotel of Rome is old. Paris is old and the capital is large."
)
START = "<start>"
TOKENS = re.compile(r"\s?\w+|\s?[^\w\s]|\s")


def cut(text: str) -> list[str]:
    """Cut a text into tokens; a space belongs to the word after it."""
    return TOKENS.findall(text)


@dataclass(frozen=True)
class Bigrams:
    """Add-one smoothed bigrams; every unknown token shares one place in the vocabulary."""

    pairs: Counter = field(
        default_factory=lambda: Counter(zip([START, *cut(CORPUS)], cut(CORPUS), strict=False))
    )

    @property
    def vocabulary(self) -> list[str]:
        return sorted({second for _, second in self.pairs})

    def logprob(self, before: str, token: str) -> float:
        """Return ln((c(before, token) + 1) / (c(before) + V + 1))."""
        total = sum(number for (first, _), number in self.pairs.items() if first == before)
        return math.log((self.pairs[before, token] + 1) / (total + len(self.vocabulary) + 1))

    def logprobs(self, tokens: Sequence[str]) -> list[float]:
        return [self.logprob(before, token) for before, token in zip([START, *tokens], tokens, strict=False)]

    def likeliest(self, before: str) -> str:
        return max(self.vocabulary, key=lambda token: self.logprob(before, token))


def completions(
    *,
    first_is_null: bool = True,
    shift: int = 0,
    n_values: int | None = None,
    scale: float = 1.0,
    echo: bool = True,
) -> Script:
    """Serve /completions over the bigrams.

    Args:
        first_is_null: Give no value for the first token, as most servers do.
        shift: Read the table so many rows too far.
        n_values: Give only so many log-probabilities.
        scale: Multiply the values of the prompt: 1 / ln 10 for logarithms to base 10.
        echo: False ignores the wish for the prompt's values, silently.
    """
    model = Bigrams()

    def answer(call: Call) -> Answer:
        if not call.path.endswith("/completions") or "prompt" not in call.body:
            return reply_with("yes")
        prompt = cut(call.body["prompt"])
        before = prompt[-1] if prompt else START
        written = model.likeliest(before)
        tokens = [*prompt, written] if call.body.get("echo") and echo else [written]
        values = model.logprobs([*prompt, written])
        if len(tokens) == 1:
            values = values[-1:]
        else:
            told = [value * scale for value in [*values, *[values[-1]] * shift][shift:]]
            values = [None if first_is_null else told[0], *told[1:]]
        names = tokens if n_values is None or len(tokens) == 1 else tokens[:n_values]
        offsets = [sum(map(len, tokens[:place])) for place in range(len(names))]
        logprobs = {"tokens": names, "token_logprobs": values[: len(names)], "text_offset": offsets}
        choice = {"index": 0, "text": "".join(tokens), "logprobs": logprobs, "finish_reason": "length"}
        usage = {"prompt_tokens": len(prompt), "completion_tokens": 1}
        return Answer(
            body={"object": "text_completion", "model": "bigrams", "choices": [choice], "usage": usage}
        )

    return answer


def chat_only(call: Call) -> Answer:
    """Know no /completions."""
    return reply_with("yes") if call.path.endswith("/chat/completions") else error(404, "Not found.")
