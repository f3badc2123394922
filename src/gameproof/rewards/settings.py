"""What users say about a reward, read once."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from gameproof.errors import PlanError
from gameproof.llm.client import LanguageModel
from gameproof.llm.limits import Limits
from gameproof.rewards.training_set import PROMPT

__all__ = ["FLOOR", "NONE", "Missing", "RewardOptions", "Settings", "read_options"]

NONE = "none"
FLOOR = "floor"
DEADLINE_S = 120.0  # of a batch

Missing = float | Literal["none", "floor"]


class RewardOptions(TypedDict, total=False):
    """Options of every reward, all by keyword.

    Attributes:
        key: The column by which a host's rows are found in the training set; ``prompt`` by default.
        rename: Field -> column of the training set, as ``--map``.
        reference: The column that holds the references, where it has none of the usual names.
        group_by: The column whose values are the groups that negatives come from, or ``all``.
        llm: The language model of metrics that ask one, as in `gameproof.score`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the negatives.
        deadline_s: Seconds after which completions of a batch that have no score yet go without one; None to
            wait for ever. 120 by default.
        missing: What a completion without a score gets: ``none``, ``floor`` (what another prompt's reference
            gets) or a number. Each host has its own default.
        unknown: What a prompt is that is not in the training set: an ``error`` (the default), or ``none``: no score.
        self_check: Whether the direction is verified before anything is trained, with at most 60 scores.
        extract: Takes what the model said and returns the part that is scored: the answer without the thoughts.
        name: How logs call the reward; the metric's name by default.
        log: A JSON lines file: counts, mean and time of each batch with the metric's signature.
    """

    key: str
    rename: Mapping[str, str] | None
    reference: str | None
    group_by: str | None
    llm: str | LanguageModel | None
    cache: str | Path | None
    limits: Limits | None
    seed: int
    deadline_s: float | None
    missing: Missing
    unknown: Literal["error", "none"]
    self_check: bool
    extract: Callable[[str], str] | None
    name: str | None
    log: str | Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options, every one filled in."""

    key: str = PROMPT
    rename: Mapping[str, str] | None = None
    reference: str | None = None
    group_by: str | None = None
    llm: str | LanguageModel | None = None
    cache: str | Path | None = None
    limits: Limits | None = None
    seed: int = 0
    deadline_s: float | None = DEADLINE_S
    missing: Missing = NONE
    unknown: Literal["error", "none"] = "error"
    self_check: bool = True
    extract: Callable[[str], str] | None = None
    name: str | None = None
    log: str | Path | None = None


def read_options(options: RewardOptions, *, missing: Missing = NONE, key: str = PROMPT) -> Settings:
    """Return the options with defaults, those of the host's where it has its own.

    Raises:
        PlanError: A value is not legal, or an option does not exist.
    """
    given = dict(options)
    unknown = sorted(set(given) - set(Settings.__dataclass_fields__))
    if unknown:
        allowed = ", ".join(Settings.__dataclass_fields__)
        raise PlanError(f"{unknown[0]}: there is no such option of a reward; allowed: {allowed}.")
    settings = Settings(**{"missing": missing, "key": key, **given})  # pyright: ignore[reportArgumentType] - checked below
    _check_missing(settings.missing)
    if settings.unknown not in ("error", "none"):
        raise PlanError(f"unknown: found {settings.unknown!r}; allowed: 'error' or 'none'.")
    deadline = settings.deadline_s
    if deadline is not None and not (_is_number(deadline) and deadline > 0):
        raise PlanError(f"deadline_s: found {deadline!r}; allowed: seconds above 0, or None for no deadline.")
    if settings.missing == FLOOR and not settings.self_check:
        raise PlanError(
            "missing='floor' needs the self-check, which measures the floor, and self_check is False.",
            hint="Leave self_check out, or say a number: missing=0.0.",
        )
    return settings


def _check_missing(missing: object) -> None:
    if missing not in (NONE, FLOOR) and not _is_number(missing):
        raise PlanError(f"missing: found {missing!r}; allowed: 'none', 'floor' or a number.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
