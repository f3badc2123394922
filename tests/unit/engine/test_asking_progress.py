"""Verbs whose time goes into questions tell how many of them have been asked."""

import pytest

import gameproof
from gameproof.engine.asking_progress import ASKING, shows_questions
from gameproof.llm.watching import current_watch


class Told:
    """Keeps the stages and how far each came."""

    def __init__(self):
        self.stages = []

    def start(self, stage, total):
        self.stages.append([stage, total, 0])

    def advance(self, steps):
        self.stages[-1][2] += steps

    def done(self):
        self.stages.append(["done", None, 0])


ORACLE = {"llm": "planted:oracle", "cache": "off"}


def prefer(progress):
    gameproof.prefer("planted,tasks=2", progress=progress, **ORACLE)


def judge_pairs(progress):
    gameproof.judge_pairs("planted,tasks=2", llm="planted:judge", cache="off", progress=progress)


def variance(progress):
    gameproof.variance("planted,tasks=2", "TV+fvar+statement+oracle", tasks=4, progress=progress, **ORACLE)


def calibration(progress):
    gameproof.calibration("planted,tasks=4", "KL+fvar+statement+oracle", progress=progress, **ORACLE)


@pytest.mark.parametrize("verb", [prefer, judge_pairs, variance, calibration])
def test_every_question_is_told_and_the_last_stage_comes_to_its_end(verb):
    told = Told()
    verb(told)

    asked = [stage for stage in told.stages if stage[0] == ASKING]
    _, total, done = asked[-1]
    assert total == done > 0
    assert told.stages[-1][0] == "done"


def test_judge_pairs_asks_about_each_pair_in_both_orders():
    # 2 tasks of 3 domains, each with 4 systems: 6 pairs a task, in both orders
    told = Told()
    judge_pairs(told)

    assert told.stages[0] == [ASKING, 2 * 3 * 6 * 2, 2 * 3 * 6 * 2]


def test_more_questions_make_the_stage_longer_and_lose_nothing():
    told = Told()
    with shows_questions(told):
        current_watch().more(2)
        current_watch().answered()
        current_watch().more(0)
        current_watch().more(3)
        current_watch().answered()

    assert told.stages == [[ASKING, 2, 1], [ASKING, 5, 2], ["done", None, 0]]


def test_outside_nobody_is_told():
    told = Told()
    with shows_questions(told):
        pass
    current_watch().more(1)
    current_watch().answered()

    assert told.stages == [["done", None, 0]]


@pytest.mark.parametrize("verb", [gameproof.variance, gameproof.calibration])
def test_a_verb_that_asks_no_model_shows_that_it_works(verb):
    told = Told()
    verb("planted,tasks=4", "KL+fvar+statement+overlap", progress=told)

    assert told.stages == [["score", None, 0], ["done", None, 0]]
