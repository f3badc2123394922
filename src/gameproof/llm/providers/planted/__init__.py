"""Language models for the planted world: everything can be tried with them, offline and for nothing."""

from gameproof.llm.providers.planted.judge import PlantedJudge, Tastes
from gameproof.llm.providers.planted.oracle import Errors, PlantedOracle
from gameproof.llm.providers.planted.rewriter import PlantedRewriter
from gameproof.llm.providers.planted.spec import PLANTED, open_planted

__all__ = [
    "PLANTED",
    "Errors",
    "PlantedJudge",
    "PlantedOracle",
    "PlantedRewriter",
    "Tastes",
    "open_planted",
]
