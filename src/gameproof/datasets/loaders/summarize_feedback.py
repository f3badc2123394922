"""OpenAI's summarize-from-feedback: comparisons, and marks on axes."""

from collections.abc import Iterator

from gameproof.datasets.loaders.base import (
    BadRecord,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    each,
    listed,
    number,
    part,
    text,
)

__all__ = ["SUMMARIZE_FEEDBACK"]


def _choice(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    summaries = listed(record, "summaries")
    if len(summaries) != 2:
        raise BadRecord(f"{len(summaries)} summaries", "two")
    choice = part(record, "choice", int, "0 or 1")
    if choice not in {0, 1}:
        raise BadRecord(f"'choice' is {choice}", "0 or 1")
    a, b = (text(summary, "text") for summary in summaries)
    policies = [str(summary.get("policy", side)) for summary, side in zip(summaries, "ab", strict=True)]
    yield {
        **_post(record),
        "candidate_a": a,
        "candidate_b": b,
        "candidate_a_id": policies[0],
        "candidate_b_id": policies[1],
        "references": [],
        "preference": "ab"[choice],
        "annotator": record.get("worker"),
        "batch": record.get("batch"),
        "split": record.get("split"),
    }


def _marks(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    summary = part(record, "summary", dict, "a summary with its marks")
    marks = part(summary, "axes", dict, "an object of marks")
    ratings = {key: number(marks, key) for key in marks if marks[key] is not None}
    policy = str(summary.get("policy") or "summary")
    worker = record.get("worker")
    yield {
        **_post(record),
        "candidate": text(summary, "text"),
        "candidate_id": f"{policy}:{worker}" if worker else policy,
        "system": policy,
        "references": [],
        "ratings": ratings,
        "raters": [{"rater": worker, **ratings}] if worker else [],
        "batch": record.get("batch"),
        "split": record.get("split"),
    }


def _post(record: Record) -> Row:
    info = part(record, "info", dict, "an object that describes the post")
    source = info.get("post") or info.get("article")
    if not isinstance(source, str):
        raise BadRecord("'info' has neither 'post' nor 'article'", "the text that was summarised")
    about = info.get("subreddit") or info.get("site") or "all"
    return {"task_id": text(info, "id"), "group": str(about), "source": source, "title": info.get("title")}


SUMMARIZE_FEEDBACK = PublicDataset(
    name="summarize_from_feedback",
    title="Learning to summarize from human feedback",
    contains="summaries of Reddit posts and news by policies and people: choices of pairs, and marks from 1 to 7",
    domain="summaries",
    licence="modified MIT",
    size="about 64,000 comparisons",
    where="the cloud storage that github.com/openai/summarize-from-feedback names: comparisons/ and axis_evals/",
    cite="Stiennon et al. (2020)",
    groups="own",
    group_rule="the subreddit or news site",
    shapes=(
        Shape(
            looks="JSON lines with info, two summaries, choice (0 or 1) and worker (comparisons/batch*.json)",
            keys=frozenset({"info", "summaries", "choice"}),
            convert=each(_choice),
            kind="comparisons",
            files=("comparisons/*.json", "batch*.json"),
        ),
        Shape(
            looks="JSON lines with info, summary (text, policy, axes) and worker (axis_evals/*.json)",
            keys=frozenset({"info", "summary"}),
            convert=each(_marks),
            files=("axis_evals/*.json",),
        ),
    ),
)
