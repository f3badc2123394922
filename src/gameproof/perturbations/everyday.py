"""Sentences about everyday matters, which belong to no text that is likely to be audited."""

__all__ = ["everyday_sentences"]


def everyday_sentences() -> tuple[str, ...]:
    """Return the sentences; each stands by itself and names nothing that exists."""
    return _SENTENCES


_SENTENCES = (
    "The soup needs another ten minutes on a low flame before the herbs go in.",
    "Two of the garden chairs have to be painted again before the summer.",
    "Our neighbour keeps the spare key of the shed in an old teapot.",
    "The last bus up the hill leaves the square at a quarter past eleven.",
    "She folded the blue tablecloth and put it back on the upper shelf.",
    "A little lemon juice keeps cut apples from turning brown.",
    "The dog refuses to walk past the bakery without a long stop.",
    "They moved the piano to the other wall to make room for the children.",
    "The tap in the kitchen has been dripping since the end of the holidays.",
    "He found his umbrella on the back seat of the wrong car.",
    "The tomatoes on the balcony ripened two weeks later than last year.",
    "On Sundays the barber opens only for people who have called before.",
    "The bread was still warm when we cut the first slice.",
    "Someone left a single red glove on the fence by the playground.",
    "The choir meets in the school hall now that the church is too cold.",
    "My aunt writes all her shopping lists on the backs of envelopes.",
    "The cat sleeps on the washing machine whenever it is running.",
    "We had to carry the sofa up four flights of narrow stairs.",
    "The swimming pool closes for three weeks while the tiles are replaced.",
    "Rosemary does well in a dry corner that gets sun in the afternoon.",
    "The postman rings twice when a parcel does not fit through the slot.",
    "Nobody could remember who had lent us the long ladder.",
    "The café at the corner sells its cakes for half the price after six.",
    "A button came off the coat on the very first day of wearing it.",
    "The children built a raft of bottles, and it floated for an hour.",
    "The fireplace smokes when the wind comes from the east.",
    "He polishes his shoes every Friday evening while listening to the radio.",
    "The library sells books that nobody has borrowed for ten years.",
    "Her bicycle has a basket large enough for a week of groceries.",
    "The curtains turned out a hand too short for the tall window.",
    "We picked plums until both buckets were full and the wasps came.",
    "The clock in the hall has been five minutes fast for as long as I can remember.",
    "A pot of coffee and a plate of biscuits waited on the table by the door.",
    "The wedding photographs were hung along the staircase in order of age.",
    "The picnic was moved indoors when the first drops fell.",
    "He whistles the same tune every time he waters the plants.",
    "The carpenter measured the doorway twice and shook his head both times.",
    "The market moves to the car park when the fair is in town.",
    "A narrow path leads from the mill to the orchard behind the houses.",
    "The lamp on the desk flickers unless the plug is pushed in firmly.",
)
