"""Put a plan into words."""

from collections.abc import Sequence

from gameproof.datasets.planted.banks import Template
from gameproof.datasets.planted.plan import Polarity, Sentence, TaskContext

__all__ = ["count_words", "render", "render_sentence", "subjects"]


def render(plan: Sequence[Sentence], context: TaskContext) -> list[str]:
    """Return the sentences of a plan; a text is these, joined by spaces."""
    names = subjects(context)
    return [render_sentence(sentence, context, names) for sentence in plan]


def count_words(plan: Sequence[Sentence], context: TaskContext) -> int:
    """Count the words of the text that a plan becomes."""
    return sum(text.count(" ") + 1 for text in render(plan, context))


def subjects(context: TaskContext) -> tuple[str, str, str]:
    """Return the names of a task's subject, in the order of `Subject`."""
    table = context.table
    return (f"the {table.name} {table.kind}", f"the {table.kind}", "it")


def render_sentence(sentence: Sentence, context: TaskContext, names: tuple[str, str, str]) -> str:
    """Put one sentence into words."""
    clause = _clause(sentence, context, names)
    if sentence.opener:
        clause = f"{sentence.opener} {clause}"
    if sentence.closer:
        clause = f"{clause}, {sentence.closer}"
    return f"{clause[0].upper()}{clause[1:]}."


def _clause(sentence: Sentence, context: TaskContext, names: tuple[str, str, str]) -> str:
    group = context.group
    if sentence.role == "filler":
        return context.wording.fillers[group.domain][sentence.index]
    if sentence.role == "intro":
        return group.intros[sentence.index].format(full=names[0])
    if sentence.role == "reference_intro":
        return group.reference_intro.format(full=names[0])
    if sentence.role == "generic":
        generic = group.generics[sentence.index]
        text = generic.reference if sentence.bank == "reference" else generic.paraphrase
        return text.format(subj=names[sentence.subject])
    fact = context.table.facts[sentence.index]
    template = group.fact_type(fact.kind).wording[sentence.bank][sentence.template]
    in_reference_words = sentence.bank == "reference"
    value, second = sentence.value, sentence.second
    assert value is not None  # noqa: S101 - a fact the type checker cannot see
    return _form(template, sentence.polarity).format(
        value=value.text if in_reference_words else value.paraphrase,
        second=second.text if second is not None else "",
        subj=names[sentence.subject],
    )


def _form(template: Template, polarity: Polarity) -> str:
    if polarity == Polarity.STATED:
        return template.stated
    return template.denied if polarity == Polarity.DENIED else template.hedged
