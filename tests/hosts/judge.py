"""A stub model over HTTP that grades by shared words: it finds the two texts in the prompts of each host."""

import json
import re

from tests.support.stub_server import Answer, Call

# Host -> where candidate and reference stand in its prompt.
PROMPTS = (
    ("deepeval", r"Actual Output:\n(?P<candidate>.*?) ?\n\nExpected Output:\n(?P<reference>.*?) ?\n\n"),
    ("graded", r"\[Expert\]: (?P<reference>.*?)\n\*+\n\[Submission\]: (?P<candidate>.*?)\n\*+"),
    ("criteria", r'"response": "(?P<candidate>.*?)",\n.*"reference": "(?P<reference>.*?)"\n'),
    ("accuracy", r'.*"user_answer": "(?P<candidate>.*?)",\n +"reference_answer": "(?P<reference>.*?)"\n'),
)


def grade(call: Call) -> Answer:
    """Answer a prompt of any of the hosts in the form that it asks for."""
    prompt = call.body["messages"][-1]["content"]
    if isinstance(prompt, list):
        prompt = "".join(part["text"] for part in prompt)
    for host, pattern in PROMPTS:
        found = re.search(pattern, prompt, re.DOTALL)
        if found:
            return _reply(_say(host, call.body, _shared(found["candidate"], found["reference"])))
    return Answer(status=400, body={"error": {"message": f"no texts in the prompt: {prompt[:2000]}"}})


def _shared(candidate: str, reference: str) -> float:
    """Return the share of the reference's words that the candidate has."""
    wanted = set(re.findall(r"\w+", reference.lower()))
    return len(wanted & set(re.findall(r"\w+", candidate.lower()))) / max(len(wanted), 1)


def _say(host: str, body: dict, share: float) -> dict:
    if host == "graded" and body.get("tools"):  # autoevals takes the letter as an argument of a function
        tool = body["tools"][0]["function"]["name"]
        choice = {"choice": "C" if share > 0.6 else "A" if share > 0.3 else "D", "reasons": "by shared words"}
        call = {"id": "1", "type": "function", "function": {"name": tool, "arguments": json.dumps(choice)}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    letter = "C" if share > 0.6 else "P" if share > 0.3 else "I"
    text = {
        "deepeval": json.dumps({"score": round(10 * share), "reason": "by shared words"}),
        "criteria": json.dumps({"score": round(10 * share), "reason": "by shared words"}),
        "accuracy": json.dumps({"rating": 2 * round(2 * share)}),
        "graded": f"By shared words. GRADE: {letter}",
    }[host]
    return {"role": "assistant", "content": text}


def _reply(message: dict) -> Answer:
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return Answer(
        body={
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "stub",
            "choices": [choice],
            "usage": usage,
        }
    )
