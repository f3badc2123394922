"""Turn a frame and a text into tokens, by the model's own chat template.

A beginning is what the template writes up to where the model would begin its reply. The text follows with the
tokens that it has there, and ends with the token that ends a turn: that one is scored too, since a text that
could go on is not the whole text. White space around the text is left out, as most templates do it.

    <|im_start|>user ... <|im_end|> <|im_start|>assistant | The bridge fell . <|im_end|>
    ------------------ beginning ------------------------ | ------- scored -------------

Where a model has no template, the turns follow one another as plain paragraphs behind the token for the start of
a text, and the text ends with the token for its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gameproof.llm.providers.openai_wire import repair_surrogates
from gameproof.prompts.messages import Message

__all__ = ["PLAIN", "Framer", "plain_frame"]

PLAIN = "the model has no chat template: texts stand in a plain frame, one paragraph after the other"
MERGED = "the chat template has no place for a system message: it leads the user's"
APART = (
    "the chat template writes a finished reply otherwise than it asks for one: texts follow what asks for one"
)

PARAGRAPH = "\n\n"
FRAME_END = "text"  # frames end in a letter: no tokenizer joins one and a line break
PROBE = "0"  # a text of one token that no template changes


def plain_frame(messages: Sequence[Message]) -> str:
    """Write turns as paragraphs, up to where the text begins."""
    return PARAGRAPH.join([*(turn.content for turn in messages), ""])


@dataclass(slots=True)
class Framer:
    """One tokenizer. `notes` says what a reader of the scores must know about its template."""

    tokenizer: Any  # of an optional package that has no types here
    notes: tuple[str, ...] = ()
    n_defused: int = 0  # texts that held control tokens of the model
    _lead: str = PARAGRAPH  # what stands before a text and belongs to it
    _end: str = ""  # what stands behind a text
    _merges: bool = False  # system into user
    _controls: tuple[str, ...] = ()
    _adds_start: bool = False

    def __post_init__(self) -> None:
        """Find out what the template does."""
        tokenizer = self.tokenizer
        self._controls = tuple(
            sorted(
                {str(token) for token in tokenizer.all_special_tokens}
                | {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special},
                key=len,
                reverse=True,
            )
        )
        notes: list[str] = []
        if not tokenizer.chat_template:
            self._end = tokenizer.eos_token or ""
            notes.append(PLAIN)
        else:
            self._merges = not self._takes_system()
            notes += [MERGED] if self._merges else []
            self._lead, self._end, is_apart = self._find_ends()
            notes += [APART] if is_apart else []
            start, probe = tokenizer.bos_token_id, tokenizer(PROBE)["input_ids"]
            self._adds_start = start is not None and probe[:1] == [start]
        self.notes = tuple(notes)

    def beginning(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Return the tokens up to where a reply begins."""
        if not self.tokenizer.chat_template:
            start = self.tokenizer.bos_token_id
            start = self.tokenizer.eos_token_id if start is None else start
            begins = () if start is None else (int(start),)
            text = plain_frame([self._clean_turn(turn) for turn in messages])
            return (*begins, *self._encode(text.rstrip()))
        ids = self._encode(self._render(messages))
        start = self.tokenizer.bos_token_id
        if self._adds_start and ids[:1] != [start]:  # the template leaves it to the tokenizer
            ids = [start, *ids]
        return tuple(ids)

    def text(self, text: str) -> tuple[int, ...]:
        """Return the tokens of a text as they are behind a beginning, with the one that ends it.

        What is directly before a text is the same in all beginnings: the template's own words, or in a plain
        frame the end of a paragraph, whose line break belongs to the text.
        """
        body = self._clean(text).strip()
        if self.tokenizer.chat_template:
            head = self._apply([{"role": "user", "content": FRAME_END}], add=True)
        else:
            head = FRAME_END
        text = self._lead + body + self._end
        ids, whole = self._encode(head), self._encode(head + text)
        rest = whole[len(ids) :] if whole[: len(ids)] == ids else self._encode(text)
        return self._until_end(rest)

    def _until_end(self, ids: Sequence[int]) -> tuple[int, ...]:
        """Cut behind the first control token: what a template puts after it is no part of the turn."""
        controls = set(self.tokenizer.all_special_ids) | {
            number for number, token in self.tokenizer.added_tokens_decoder.items() if token.special
        }
        unknown = self.tokenizer.unk_token_id
        for place, number in enumerate(ids):
            if number in controls and number != unknown:
                return tuple(ids[: place + 1])
        return tuple(ids)

    def _takes_system(self) -> bool:
        turns = [{"role": "system", "content": "one"}, {"role": "user", "content": "two"}]
        try:
            return "one" in self._apply(turns, add=True)
        except Exception as error:  # noqa: BLE001 - templates raise jinja's errors, and others of their own
            del error
            return False

    def _find_ends(self) -> tuple[str, str, bool]:
        """Return the blanks before a reply, what is behind it, and whether it is not where it is asked for."""
        asking: list[dict[str, str]] = [{"role": "user", "content": "one"}]
        head = self._apply(asking, add=True)
        whole = self._apply([*asking, {"role": "assistant", "content": PROBE}], add=False)
        rest = whole.removeprefix(head)
        lead = rest[: len(rest) - len(rest.lstrip())]
        if whole.startswith(head) and rest.startswith(lead + PROBE):
            return lead, rest.removeprefix(lead + PROBE) or str(self.tokenizer.eos_token or ""), False
        return "", str(self.tokenizer.eos_token or ""), True

    def _render(self, messages: Sequence[Message]) -> str:
        turns = [{"role": turn.role, "content": turn.content} for turn in map(self._clean_turn, messages)]
        if self._merges and len(turns) > 1 and turns[0]["role"] == "system":
            system, user, *rest = turns
            joined = f"{system['content']}\n\n{user['content']}"
            turns = [{"role": "user", "content": joined}, *rest]
        return self._apply(turns, add=True)

    def _apply(self, turns: Sequence[dict[str, str]], *, add: bool) -> str:
        return str(self.tokenizer.apply_chat_template(list(turns), tokenize=False, add_generation_prompt=add))

    def _clean_turn(self, turn: Message) -> Message:
        return Message(role=turn.role, content=self._clean(turn.content))

    def _clean(self, text: str) -> str:
        """Break up the model's control tokens: a text that holds one would end its own turn."""
        mended = repair_surrogates(text)
        for control in self._controls:
            if len(control) > 1 and control in mended:
                self.n_defused += 1
                mended = mended.replace(control, f"{control[0]} {control[1:]}")
        return mended

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
