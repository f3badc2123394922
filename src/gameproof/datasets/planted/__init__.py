"""The planted world: texts whose truth is known, made from small fact tables and a seed."""

from gameproof.datasets.planted.truth import FactState, Truth
from gameproof.datasets.planted.world import PlantedTask, PlantedWorld, WorldSpec, make_tasks, make_world

__all__ = ["FactState", "PlantedTask", "PlantedWorld", "Truth", "WorldSpec", "make_tasks", "make_world"]
