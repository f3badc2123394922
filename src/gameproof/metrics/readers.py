"""Who a text is for, as language models are told."""

from dataclasses import replace

from gameproof.records import Item, Persona

__all__ = ["describe_persona", "describe_reader"]


def describe_persona(persona: Persona) -> str:
    """Write a persona as lines of name and value."""
    fields = {
        "role": persona.role,
        "field": persona.domain,
        "needs": persona.needs,
        "wants the text for": persona.use_case,
        "asked": persona.query,
        "knows already": "; ".join(persona.knows),
    }
    return "\n".join(f"{name}: {value}" for name, value in fields.items() if value)


def describe_reader(item: Item, *, knows: bool = True) -> str:
    """Describe who an item is for; its own question comes last, unless the persona has one.

    Args:
        item: Whose reader; without a persona there is nothing to say.
        knows: Whether to say what the reader knows already.
    """
    if item.persona is None:
        return ""
    persona = item.persona if knows else replace(item.persona, knows=())
    described = describe_persona(persona)
    return described if persona.query or not item.query else f"{described}\nasked: {item.query}"
