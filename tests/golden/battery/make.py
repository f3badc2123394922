"""Make the golden files of the battery: values that other programs give the texts of `tests.support.golden`.

``python -m tests.golden.battery.make surface --python /folder/of/another/environment/bin/python``

The script ``by_<name>.py`` beside this file runs with that Python: it reads the pairs as JSON on standard
input (words with a space between) and writes ``{"made_by": ..., "values": {name: [...]}}``.
"""

import argparse
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.golden import FOLDER, planted_pairs, summeval_pairs, tokens

from gameproof.files.digest import digest_items
from gameproof.records import Item

SHARED = Path(__file__).resolve().parents[4] / "shared"
RAW = {"bertscore"}  # their programs have tokenisers of their own


def rows(items: Sequence[Item], name: str) -> list[dict[str, object]]:
    def shown(text: str) -> str:
        return text if name in RAW else tokens(text)

    return [
        {
            "task": item.task_id,
            "system": item.system,
            "candidate": shown(item.candidate),
            "references": [shown(reference) for reference in item.references],
            "source": shown(item.source or ""),
        }
        for item in items
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--python", required=True)
    parser.add_argument("arguments", nargs="*", help="for the other script")
    given = parser.parse_intermixed_args()
    texts: dict[str, object] = {}
    made_by = ""
    for label, items in (("planted", planted_pairs()), ("summeval", summeval_pairs(SHARED))):
        done = subprocess.run(
            [given.python, str(FOLDER / f"by_{given.name}.py"), *given.arguments],
            input=json.dumps(rows(items, given.name)),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stderr)
        answer = json.loads(done.stdout)
        made_by = answer["made_by"]
        texts[label] = {"digest": digest_items(items), "values": answer["values"]}
    lines = [
        f' "made_by": {json.dumps(made_by)},',
        f' "command": "python -m tests.golden.battery.make {given.name}",',
        ' "texts": {',
    ]
    for place, (label, found) in enumerate(texts.items()):
        lines += [f'  "{label}": {{', f'   "digest": {json.dumps(found["digest"])},', '   "values": {']
        values = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in found["values"].items()]
        lines += [",\n".join(values), "   }", "  }" + ("," if place + 1 < len(texts) else "")]
    text = "\n".join(["{", *lines, " }", "}"])
    (FOLDER / f"{given.name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
