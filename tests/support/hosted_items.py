"""Texts that metrics of other libraries score."""

from tests.support.scoring import make_items

from gameproof.records import Item

__all__ = ["ASKED", "ITEMS", "LENGTHS"]

ITEMS = make_items([(f"{'word ' * n}end", [f"reference {n}", "another"]) for n in range(1, 13)])
LENGTHS = [float(len(item.candidate)) for item in ITEMS]
ASKED = Item(id="a", task_id="t", candidate="It rained.", references=("Rain.",), source="S", query="Q")
