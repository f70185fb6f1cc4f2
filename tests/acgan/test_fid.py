import numpy as np
import pytest

from acgan.fid import frechet_distance

# Four points with mean 0 and covariance 4/3 of the identity (divided by count - 1 = 3).
CROSS = np.array([[np.sqrt(2), 0], [-np.sqrt(2), 0], [0, np.sqrt(2)], [0, -np.sqrt(2)]])


def test_equal_sets_have_no_distance():
    assert frechet_distance(CROSS, CROSS) == pytest.approx(0, abs=1e-12)


def test_a_shift_counts_with_its_square():
    assert frechet_distance(CROSS, CROSS + np.array([3, 4])) == pytest.approx(3**2 + 4**2)


def test_a_stretch_counts_by_standard_deviations():
    # Both axes: variance 4/3 against 9 * 4/3, so (sqrt(4/3) - 3 sqrt(4/3))^2 twice.
    assert frechet_distance(CROSS, 3 * CROSS) == pytest.approx(2 * (2 * np.sqrt(4 / 3)) ** 2)


def test_correlated_sets_match_scipys_matrix_square_root():
    import scipy.linalg

    random = np.random.default_rng(0)
    a = random.normal(size=(50, 4)) @ random.normal(size=(4, 4))
    b = random.normal(size=(50, 4)) @ random.normal(size=(4, 4)) + 1
    root = scipy.linalg.sqrtm(np.cov(a.T) @ np.cov(b.T)).real
    expected = np.sum((a.mean(0) - b.mean(0)) ** 2)
    expected += np.trace(np.cov(a.T) + np.cov(b.T) - 2 * root)
    assert frechet_distance(a, b) == pytest.approx(expected)


def test_fewer_samples_than_dimensions_give_a_finite_distance():
    points = np.random.default_rng(0).normal(size=(3, 10))
    assert frechet_distance(points, points + 1) == pytest.approx(10)
