"""What a column of scores looks like, counted while it streams by."""

import importlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import cast

import numpy as np

from gameproof.llm.passing import is_passing
from gameproof.records import Scores

__all__ = ["ColumnCounter", "ScoreSummary", "ScoreTable", "rows_of", "scores_of_rows", "spreads_of"]

# What is known of a column beyond counts; of a draw, where there are very many texts.
FACTS = ("distinct", "tie_share", "floor", "rho_length", "rescored", "rescored_sd", "rescored_shift")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSummary:
    """One metric over one data set."""

    metric: str
    signature: str
    n: int  # scores
    n_missing: int
    missing: Mapping[str, int]  # reason -> count
    mean: float | None
    sd: float | None
    low: float | None  # smallest and largest score
    high: float | None
    alarms: tuple[str, ...] = ()  # sentences about what is wrong with the column
    facts: Mapping[str, float | None] = field(
        default_factory=dict[str, "float | None"]
    )  # what they come from

    @property
    def n_failed(self) -> int:
        """Count the scores that are missing because calls failed for the time being."""
        return sum(count for reason, count in self.missing.items() if is_passing(reason))

    @property
    def lacks(self) -> str | None:
        """Say what a complete column would have: any score at all, and those of calls that failed."""
        total = self.n + self.n_missing
        if self.n_missing and not self.n:
            return f"{self.metric} has none of {total:,} scores"
        if self.n_failed:
            return f"{self.metric} has {self.n:,} of {total:,} scores, and calls for {self.n_failed:,} failed"
        return None

    def record(self) -> dict[str, object]:
        """Return the summary as it is written to a file."""
        return {
            "metric": self.metric,
            "signature": self.signature,
            "n": self.n,
            "n_missing": self.n_missing,
            "missing": dict(self.missing),
            "mean": self.mean,
            "sd": self.sd,
            "low": self.low,
            "high": self.high,
            **{fact: self.facts.get(fact) for fact in FACTS},
            "alarms": list(self.alarms),
        }

    def __str__(self) -> str:
        """Show the metric in one line."""
        figures = (("mean", self.mean), ("sd", self.sd), ("lowest", self.low), ("highest", self.high))
        parts = [
            f"{self.n:,} scores",
            *(f"{what} {value:.4g}" for what, value in figures if value is not None),
            *(f"{count:,} missing: {reason}" for reason, count in self.missing.items()),
        ]
        parts += [f"! {alarm}" for alarm in self.alarms if not alarm.startswith("missing: ")]  # said already
        return f"{self.metric}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """What `gameproof.score` found."""

    summaries: tuple[ScoreSummary, ...]
    scores: tuple[Scores, ...] = ()  # one a metric; empty where the rows went to a file
    out: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def signatures(self) -> tuple[str, ...]:
        """Return what rebuilds each metric."""
        return tuple(summary.signature for summary in self.summaries)

    @property
    def n_rows(self) -> int:
        """Count the rows: one for each metric and item."""
        return sum(summary.n + summary.n_missing for summary in self.summaries)

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield one row of the format ``scores.jsonl`` for each metric and item."""
        for summary, scores in zip(self.summaries, self.scores, strict=False):
            yield from rows_of(summary.metric, scores)

    def __str__(self) -> str:
        """Show one line for each metric."""
        return "\n".join(str(summary) for summary in self.summaries)

    def _repr_html_(self) -> str:
        """Show the first rows as a table in a notebook."""
        # How results look is known a layer above this one; it is looked up when a notebook asks.
        notebook = importlib.import_module("gameproof.reports.notebook")
        return str(notebook.html_rows(islice(self.rows(), 20), total=self.n_rows))

    def __getitem__(self, metric: str) -> Scores:
        """Return the scores of one metric, by its name."""
        for summary, scores in zip(self.summaries, self.scores, strict=False):
            if summary.metric == metric:
                return scores
        raise KeyError(metric)


@dataclass(slots=True, kw_only=True)
class ColumnCounter:
    """Counts scores batch by batch; mean and spread by Chan's update, which stays exact for long columns."""

    metric: str
    signature: str
    n: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of squared deviations
    low: float = math.inf
    high: float = -math.inf
    missing: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, scores: Scores) -> None:
        """Count one more batch."""
        if scores.reasons:
            for item_id in scores.item_ids:  # in their order, whatever the order of the reasons
                if (reason := scores.reasons.get(item_id)) is not None:
                    self.missing[reason] = self.missing.get(reason, 0) + 1
        values = scores.values[~np.isnan(scores.values)]
        if not values.size:
            return
        with np.errstate(over="ignore", invalid="ignore"):  # what cannot be held is left out in the end
            mean = float(values.mean())
            squares = float(((values - mean) ** 2).sum())
        total = self.n + values.size
        shift = mean - self.mean
        self.squares += squares + shift * shift * self.n * values.size / total
        self.mean += shift * values.size / total
        self.n = total
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))

    def summary(self) -> ScoreSummary:
        """Return what has been counted so far."""
        return ScoreSummary(
            metric=self.metric,
            signature=self.signature,
            n=self.n,
            n_missing=sum(self.missing.values()),
            missing=dict(self.missing),
            mean=self.mean if self.n and math.isfinite(self.mean) else None,
            sd=self._deviation(),
            low=self.low if self.n else None,
            high=self.high if self.n else None,
        )

    def _deviation(self) -> float | None:
        """Return the standard deviation; None where squares are too large or too small for float64."""
        vanished = self.squares == 0 and self.low < self.high
        if self.n < 2 or vanished or not math.isfinite(self.squares):
            return None
        return math.sqrt(self.squares / (self.n - 1))


def rows_of(metric: str, scores: Scores) -> Iterator[dict[str, object]]:
    """Yield one row of the format ``scores.jsonl`` for each item of a column of originals."""
    spreads = spreads_of(scores)
    for item_id, value, spread in zip(scores.item_ids, scores.values.tolist(), spreads, strict=True):
        reason = scores.reasons.get(item_id)
        yield {
            "item": item_id,
            "variant": None,
            "level": None,
            "metric": metric,
            "score": value if reason is None else None,
            "reason": reason,
            "remark": scores.remarks.get(item_id),
            "spread": spread,
        }


def scores_of_rows(signature: str, rows: Sequence[Mapping[str, object]]) -> Scores:
    """Read one metric's scores back from rows that `rows_of` has made.

    Contrasts are not among them, and the spread is there (as NaN) also where no answers were repeated.
    """
    spread = np.array([_number(row["spread"]) for row in rows], dtype=np.float64)
    ids = tuple(str(row["item"]) for row in rows)
    return Scores(
        signature=signature,
        item_ids=ids,
        values=np.array([_number(row["score"]) for row in rows], dtype=np.float64),
        reasons=_said(ids, [row["reason"] for row in rows]),
        remarks=_said(ids, [row["remark"] for row in rows]),
        spread=spread,
    )


def _number(value: object) -> float:
    return math.nan if value is None else float(cast("float", value))  # JSON has numbers and null here


def _said(ids: Sequence[str], texts: Sequence[object]) -> dict[str, str]:
    return {item_id: str(text) for item_id, text in zip(ids, texts, strict=True) if text is not None}


def spreads_of(scores: Scores) -> list[float | None]:
    """Return the standard deviation of the repeated answers behind each score; None where there are none."""
    if scores.spread is None:
        return [None] * len(scores.item_ids)
    return [spread if math.isfinite(spread) else None for spread in scores.spread.tolist()]
