"""Forward passes of a causal language model over packed texts, and the plain ones they must agree with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from typing import Any

from gameproof.llm.local.packing import (
    Batch,
    Family,
    Job,
    Layout,
    Row,
    lay_beginnings,
    lay_rows,
    plan_families,
)
from gameproof.records import BoolArray

__all__ = ["Forward", "StoppedError"]

MAX_TOKENS = 1024  # in one forward pass: bounds the logits, which have one number for each word there is

# Any, in this file: tensors and models of an optional package that has no types here.


class StoppedError(Exception):
    """The run ended between two passes."""


@dataclass(slots=True)
class Forward:
    """One model, and how many tokens went through it. Not for two threads at once."""

    model: Any
    n_tokens: int = 0
    stopped: Callable[[], bool] = field(default=lambda: False)  # asked between two passes
    torch: Any = field(default_factory=lambda: import_module("torch"))
    _takes: frozenset[str] = field(init=False)  # what the model can be told
    _new_cache: Callable[[], Any] = field(init=False)

    def __post_init__(self) -> None:
        """Look at the model."""
        self._takes = frozenset(signature(self.model.forward).parameters)
        self._new_cache = import_module("transformers").DynamicCache

    def packed(self, jobs: Sequence[Job], *, batch: int) -> list[list[float]]:
        """Return the log-probability of every branch behind its beginning, each summed over its tokens."""
        sums = [[0.0] * len(job.branches) for job in jobs]
        with self.torch.inference_mode():
            for family in plan_families(jobs, batch=batch, max_tokens=MAX_TOKENS):
                header = self._header(family)
                for members in family.batches:
                    self._check_stopped()
                    chosen = [jobs[number] for number in members.jobs]
                    values = self._batch(chosen, members, header, len(family.header))
                    for number, found in zip(members.jobs, values, strict=True):
                        sums[number] = found
        return sums

    def plain(self, jobs: Sequence[Job], *, batch: int) -> list[list[float]]:
        """Return the same, each text in a row of its own with its beginning, padded on the right."""
        torch = self.torch
        pairs = [
            (number, place, job.beginning, branch)
            for number, job in enumerate(jobs)
            for place, branch in enumerate(job.branches)
        ]
        pairs.sort(key=lambda pair: len(pair[2]) + len(pair[3]))
        sums = [[0.0] * len(job.branches) for job in jobs]
        with torch.inference_mode():
            for first in range(0, len(pairs), batch):
                self._check_stopped()
                part = pairs[first : first + batch]
                rows = [torch.tensor([*beginning, *branch[:-1]]) for _, _, beginning, branch in part]
                ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
                lengths = torch.tensor([len(row) for row in rows])
                mask = (torch.arange(ids.shape[1])[None, :] < lengths[:, None]).long()
                start = min(len(beginning) for _, _, beginning, _ in part) - 1
                logits = self._run(ids, keep=torch.arange(start, ids.shape[1]), attention_mask=mask)
                for row, (number, place, beginning, branch) in enumerate(part):
                    begin = len(beginning) - 1 - start
                    values = self._logprobs(
                        logits[row, begin : begin + len(branch)], torch.tensor(branch, device=logits.device)
                    )
                    sums[number][place] = float(values.double().sum())
        return sums

    def _check_stopped(self) -> None:
        if self.stopped():
            raise StoppedError

    def _header(self, family: Family) -> list[tuple[Any, Any]]:
        """Return keys and values of every layer for what all beginnings of a family start with."""
        if not family.header:
            return []
        cache = self._new_cache()
        self._run(self.torch.tensor([family.header]), keep=1, cache=cache)
        return _entries(cache)

    def _batch(
        self, jobs: Sequence[Job], batch: Batch, header: Sequence[tuple[Any, Any]], n_header: int
    ) -> list[list[float]]:
        torch = self.torch
        layout = lay_beginnings(jobs, n_header)
        cache = self._filled(
            [(k.expand(len(jobs), -1, -1, -1), v.expand(len(jobs), -1, -1, -1)) for k, v in header]
        )
        ends = sorted(set(layout.columns.tolist()))
        logits = self._run_layout(layout, cache, keep=torch.tensor(ends))
        entries = _entries(cache)
        sums = [[0.0] * len(job.branches) for job in jobs]
        for place, (job, column) in enumerate(zip(jobs, layout.columns.tolist(), strict=True)):
            firsts = torch.tensor([branch[0] for branch in job.branches], device=logits.device)
            row = logits[place, ends.index(column)].float()
            for number, value in enumerate((row[firsts] - row.logsumexp(-1)).double().tolist()):
                sums[place][number] = value
        for group in batch.groups:
            self._check_stopped()
            self._rows(jobs, group, entries, n_header + layout.ids.shape[1], sums)
        return sums

    def _rows(
        self,
        jobs: Sequence[Job],
        group: Sequence[Row],
        entries: Sequence[tuple[Any, Any]],
        filled: int,
        sums: list[list[float]],
    ) -> None:
        """Add what the second and later tokens of some branches weigh."""
        torch = self.torch
        starts = [sum(len(job.branches) for job in jobs[:place]) for place in range(len(jobs))]
        layout = lay_rows(
            group,
            [len(jobs[row.place].beginning) for row in group],
            filled,
            [starts[row.place] for row in group],
        )
        places = [row.place for row in group]
        if places != list(range(len(jobs))):
            index = torch.tensor(places, device=entries[0][0].device)
            entries = [
                (keys.index_select(0, index), values.index_select(0, index)) for keys, values in entries
            ]
        logits = self._run_layout(layout, self._filled(entries), keep=0)
        values = self._logprobs(
            logits[torch.from_numpy(layout.rows), torch.from_numpy(layout.columns)],
            torch.from_numpy(layout.targets).to(logits.device),
        )
        totals = torch.zeros(sum(len(job.branches) for job in jobs), dtype=torch.float64)
        totals.index_add_(0, torch.from_numpy(layout.owners), values.double().cpu())
        for row in group:
            for branch in row.branches:
                sums[row.place][branch.number] += float(totals[starts[row.place] + branch.number])

    def _run_layout(self, layout: Layout, cache: Any, *, keep: Any) -> Any:
        return self._run(
            self.torch.from_numpy(layout.ids),
            keep=keep,
            cache=cache,
            position_ids=self.torch.from_numpy(layout.positions),
            attention_mask=None if layout.visible is None else self._mask(layout.visible),
        )

    def _run(self, ids: Any, *, keep: Any, cache: Any = None, **more: Any) -> Any:
        """Run the model and fill the cache; logits only at the columns to keep (0: all, 1: the last)."""
        device = self.model.device
        moved = {key: value.to(device) for key, value in more.items() if value is not None}
        keep = keep.to(device) if hasattr(keep, "to") else keep
        options: dict[str, Any] = {"use_cache": cache is not None}
        if cache is not None:
            options["cache" if "cache" in self._takes else "past_key_values"] = cache  # renamed in 5.2x
        if "logits_to_keep" in self._takes:
            options["logits_to_keep"] = keep
        logits = self.model(input_ids=ids.to(device), **moved, **options).logits
        self.n_tokens += ids.numel()
        if "logits_to_keep" not in self._takes:
            logits = logits[:, slice(-keep, None) if isinstance(keep, int) else keep]
        return logits

    def _logprobs(self, logits: Any, targets: Any) -> Any:
        """Return the log-probability of one target for each row of logits, in single precision at least."""
        wide = logits.float()
        return wide.gather(-1, targets[:, None])[:, 0] - wide.logsumexp(-1)

    def _filled(self, entries: Sequence[tuple[Any, Any]]) -> Any:
        """Make a cache of keys and values that leaves the tensors themselves as they are."""
        cache = self._new_cache()
        for layer, (keys, values) in enumerate(entries):
            cache.update(keys, values, layer)
        return cache

    def _mask(self, visible: BoolArray) -> Any:
        """Turn what is visible into what is added to the attention scores."""
        dtype = self.model.dtype
        seen = self.torch.from_numpy(visible)[:, None]
        mask = self.torch.zeros(seen.shape, dtype=dtype)
        return mask.masked_fill_(~seen, self.torch.finfo(dtype).min)


def _entries(cache: Any) -> list[tuple[Any, Any]]:
    return [(layer.keys, layer.values) for layer in cache.layers]
