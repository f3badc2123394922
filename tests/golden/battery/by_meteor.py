"""METEOR by NLTK over the files of WordNet 3.0: give the folder that has them
(wordnet-base and wordnet-sense-index).

``compat=nltk`` is NLTK's own `single_meteor_score`. The other value takes NLTK's stages one by one and puts the
words back in place of their stems before synonyms are looked up.
"""

import json
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import nltk
import nltk.corpus
from nltk.stem.porter import PorterStemmer
from nltk.translate import meteor_score

N_LEXICOGRAPHER_FILES = 45


def open_wordnet(folder):
    """Lay the files out as NLTK's own download does, with a file of names that Debian does not have."""
    data = Path(tempfile.mkdtemp())
    place = data / "corpora" / "wordnet"
    shutil.copytree(folder, place)
    names = "".join(f"{number:02d}\tname.{number}\t1\n" for number in range(N_LEXICOGRAPHER_FILES))
    (place / "lexnames").write_text(names)
    nltk.data.path.append(str(data))
    return nltk.corpus.wordnet


def score_of_words(reference, candidate, wordnet, stemmer):
    left, right = list(enumerate(candidate)), list(enumerate(reference))
    matches, left, right = meteor_score._match_enums(left, right)
    more, left, right = meteor_score._enum_stem_match(left, right, stemmer)
    left = [(place, candidate[place]) for place, _ in left]
    right = [(place, reference[place]) for place, _ in right]
    last, _, _ = meteor_score._enum_wordnetsyn_match(left, right, wordnet)
    matches = sorted([*matches, *more, *last])
    if not matches:
        return 0.0
    precision, recall = len(matches) / len(candidate), len(matches) / len(reference)
    mean = precision * recall / (0.9 * precision + (1 - 0.9) * recall)
    return (1 - 0.5 * (meteor_score._count_chunks(matches) / len(matches)) ** 3.0) * mean


def main():
    wordnet, stemmer = open_wordnet(sys.argv[1]), PorterStemmer()
    values = {"meteor": [], "meteor,compat=nltk": []}
    for row in json.load(sys.stdin):
        candidate, reference = row["candidate"].split(), row["references"][0].split()
        values["meteor"].append(score_of_words(reference, candidate, wordnet, stemmer))
        values["meteor,compat=nltk"].append(
            meteor_score.single_meteor_score(reference, candidate, stemmer=stemmer, wordnet=wordnet)
        )
    made_by = f"nltk {version('nltk')} over WordNet 3.0 (wordnet-base 1:3.0-37), see by_meteor.py"
    json.dump({"made_by": made_by, "values": values}, sys.stdout)


if __name__ == "__main__":
    main()
