import pytest

from acgan.benchmarks.pairs import compare, fewer, ratio, rounds


def test_the_ratio_is_the_median_of_pairs_with_its_quartiles():
    result = ratio([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (result.median, result.low, result.high, result.pairs) == (3, 2, 4, 5)


def test_pairs_are_compared_one_by_one_in_changing_order():
    order = []

    def taking(name, seconds):
        values = iter(seconds)

        def measure():
            order.append(name)
            return next(values)

        return measure

    # A machine that gets three times slower in the middle: each pair still says 1 : 2.
    result = compare(taking("own", [1, 3, 3, 1]), taking("reference", [2, 6, 6, 2]), pairs=4)
    assert (result.median, result.low, result.high) == (0.5, 0.5, 0.5)
    assert order == ["own", "reference", "reference", "own", "own", "reference", "reference", "own"]


def test_one_disturbed_pair_does_not_move_the_median():
    times = iter([1, 1, 100, 1, 1])
    result = compare(lambda: next(times), lambda: 1, pairs=5)
    assert (result.median, result.high) == (1, 1)
    assert result.low == pytest.approx(1)


def test_rounds_measure_all_in_turn_in_changing_order():
    order = []
    measures = [lambda n=n: order.append(n) or n * 10 for n in range(3)]
    assert rounds(measures, 2) == [[0, 10, 20], [0, 10, 20]]
    assert order == [0, 1, 2, 2, 1, 0]


def test_rows_of_many_comparisons_take_half_as_many_pairs_but_three():
    assert [fewer(pairs) for pairs in (3, 5, 7, 20)] == [3, 3, 3, 10]
