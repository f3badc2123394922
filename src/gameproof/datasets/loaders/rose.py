"""RoSE: CNN/DailyMail summaries rated under four protocols."""

from collections.abc import Iterator

from gameproof.datasets.loaders.base import (
    LeftOut,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    at_commit,
    each,
    number,
    part,
    text,
)

__all__ = ["ROSE"]

PROTOCOLS = ("prior", "ref_based", "ref_free", "acu", "normalized_acu")
NO_SYSTEM = "reference"  # its marks are empty lists


def _article(record: Record, _count: int, _place: Place) -> Iterator[Row | LeftOut]:
    outputs = part(record, "system_outputs", dict, "an object of summaries")
    marks = part(record, "annotations", dict, "an object of marks")
    name = text(record, "example_id")
    more = {"reference_acus": record["reference_acus"]} if "reference_acus" in record else {}
    for system in marks:
        if system == NO_SYSTEM:
            yield LeftOut("entries of the reference, which nobody marked")
            continue
        given = part(marks, system, dict, "an object of marks")
        yield {
            "task_id": name,
            "group": name,
            "source": text(record, "source"),
            "candidate": text(outputs, system),
            "candidate_id": system,
            "references": [text(record, "reference")],
            "ratings": {key: number(given, key) for key in PROTOCOLS if key in given},
            **more,
        }


ROSE = PublicDataset(
    name="rose",
    title="RoSE, the comparison of protocols",
    contains="100 news articles, 12 fine-tuned systems and 4 larger models; 4 protocols and atomic content units",
    domain="summaries",
    licence="none stated in the repository; see the release Salesforce/rose",
    size="1,200 and 400 summaries, about 8 MB",
    where="github.com/Yale-LILY/ROSE, branch page, docs/_data/protocol-comparison.json and protocol-comparison-llm.json",
    cite="Liu et al. (2023)",
    downloads=at_commit(
        "Yale-LILY/ROSE",
        "90d70985a1e8ae45c000ce030525fc5abf990d89",
        "docs/_data/protocol-comparison.json",
        "docs/_data/protocol-comparison-llm.json",
    ),
    shapes=(
        Shape(
            looks="a JSON list with example_id, source, reference, and system_outputs and annotations by system",
            keys=frozenset({"example_id", "system_outputs", "annotations", "reference"}),
            convert=each(_article),
            files=("docs/_data/protocol-comparison*.json", "protocol-comparison*.json"),
        ),
    ),
)
