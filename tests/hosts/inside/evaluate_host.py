"""Our metrics in Hugging Face evaluate: made in Python, and by `evaluate.load`."""

import evaluate
from tests.hosts.inside.common import JUDGE, LEXICAL, POOL, STATEMENTS, given

from gameproof.integrations.evaluate_module import SCRIPT, evaluate_module


def main():
    """Compute by every door; each score must be that of the verb."""
    with given() as data:
        texts = [item.candidate for item in data.items]
        references = [list(item.references) for item in data.items]
        terms = {"pool": POOL, "llm": data.llm, "cache": "off"}
        for name in (STATEMENTS, JUDGE, LEXICAL):
            module = evaluate_module(name, **terms)
            data.check(name, module.compute(predictions=texts, references=references)["scores"])
            for text, own in zip(texts, references, strict=True):
                module.add(prediction=text, reference=own[0])
            data.check(name, module.compute()["scores"])
            loaded = evaluate.load(SCRIPT, name, **terms)
            loaded.add_batch(predictions=texts, references=[own[0] for own in references])
            found = loaded.compute()
            data.check(name, found["scores"])
        print(found)
        foreign = evaluate_module(STATEMENTS, **terms).compute(
            predictions=["A text.", texts[0], ""],
            references=["Of no task.", references[0][0], references[0][0]],
        )
        print(f"two without a score: {foreign['score']}, {foreign['scores']}, {foreign['missing']}")
        assert foreign["score"] == data.expected[STATEMENTS][0]
        both = evaluate.combine([evaluate.load(SCRIPT, "rougeL"), evaluate.load(SCRIPT, "chrf")])
        print("combined:", both.compute(predictions=texts[:2], references=references[:2]))


if __name__ == "__main__":
    main()
