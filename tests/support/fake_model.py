"""A language model of ten lines: answers by a function of the request and counts its calls."""

import json
import re
from collections.abc import Callable

from gameproof.llm.client import Reply, Request
from gameproof.prompts.fences import find_fences


class FakeModel:
    """Answers every request with what a function says: a text or a whole reply."""

    name = "fake"

    def __init__(self, answer: Callable[[Request], str | Reply]) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        answer = self.answer(request)
        return answer if isinstance(answer, Reply) else Reply(text=answer, model=self.name)

    async def close(self) -> None:
        pass


def fences(request: Request) -> dict[str, str]:
    """Return the foreign texts of a request by their labels."""
    return {found.label: found.text for found in find_fences(request.messages[-1].content)}


def words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.casefold()))


def honest(request: Request) -> str:
    """Decompose by sentence, support what shares most of its long words, grade by words shared."""
    texts = fences(request)
    if request.purpose == "decompose":
        found = [part.strip() for part in re.findall(r"[^.]+\.", texts["reference"])]
        return json.dumps({"statements": found})
    if request.purpose.startswith("elicitation"):
        return json.dumps(elicited(texts))
    if request.purpose == "requirements":
        needed = re.findall(r"[^.]+\.", texts["source"])
        return json.dumps({"requirements": [{"text": each.strip(), "importance": 2} for each in needed]})
    known = words(texts.get("candidate") or texts.get("found") or texts["reader"])
    if request.purpose == "judge":
        wanted = words(texts.get("references", "It rained at dawn."))
        steps = max(request.schema["properties"]["score"]["enum"]) - 1
        share = len(known & wanted) / max(len(wanted), 1)
        return json.dumps({"reason": "", "score": 1 + round(steps * share)})
    if "reference" in texts:
        return json.dumps({"verdict": "yes" if len(known & words(texts["reference"])) > 1 else "no"})
    lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
    is_bins = "whole number" in request.messages[-1].content
    verdicts = []
    for name, statement in lines.items():
        is_supported = len(known & words(statement)) * 2 > len(words(statement))
        verdict = (3 if is_supported else -1) if is_bins else ("yes" if is_supported else "no")
        verdicts.append({"id": name, "verdict": verdict})
    return json.dumps({"verdicts": verdicts})


def elicited(texts: dict[str, str]) -> dict[str, list[dict[str, str]]]:
    """Take sentences for points, all of them for a rubric; agree where half of the long words are shared."""
    if "ground_truth" in texts:
        found = [part.strip() for part in re.findall(r"[^.]+\.", texts["ground_truth"])]
        return {"points": [{"positive": each, "negative": f"It is not so: {each}"} for each in found]}
    lines = dict(line.split(": ", 1) for line in texts["points"].splitlines())
    points = {name: line.split(" [opposite: ")[0] for name, line in lines.items()}
    if "text" not in texts:
        return {
            "points": [{"positive": each, "negative": f"It is not so: {each}"} for each in points.values()]
        }
    shares = {
        name: len(words(texts["text"]) & words(each)) / max(len(words(each)), 1)
        for name, each in points.items()
    }
    return {
        "verdicts": [
            {"id": name, "verdict": "agree" if share > 0.5 else "disagree" if share > 0.2 else "na"}
            for name, share in shares.items()
        ]
    }
