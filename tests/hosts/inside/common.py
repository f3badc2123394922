"""What every host is given: planted texts, a stub model over HTTP, and the scores that must come out."""

import os
from contextlib import contextmanager
from dataclasses import dataclass

from tests.support.stub_server import StubServer, serve_model

import gameproof
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.llm.providers.planted import PlantedJudge, PlantedOracle

POOL = "planted,tasks=2"
STATEMENTS = (
    "TV+fvar+statement+oracle,neg=2"  # decomposes references and asks about statements: needs the pool
)
JUDGE = "judge"
LEXICAL = "rougeL"


class Everything:
    """Judge and oracle behind one name."""

    name = "stub"

    async def complete(self, request):
        model = PlantedJudge() if "score" in str(request.schema) else PlantedOracle()
        return await model.complete(request)

    async def close(self):
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The texts, the address of the stub, and what `gameproof.score` says of them."""

    items: list
    llm: str
    expected: dict
    stub: StubServer

    def check(self, name, found):
        """Print scores beside those of `gameproof.score`; stop where they differ."""
        wanted = self.expected[name]
        same = found == wanted
        print(f"{name}: {len(found)} scores, first {found[:3]}: {'equal' if same else f'NOT {wanted[:3]}'}")
        if not same:
            raise SystemExit(1)


@contextmanager
def given(n=12):
    """Serve the stub; score the first texts with the verb, without a store, before the host does."""
    os.environ["GAMEPROOF_CACHE"] = "off"
    with StubServer(serve_model(Everything())) as stub:
        llm = f"stub@{stub.url}"
        dataset = open_dataset(POOL, DataOptions())
        every_other = [item for row, item in enumerate(dataset.items) if row % 6 == 0][:n]
        places = [dataset.items.index(item) for item in every_other]
        table = gameproof.score(POOL, [STATEMENTS, JUDGE, LEXICAL], llm=llm, cache="off", spot_checks="none")
        expected = {
            name: [scores.values.tolist()[place] for place in places]
            for name, scores in zip((STATEMENTS, JUDGE, LEXICAL), table.scores, strict=True)
        }
        n_calls = len(stub.calls)
        yield Given(items=every_other, llm=llm, expected=expected, stub=stub)
        print(
            f"{n_calls} requests to the stub by gameproof.score, {len(stub.calls) - n_calls} by the host's run"
        )
