"""Weights of statements, by hand."""

import math

import numpy as np
import pytest

from gameproof.fmi.weights import RARITY_CAP, consensus, rarity


def test_a_statement_of_one_task_in_five_weighs_log_five():
    # p = (1 + 1) / (1 + 9) = 1/5, by hand
    assert rarity(np.array([1]), np.array([9]))[0] == pytest.approx(math.log(5))


def test_what_every_task_says_weighs_nothing():
    assert str(rarity(np.array([9]), np.array([9]))[0]) == "0.0"  # and not -0.0


def test_the_rarest_statement_weighs_no_more_in_a_larger_pool():
    assert rarity(np.array([0, 0]), np.array([50, 5000])).tolist() == [RARITY_CAP, RARITY_CAP]


def test_consensus_counts_a_repeated_statement_once_with_all_who_say_it():
    # three references of one statement each: the second repeats the first, the third says something else
    carries = np.array([[True, True, False], [True, True, False], [False, False, True]])
    assert consensus(carries, np.array([0, 1, 2])).tolist() == [2.0, 0.0, 1.0]


def test_a_single_reference_has_equal_weights():
    assert consensus(np.ones((1, 3), dtype=bool), np.zeros(3, dtype=int)).tolist() == [1.0, 1.0, 1.0]


def test_the_first_reference_keeps_its_statements_whatever_later_ones_say():
    carries = np.array([[True, False], [True, True]])
    assert consensus(carries, np.array([0, 1])).tolist() == [2.0, 1.0]
