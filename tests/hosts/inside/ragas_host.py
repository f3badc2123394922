"""Our metrics in Ragas: of the collections one by one and together, and in `ragas.evaluate`."""

import asyncio
import math

from tests.hosts.inside.common import JUDGE, LEXICAL, POOL, STATEMENTS, given

from gameproof.integrations.ragas_metric import ragas_metric, ragas_metric_for_evaluate


def main():
    """Score by every door; each score must be that of the verb."""
    from ragas import EvaluationDataset, evaluate  # noqa: PLC0415 - not in the environment of the tests
    from ragas.run_config import RunConfig  # noqa: PLC0415

    with given() as data:
        rows = [
            {"user_input": "Describe it.", "response": item.candidate, "reference": item.references[0]}
            for item in data.items
        ]
        terms = {"pool": POOL, "llm": data.llm, "cache": "off"}
        for name in (STATEMENTS, JUDGE, LEXICAL):
            metric = ragas_metric(name, **terms)
            data.check(name, [metric.score(**row).value for row in rows])
            data.check(name, [result.value for result in metric.batch_score(rows)])
            data.check(name, [result.value for result in asyncio.run(metric.abatch_score(rows))])
        print(metric.score(**rows[0]))
        result = ragas_metric(STATEMENTS, **terms).score(response="A text.", reference="Of no task.")
        print(f"without a score: {result}")
        assert math.isnan(result.value)

        firsts = [ragas_metric_for_evaluate(name, **terms) for name in (STATEMENTS, LEXICAL)]
        strange = {"user_input": "x", "response": "A text.", "reference": "Of no task."}
        table = evaluate(
            EvaluationDataset.from_list([*rows, strange]),
            metrics=firsts,
            run_config=RunConfig(timeout=60),
            show_progress=False,
        )
        for first in firsts:
            found = [row[first.name] for row in table.scores]
            data.check(first.name, found[:-1])
        print(f"evaluate: {table}; without a score: {table.scores[-1]}")
        assert math.isnan(table.scores[-1][STATEMENTS])


if __name__ == "__main__":
    main()
