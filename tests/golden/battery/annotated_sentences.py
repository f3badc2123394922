"""Sentences with their syntactic structures, counted by hand after the definitions of Lu (2010), section 3.

Order: words, verb phrases, clauses, T-units, dependent clauses, complex T-units, coordinate phrases, complex
nominals. Two readings are ours: a possessive pronoun makes no complex nominal ('their parents'), and verbs that share
a subject are one verb phrase and one clause. The sentences test the rules, not the parser: one that the small model
misreads ('What he said surprised nobody', where it takes 'surprised' for an adjective) is not among them.
"""

SENTENCES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("The cat sat on the mat.", (6, 1, 1, 1, 0, 0, 0, 0)),
    # 'sat down and ate' is one coordinate phrase, 'a red apple' a complex nominal
    ("He sat down and ate a red apple.", (8, 1, 1, 1, 0, 0, 1, 1)),
    ("She left because it rained.", (5, 2, 2, 1, 1, 1, 0, 0)),
    # 'that he knows ...' and 'what she wants' are clauses in place of nouns
    ("I think that he knows what she wants.", (8, 3, 3, 1, 2, 1, 0, 2)),
    ("Rain fell, and the river rose.", (6, 2, 2, 2, 0, 0, 0, 0)),
    ("It rained; we left.", (4, 2, 2, 2, 0, 0, 0, 0)),
    ("Sit down.", (2, 1, 1, 1, 0, 0, 0, 0)),
    # a fragment: no verb, one clause, one T-unit
    ("What a day!", (3, 0, 1, 1, 0, 0, 0, 0)),
    # 'the house of my old friend' and 'my old friend'
    ("The house of my old friend burned down.", (8, 1, 1, 1, 0, 0, 0, 2)),
    # an infinitive as subject: a verb phrase, a complex nominal, no clause
    ("To win is hard.", (4, 2, 1, 1, 0, 0, 0, 1)),
    # 'the man who called you' is a complex nominal with a clause in it
    ("The man who called you left early.", (7, 2, 2, 1, 1, 1, 0, 1)),
    # two T-units, the first with the clause 'When the bell rang'
    ("When the bell rang, the children ran home and their parents waited.", (12, 3, 3, 2, 1, 1, 0, 0)),
    # 'to reduce costs' is a verb phrase, and no clause: it is not finite
    ("The committee wants to reduce costs.", (6, 2, 1, 1, 0, 0, 0, 0)),
    ("He said he was tired, but he finished the long report.", (11, 3, 3, 2, 1, 1, 0, 2)),
    # 'bread and butter' is one coordinate phrase
    ("We bought bread and butter.", (5, 1, 1, 1, 0, 0, 1, 0)),
    ("The teacher's book, which I borrowed, was long and boring.", (10, 2, 2, 1, 1, 1, 1, 1)),
    ("Although it was late, they stayed.", (6, 2, 2, 1, 1, 1, 0, 0)),
    ("Having lost the key, she waited outside.", (7, 2, 1, 1, 0, 0, 0, 0)),
    ("The broken window was repaired by two men.", (8, 1, 1, 1, 0, 0, 0, 1)),
    ("Can you see the old boats?", (6, 1, 1, 1, 0, 0, 0, 1)),
    ("What he said was true.", (5, 2, 2, 1, 1, 1, 0, 1)),
    ("The fast train and the slow bus arrived late.", (9, 1, 1, 1, 0, 0, 1, 1)),
    ("If you call, I will come and help.", (8, 2, 2, 1, 1, 1, 1, 0)),
    ("The girl standing there is my sister.", (7, 2, 1, 1, 0, 0, 0, 1)),
    ("They have been working.", (4, 1, 1, 1, 0, 0, 0, 0)),
)
