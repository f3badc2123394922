"""Who a text is for, as language models are told."""

from gameproof.records import Persona

__all__ = ["describe_persona"]


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
