"""Counts of syntactic structures in a dependency parse.

X. Lu, "Automatic analysis of syntactic complexity in second language writing", IJCL 15(4), 2010, defines nine
counts over constituents. The rules here find the same structures in a dependency parse with spaCy's English labels:

- A *predicate* is a verb that is no auxiliary and no mere modifier ('broken window'). A verb that shares the subject
  of the verb it is joined to ('sat and ate') belongs to that one's phrase: one verb phrase, one clause.
- A *clause* has a finite predicate, or is an order ('Sit down'). A sentence without one is a fragment and counts as
  one clause, as one T-unit too.
- A *T-unit* is a main clause with all that depends on it: the root, verbs joined to it that have subjects of their
  own, and what a semicolon parts from it.
- A *dependent clause* is any other clause. A T-unit with one is complex.
- A *coordinate phrase* joins nouns, adjectives, adverbs or verbs by a conjunction, however many.
- A *complex nominal* is a noun with an adjective, possessor, preposition, clause, participle or apposition; or a
  clause that stands for a noun; or a gerund or infinitive as subject.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["RATIOS", "STRUCTURES", "Structures", "count_structures"]

FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
VERBS = frozenset({"VERB", "AUX"})
AUXILIARIES = frozenset({"aux", "auxpass"})
MODIFIERS_ONLY = frozenset(
    {"amod", "compound", "prep", "mark", "cc", "case", "det", "punct", "npadvmod", "advmod"}
)
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
CLAUSAL_SUBJECTS = frozenset({"csubj", "csubjpass"})
NOMINAL_CLAUSES = frozenset({"ccomp", "csubj", "csubjpass", "pcomp"})
NOUNS = frozenset({"NOUN", "PROPN"})
NOUN_MODIFIERS = frozenset({"amod", "poss", "prep", "relcl", "acl", "appos"})
INSIDE_NOUNS = frozenset({"poss", "appos", "conj", "compound"})  # their phrase is part of another noun's
JOINED = frozenset({"NOUN", "PROPN", "PRON", "NUM", "ADJ", "ADV", "VERB", "AUX"})

STRUCTURES = (
    "words",
    "sentences",
    "verb_phrases",
    "clauses",
    "t_units",
    "dependent_clauses",
    "complex_t_units",
    "coordinate_phrases",
    "complex_nominals",
)
# Lu's fourteen ratios: what is divided by what.
RATIOS: Mapping[str, tuple[str, str]] = {
    "MLS": ("words", "sentences"),
    "MLT": ("words", "t_units"),
    "MLC": ("words", "clauses"),
    "C/S": ("clauses", "sentences"),
    "VP/T": ("verb_phrases", "t_units"),
    "C/T": ("clauses", "t_units"),
    "DC/C": ("dependent_clauses", "clauses"),
    "DC/T": ("dependent_clauses", "t_units"),
    "T/S": ("t_units", "sentences"),
    "CT/T": ("complex_t_units", "t_units"),
    "CP/T": ("coordinate_phrases", "t_units"),
    "CP/C": ("coordinate_phrases", "clauses"),
    "CN/T": ("complex_nominals", "t_units"),
    "CN/C": ("complex_nominals", "clauses"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Structures:
    """The nine counts of one text."""

    words: int
    sentences: int
    verb_phrases: int
    clauses: int
    t_units: int
    dependent_clauses: int
    complex_t_units: int
    coordinate_phrases: int
    complex_nominals: int

    @property
    def nbytes(self) -> int:
        """Return the memory of the counts, roughly."""
        return 400


# Any, below: the tokens of a spaCy document, an optional package.


def count_structures(doc: Any) -> Structures:
    """Count the structures of a parsed document; sentences without a word are not counted."""
    found = [_count_sentence(sentence) for sentence in doc.sents if any(map(_is_word, sentence))]
    return Structures(**{name: sum(counts[name] for counts in found) for name in STRUCTURES})


def _count_sentence(sentence: Any) -> dict[str, int]:
    predicates = [token for token in sentence if _is_predicate(token)]
    clauses = [token for token in predicates if _is_finite(token) or _is_order(token)]
    mains = {token.i for token in clauses if _is_main(token)}
    dependents = [token for token in clauses if token.i not in mains]
    is_complex = {_main_above(token, mains, sentence.root.i) for token in dependents}
    return {
        "words": sum(map(_is_word, sentence)),
        "sentences": 1,
        "verb_phrases": len(predicates),
        "clauses": len(dependents) + max(len(mains), 1),
        "t_units": max(len(mains), 1),
        "dependent_clauses": len(dependents),
        "complex_t_units": len(is_complex),
        "coordinate_phrases": len(set(_coordinations(sentence))),
        "complex_nominals": sum(map(_is_complex_nominal, sentence)),
    }


def _is_word(token: Any) -> bool:
    """Say whether a token is a word; endings that the parser splits off ('s, n't) belong to the word before."""
    is_ending = token.i and ("'" in token.text or "\u2019" in token.text)
    return any(map(str.isalnum, token.text)) and not (is_ending and not token.doc[token.i - 1].whitespace_)


def _is_predicate(token: Any) -> bool:
    """Say whether a token heads a verb phrase of its own."""
    if token.pos_ not in VERBS or token.dep_ in AUXILIARIES or token.dep_ in MODIFIERS_ONLY:
        return False
    return token.dep_ != "conj" or _begins_clause(token) or not _is_verb(token.head)


def _begins_clause(token: Any) -> bool:
    """Say whether a verb that is joined to another has a subject of its own."""
    return any(child.dep_ in SUBJECTS for child in token.children)


def _is_verb(token: Any) -> bool:
    return token.pos_ in VERBS


def _is_finite(token: Any) -> bool:
    return token.tag_ in FINITE or any(
        child.dep_ in AUXILIARIES and child.tag_ in FINITE for child in token.children
    )


def _is_order(token: Any) -> bool:
    """Say whether a verb in its base form is an order: nothing is before it that makes it an infinitive."""
    is_bare = token.tag_ == "VB" and not any(child.tag_ == "TO" for child in token.children)
    return is_bare and token.dep_ == "ROOT"


def _is_main(token: Any) -> bool:
    if token.dep_ == "ROOT":
        return True
    if token.dep_ == "conj":
        return _is_main(token.head)
    return token.dep_ in {"ccomp", "parataxis"} and _is_main(token.head) and _is_parted(token)


def _is_parted(token: Any) -> bool:
    """Say whether a semicolon stands between a clause and the one it hangs on."""
    first, last = sorted((token.i, token.head.i))
    return any(between.text == ";" for between in token.doc[first:last])


def _main_above(token: Any, mains: set[int], root: int) -> int:
    """Return the T-unit that a dependent clause belongs to."""
    for ancestor in token.ancestors:
        if ancestor.i in mains:
            return int(ancestor.i)
    return root


def _coordinations(sentence: Any) -> Iterator[int]:
    """Yield the first member of each coordination of phrases, once for each conjunction in it."""
    for token in sentence:
        joins = any(child.dep_ == "cc" for child in token.children)
        members = [child for child in token.children if child.dep_ == "conj"]
        if joins and token.pos_ in JOINED and any(not _begins_clause(member) for member in members):
            yield _first_member(token)


def _first_member(token: Any) -> int:
    while token.dep_ == "conj":
        token = token.head
    return int(token.i)


def _is_complex_nominal(token: Any) -> bool:
    if token.pos_ in NOUNS:
        return token.dep_ not in INSIDE_NOUNS and _is_modified(token)
    if not _is_verb(token) or token.dep_ in AUXILIARIES:
        return False
    if token.dep_ in NOMINAL_CLAUSES and _is_finite(token):
        return not (_is_main(token) or token.dep_ == "ROOT")
    return token.dep_ in CLAUSAL_SUBJECTS or (token.dep_ == "nsubj" and token.tag_ == "VBG")


def _is_modified(token: Any) -> bool:
    """Say whether a noun, or one that is joined to it, has a modifier."""
    for child in token.children:
        if child.dep_ in NOUN_MODIFIERS and child.tag_ != "PRP$":  # 'my house' is no complex one
            return True
        if child.dep_ == "conj" and child.pos_ in NOUNS and _is_modified(child):
            return True
    return False
