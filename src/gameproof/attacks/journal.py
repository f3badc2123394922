"""Keep a search on disk round by round, so that a stopped attack goes on where it was."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from gameproof.attacks.search import Arms, Found, Hunt
from gameproof.errors import RunFolderError
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.json_text import parse_json
from gameproof.records import Item

__all__ = ["Journal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """The state of one search, in a file that is replaced as a whole after each round.

    Attributes:
        path: Of the file.
        key: What the search depends on; a file with another key is of another search and not used.
    """

    path: Path
    key: str

    def keep(self, hunts: Sequence[Hunt], arms: Arms) -> None:
        """Write the state after a round."""
        state = {
            "key": self.key,
            "arms": asdict(arms),
            "texts": {hunt.item.id: _hunt(hunt) for hunt in hunts},
        }
        with AtomicFile(self.path) as file, writing_errors(self.path):
            file.data.write(json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def recall(self, items: Sequence[Item]) -> tuple[list[Hunt], Arms] | None:
        """Return the state that was kept last; None where there is none of this search.

        Raises:
            RunFolderError: The file is damaged.
        """
        if not self.path.is_file():
            return None
        try:
            text = self.path.read_bytes().decode("utf-8", "surrogatepass")
            state = cast("dict[str, Any]", parse_json(text))  # Any: JSON, checked field by field
            if state["key"] != self.key:
                return None
            texts = cast("Mapping[str, Mapping[str, object]]", state["texts"])
            return [_read(item, texts[item.id]) for item in items], Arms(**state["arms"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise RunFolderError(
                f"{self.path} cannot be read: {error!r}.", hint="Delete it to attack from the start."
            ) from error


def _hunt(hunt: Hunt) -> dict[str, object]:
    return {
        "kept": [asdict(found) for found in hunt.kept],
        "record": [asdict(found) for found in hunt.record],
        "n_calls": hunt.n_calls,
        "n_rounds": hunt.n_rounds,
        "n_idle": hunt.n_idle,
        "failures": hunt.failures,
        "seen": sorted(hunt.seen),
    }


def _read(item: Item, row: Mapping[str, object]) -> Hunt:
    def found(name: str) -> list[Found]:
        entries = cast("Sequence[Mapping[str, object]]", row[name])
        return [
            Found(
                text=str(one["text"]),
                score=float(cast("float", one["score"])),
                moves=tuple(cast("Sequence[str]", one["moves"])),
                call=int(cast("int", one["call"])),
            )
            for one in entries
        ]

    return Hunt(
        item=item,
        kept=found("kept"),
        record=found("record"),
        n_calls=int(cast("int", row["n_calls"])),
        n_rounds=int(cast("int", row["n_rounds"])),
        n_idle=int(cast("int", row["n_idle"])),
        failures=dict(cast("Mapping[str, int]", row["failures"])),
        seen=set(cast("Sequence[str]", row["seen"])),
    )
