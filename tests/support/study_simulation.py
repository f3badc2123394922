"""A reader study whose answers are known: paper 2's effects planted in simulated readers.

Strengths (log odds, generic DeepSeek at 0) are those that table 4c of the paper implies: personalised against generic
DeepSeek .619; Llama on the personalised side .619 - .833 against generic DeepSeek; and generic Llama .523 below generic
DeepSeek. They are one Bradley-Terry model: -.214 - (-.523) is .309 = .619 - .833 + .523. The paper's effect of the round
(-.199, p .53) is planted as 0. Neither: 24 of 280 matches of the first round, none of 125 finals (methods 4.5).

A simulated reader knows a summary only by its text, as a real one does: each condition's stub writes texts that begin with
a word of its own. So the same readers work on events, on the web page's API and in a browser.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gameproof.llm.client import Request
from gameproof.llm.providers.fake import FakeModel
from gameproof.seeds import rng_for
from gameproof.study.conduct import Conductor
from gameproof.study.desk import Desk, open_desk
from gameproof.study.model import Study
from gameproof.study.store import Store
from gameproof.study.study_file import new_study_text, parse_study

DEEPSEEK, LLAMA = "deepseek-stub", "llama-stub"
STRENGTHS: Mapping[tuple[str, bool], float] = {
    (DEEPSEEK, True): 0.619,
    (DEEPSEEK, False): 0.0,
    (LLAMA, True): 0.619 - 0.833,
    (LLAMA, False): -0.523,
}
# What a text begins with: words that say nothing about models or readers.
WORDS: Mapping[tuple[str, bool], str] = {
    (DEEPSEEK, True): "Alder",
    (DEEPSEEK, False): "Birch",
    (LLAMA, True): "Cedar",
    (LLAMA, False): "Elm",
}
NEITHER_FIRST, NEITHER_FINAL = 24 / 280, 0.0
# 20 readers, 16 of them with all eight queries, 140 sessions (paper 2; methods 4.5).
SESSIONS = (8,) * 16 + (3,) * 4
QUERIES = (
    "How can cities keep cool in summer?",
    "Do sensors on rivers warn of floods in time?",
    "What helps patients sleep in hospital?",
    "Do phone rules change learning at school?",
    "How well do heat pumps work in old houses?",
    "What protects beaches from erosion?",
    "Which crops grow well together on sandy soil?",
    "How can old wind turbine blades be used again?",
)


def simulated_study(*, design: str = "tournament", seed: int = 7) -> Study:
    """Return a study of the paper's form: two models, with the profile or without, eight queries, embedded documents."""
    conditions = "\n".join(
        f'[[conditions]]\nid = "{model} {"personalised" if persona else "generic"}"\nmodel = "{model}"\n'
        f"persona = {str(persona).lower()}\n"
        for model, persona in STRENGTHS
    )
    head, rest = new_study_text().split("[[conditions]]", 1)
    tail = rest[rest.index("[retrieval]") :].replace('kind = "openalex"', 'kind = "local"')
    tail = tail.replace('kind = "tournament"', f'kind = "{design}"')
    return parse_study(head.replace("seed = 1 ", f"seed = {seed} ") + conditions + tail)


def stub_models(name: str | None) -> FakeModel:
    """Return the stub of a model: it sees from the prompt alone whether it was told about the reader."""
    model = str(name)

    def write(request: Request) -> str:
        told = "<<<reader " in request.messages[-1].content
        return f"{WORDS[model, told]} trees stand along the street [1]. They keep it cool [2, 3]."

    return FakeModel(write, name=model)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedReader:
    """Chooses by the planted strengths, with a taste of its own for being told about."""

    number: int
    seed: int = 0
    spread: float = 0.4  # sd of the readers' own taste, in log odds
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", rng_for(self.seed, "simulated reader", self.number))

    @property
    def taste(self) -> float:
        return self.spread * float(rng_for(self.seed, "taste", self.number).standard_normal())

    @property
    def profile(self) -> dict[str, str]:
        return {
            "role": f"planner {self.number}",
            "domain": "town planning",
            "needs": "numbers and what they cost",
            "use_case": "a report",
            "knows": "shade cools\ntrees need water",
        }

    def choose(self, left: str, right: str, *, is_final: bool) -> str:
        """Return left, right or neither for two texts."""
        if self.rng.random() < (NEITHER_FINAL if is_final else NEITHER_FIRST):
            return "neither"
        gain = self._worth(left) - self._worth(right)
        return "left" if self.rng.random() < 1 / (1 + math.exp(-gain)) else "right"

    def _worth(self, text: str) -> float:
        model, told = next(key for key, word in WORDS.items() if text.startswith(word))
        return STRENGTHS[model, told] + (self.taste if told else 0.0)


async def run_study(
    desk: Desk,
    *,
    seed: int = 0,
    sessions: Sequence[int] = SESSIONS,
    models: Callable[[str | None], FakeModel] = stub_models,
) -> None:
    """Let simulated readers go through a study by way of the core: events, conductor, store."""
    async with Conductor(desk.study, desk, models=models) as conductor:
        for number, n_sessions in enumerate(sessions):
            reader = SimulatedReader(number=number, seed=seed)
            participant = desk.store.enrol().id
            desk.answer(participant, "consent", {"agree": "yes"})
            desk.answer(participant, "profile", reader.profile)
            for place in range(n_sessions):
                page = desk.page(participant)
                desk.answer(participant, page.step, {"text": QUERIES[place % len(QUERIES)]})
                await conductor.prepare(participant)
                while (page := desk.page(participant)).kind == "compare":
                    assert page.comparison is not None
                    is_final = page.comparison.number == 3
                    choice = reader.choose(page.comparison.left, page.comparison.right, is_final=is_final)
                    desk.answer(participant, page.step, {"choice": choice})
            page = desk.page(participant)
            if page.kind == "query":
                desk.answer(participant, page.step, {"finish": "yes"})


def simulate(
    store: Store, *, seed: int = 0, sessions: Sequence[int] = SESSIONS, design: str = "tournament"
) -> Desk:
    """Open a desk over a store and run the whole study through it."""
    desk = open_desk(simulated_study(design=design), store)
    asyncio.run(run_study(desk, seed=seed, sessions=sessions))
    return desk
