"""What a page shows of an attack on a metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gameproof.attacks.result import AttackResult, Attacks, Example
from gameproof.reports.attack import (
    about,
    attack_notes,
    attack_tables,
    conclusion,
    counted,
    gap_words,
    one_line,
    universal_sentence,
)
from gameproof.reports.attack import goodhart_sentence as say_curve
from gameproof.reports.attack_words import ATTACK_VERDICTS
from gameproof.reports.html.differences import Excerpt, mark_differences
from gameproof.reports.html.environment import page_environment, policy_for, styles
from gameproof.reports.printable import printable
from gameproof.reports.svg.goodhart import Frame, draw_goodhart
from gameproof.reports.words import Word, format_number

__all__ = ["AttackView", "attack_views", "render_attack_page"]

MOST_USED = 3
FRAMES = (
    Frame(name="wide", width=620, height=300, right=96),
    Frame(name="narrow", width=330, height=280, right=84),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleView:
    """A text that was found, beside the one it was made of."""

    item: str
    moves: str
    metric: str
    quality: str
    texts: Sequence[Excerpt]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackView:
    """One attacked metric."""

    metric: str
    anchor: str
    word: Word
    gap: str  # at the largest budget, with its interval
    smallest: str  # budget at which gaming is shown
    most_used: str  # moves of the texts that won
    conclusion: str
    about: str
    tables: Sequence[tuple[str, Sequence[Mapping[str, str]]]]
    curves: Sequence[Markup]
    goodhart: str
    universal: str
    notes: Sequence[str]
    examples: Sequence[ExampleView]
    signature: str


def attack_views(found: Attacks, prefix: str) -> list[AttackView]:
    """Return what is shown of each attacked metric; ids begin with the prefix."""
    return [_view(result, f"{prefix}attack-{number}") for number, result in enumerate(found.results, start=1)]


def render_attack_page(found: Attacks) -> str:
    """Return all attacks of a run as one page that needs no network."""
    style = styles()
    views = attack_views(found, "")
    return (
        page_environment()
        .get_template("attack.html")
        .render(
            data=printable(found.data),
            seed=found.seed,
            notes=[printable(note) for note in found.notes],
            attacks=views,
            style=style,
            policy=policy_for(str(style)),
        )
    )


def _view(result: AttackResult, anchor: str) -> AttackView:
    curve = result.goodhart.curve
    return AttackView(
        metric=printable(result.metric),
        anchor=anchor,
        word=ATTACK_VERDICTS[result.verdict],
        gap=gap_words(result),
        smallest="" if result.smallest_gamed is None else f"{result.smallest_gamed:,}",
        most_used=", ".join(f"{use.move} {use.share:.0%}" for use in result.moves[:MOST_USED]),
        conclusion=printable(conclusion(result)),
        about=printable(about(result)),
        tables=[(title, rows) for title, rows in attack_tables(result).items() if rows],
        curves=[]
        if curve is None
        else [draw_goodhart(curve, frame, f"{anchor}-curve-{frame.name}") for frame in FRAMES],
        goodhart=printable(say_curve(result.goodhart)),
        universal=universal_sentence(result.universal),
        notes=[printable(note) for note in attack_notes(result)],
        examples=[_example(example) for example in result.examples],
        signature=printable(result.signature),
    )


def _example(example: Example) -> ExampleView:
    return ExampleView(
        item=printable(example.item),
        moves=counted(example.moves),
        metric=" → ".join(format_number(value) for value in example.metric),
        quality=" → ".join(format_number(value) for value in example.quality),
        texts=mark_differences(one_line(example.original), one_line(example.attacked)),
    )
