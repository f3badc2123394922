"""English word stems by Porter's algorithm, in the form that ROUGE tools use.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the author's later corrections
and the irregular forms and short-word rules that NLTK adds by default.
"""

from functools import lru_cache

__all__ = ["stem"]

# Longer "words" are not kept: a memo of 65,536 of them could fill the memory.
MAX_MEMO_LENGTH = 40

# Words that the rules would conflate wrongly, with their stems.
IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

Rules = tuple[tuple[str, str], ...]  # (suffix, replacement), tried in this order; the first suffix decides

STEP_2: Rules = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
)
STEP_3: Rules = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
# The suffixes that go when what is left has a measure above 1; "ion" only after s or t.
STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
    *("ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of other scripts come back unchanged.

    Example:
        >>> stem("relational"), stem("hopping"), stem("flies")
        ('relat', 'hop', 'fli')
    """
    return _memoised_stem(word) if len(word) <= MAX_MEMO_LENGTH else _stem(word)


def _stem(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _strip_plural(word)
    word = _strip_past_and_gerund(word)
    word = _y_to_i(word)
    word = _shorten_double_suffix(word)
    word = _replace_suffix(word, STEP_3)
    word = _strip_last_suffix(word)
    return _tidy_ending(word)


_memoised_stem = lru_cache(maxsize=2**16)(_stem)


def _shape(word: str) -> str:
    """Spell a word as c and v: y is a vowel after a consonant and a consonant elsewhere."""
    shape: list[str] = []
    previous = "v"
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and previous == "c")
        previous = "v" if is_vowel else "c"
        shape.append(previous)
    return "".join(shape)


def _measure(word: str) -> int:
    """Count the vowel runs that a consonant run follows: the paper's m."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Say whether a word ends consonant-vowel-consonant, the last not w, x or y: the paper's *o."""
    shape = _shape(word)
    if shape == "vc":
        return True  # an extension: "us(ed)" gets its e back
    return shape.endswith("cvc") and word[-1] not in "wxy"


def _ends_double_consonant(word: str) -> bool:
    return len(word) >= 2 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _replace_suffix(word: str, rules: Rules) -> str:
    """Apply the first rule whose suffix the word has, if the measure of the rest is above 0."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            return rest + replacement if _measure(rest) > 0 else word
    return word


def _strip_plural(word: str) -> str:
    """Apply step 1a: caresses, ponies, cats."""
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]  # "dies" keeps its e
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _strip_past_and_gerund(word: str) -> str:
    """Apply step 1b: agreed, plastered, motoring."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]  # "died" keeps its e
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest != word and "v" in _shape(rest):
            return _restore_ending(rest)
    return word


def _restore_ending(rest: str) -> str:
    """Give back an e that -ed or -ing had swallowed, or take away a doubled consonant."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _ends_double_consonant(rest):
        return rest if rest[-1] in "lsz" else rest[:-1]
    if _measure(rest) == 1 and _ends_short(rest):
        return rest + "e"
    return rest


def _y_to_i(word: str) -> str:
    """Apply step 1c in its extended form: after a consonant that is not the first letter."""
    if len(word) > 2 and word.endswith("y") and _shape(word[:-1])[-1] == "c":
        return word[:-1] + "i"
    return word


def _shorten_double_suffix(word: str) -> str:
    """Apply step 2; "-alli" goes first because what it leaves may have another suffix of this step."""
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _shorten_double_suffix(word[:-2])
    if word.endswith("logi"):
        # The l belongs to the rest, so that short stems like "geo" count.
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace_suffix(word, STEP_2)


def _strip_last_suffix(word: str) -> str:
    """Apply step 4: revival, adoption, effective."""
    for suffix in STEP_4:
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            if _measure(rest) > 1 and (suffix != "ion" or rest[-1] in "st"):
                return rest
            return word
    return word


def _tidy_ending(word: str) -> str:
    """Apply step 5: probate, cease, controll."""
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        return word[:-1]
    return word
