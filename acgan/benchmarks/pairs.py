"""Comparing ways of doing the same, so that a noisy machine can't decide."""

import statistics
from dataclasses import dataclass

FEWEST = 3  # pairs; fewer have no spread


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

    Arguments:
        measure: `measure()` gives the seconds that the thing takes; already warm.
        reference: the same for what it is compared with.
        pairs: how many pairs, at least 3.

    Returns:
        The `Ratio` of `measure` to `reference`.
    """
    return ratio([own / other for own, other in rounds([measure, reference], pairs)])


def rounds(measures, count):
    """Measures several things in turn, `count` times.

    The order changes from round to round, so that whatever drifts in the meantime falls on all
    alike.

    Returns:
        A list of rounds, each a list of seconds in the order of `measures`.
    """
    results = []
    for index in range(count):
        order = range(len(measures))
        seconds = {i: measures[i]() for i in (reversed(order) if index % 2 else order)}
        results.append([seconds[i] for i in order])
    return results


def fewer(pairs):
    """Pairs for rows that hold many comparisons: half as many."""
    return max(FEWEST, pairs // 2)


def ratio(values):
    """The `Ratio` of some pairs' ratios, or the spread of other numbers; at least two."""
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Ratio(median, low, high, len(values))
