# ruff: noqa: SIM905 - a long list of words reads best as text
"""Words whose full stop may not end a sentence."""

__all__ = ["CONNECTING", "NUMBERED", "OFTEN_LAST", "SENTENCE_STARTERS", "SHORTENED", "TITLES"]

# A name follows: the full stop never ends a sentence.
TITLES = frozenset(
    """
    dr mr mrs ms mx prof messrs mme mlle hr fr rev revd hon pres gov sen rep gen col maj capt cmdr adm lt sgt
    cpl pvt supt insp det mt dra sra srta herr ing
    """.split()
)

# More of the same sentence follows, whatever its first letter.
CONNECTING = frozenset("e.g i.e eg ie cf viz vs v z.b d.h u.a p.ej resp".split())

# A number follows: "No. 5", "Fig. 2", "pp. 3-4", "Jan. 12". Before anything else they are ordinary words.
NUMBERED = frozenset(
    """
    no nos nr fig figs eq eqs eqn eqns sec secs sect ch chap chaps p pp vol vols tab tabs ref refs art para
    paras thm lem prop def alg app ex c ca approx circa jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()
)

# A name may go on ("Acme Inc. Chairman") or a sentence may end: the next word decides.
OFTEN_LAST = frozenset(
    "inc ltd corp ft co bros llc plc cie jr sr esq al est dept univ st ave blvd rd sq ph.d d.phil b.sc m.sc".split()
)

# Shortened words which a lower-case word may follow.
SHORTENED = frozenset(
    """
    etc min max avg std approx dept univ assn assoc govt misc orig temp mins secs incl excl resp equiv bibl
    trans cont spec tech prob hosp intl natl elec mech chem biol phys math info admin stat stats fig figs vols eqns chap messrs corp
    """.split()
)

# Words that begin very many sentences and rarely go on with a name.
SENTENCE_STARTERS = frozenset(
    """
    a after again all also although an and another any as at because before both but by during each even every
    finally first for from furthermore given hence her here his how however i if in instead is it its last later
    many meanwhile moreover most my neither next no none nor not now of on once one only or other our overall
    perhaps please second several she he since so some still such than thanks that the their them then there
    therefore these they third this those though thus to today two under unlike until we were what when where
    whether which while who why with without yes yet you your
    """.split()
)
