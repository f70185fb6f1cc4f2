"""Comparing two ways of doing the same, so that a noisy machine can't decide."""

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """How much longer one thing takes than another: the median over pairs, and their spread.

    `low` and `high` are the quartiles of the pairs' ratios; `pairs` is how many there were.
    """

    median: float
    low: float
    high: float
    pairs: int


def compare(measure, reference, pairs=15):
    """Measures two things in turn, again and again, and compares them pair by pair.

    The order within a pair changes from pair to pair, so that whatever drifts in the meantime
    falls on both sides alike.

    Arguments:
        measure: `measure()` gives the seconds that the thing takes; already warm.
        reference: the same for what it is compared with.
        pairs: how many pairs, at least 3.

    Returns:
        The `Ratio` of `measure` to `reference`.
    """
    ratios = []
    for index in range(pairs):
        if index % 2:
            other, own = reference(), measure()
        else:
            own, other = measure(), reference()
        ratios.append(own / other)
    return ratio(ratios)


def ratio(ratios):
    """The `Ratio` of some pairs' ratios."""
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Ratio(median, low, high, len(ratios))
