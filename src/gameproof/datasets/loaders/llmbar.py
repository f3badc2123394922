"""LLMBar: two answers to an instruction, one of which follows it."""

from collections.abc import Iterator, Mapping

from gameproof.datasets.loaders.base import (
    BadRecord,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    at_commit,
    each,
    part,
    text,
)

__all__ = ["LLMBAR"]

CHOICES: Mapping[int, str] = {1: "a", 2: "b"}
PARTS = ("Natural", "Neighbor", "GPTInst", "GPTOut", "Manual")


def _pair(record: Record, count: int, place: Place) -> Iterator[Row]:
    folder = place.path.parent.name
    group = folder if folder in PARTS else "LLMBar"
    choice = CHOICES.get(part(record, "label", int, "1 or 2"))
    if choice is None:
        raise BadRecord(f"'label' is {record['label']!r}", "1 or 2")
    yield {
        "task_id": f"llmbar-{group.lower()}-{count:03d}",
        "group": group,
        "question": text(record, "input"),
        "source": None,
        "candidate_a": text(record, "output_1"),
        "candidate_b": text(record, "output_2"),
        "references": [],
        "preference": choice,
        "annotator": "gold",
    }


LLMBAR = PublicDataset(
    name="llmbar",
    title="LLMBar",
    contains="419 pairs of answers to instructions, one label each; in four of five parts the worse one looks better",
    domain="answers",
    licence="MIT",
    size="419 pairs, about 1 MB",
    where="github.com/princeton-nlp/LLMBar, Dataset/LLMBar/",
    cite="Zeng et al. (2024)",
    groups="own",
    group_rule="the part: Natural, Neighbor, GPTInst, GPTOut, Manual",
    downloads=at_commit(
        "princeton-nlp/LLMBar",
        "900616bff90b6c6c8e1681f7d079250637c55992",
        "Dataset/LLMBar/Natural/dataset.json -> Natural/dataset.json",
        *(
            f"Dataset/LLMBar/Adversarial/{name}/dataset.json -> Adversarial/{name}/dataset.json"
            for name in PARTS[1:]
        ),
    ),
    shapes=(
        Shape(
            looks="a JSON list with input, output_1, output_2 and label (1 or 2), in the folder of its part",
            keys=frozenset({"input", "output_1", "output_2", "label"}),
            convert=each(_pair),
            kind="comparisons",
            files=(
                "Dataset/LLMBar/Natural/dataset.json | Dataset/LLMBar/Adversarial/*/dataset.json",
                "Natural/dataset.json | Adversarial/*/dataset.json",
            ),
        ),
    ),
)
