"""Fréchet distance between two sets of feature vectors."""

import numpy as np
import scipy.linalg


def frechet_distance(features, other_features):
    """Distance between the normal distributions fitted to two sets of feature vectors.

    `|m1 - m2|^2 + tr(C1 + C2 - 2 (C1 C2)^(1/2))`, the measure behind the FID of Heusel et al. 2017
    (arXiv:1706.08500), there in the features of an Inception network. It shrinks with the number
    of samples, so that only distances between sets of the same sizes can be compared.

    Arguments:
        features, other_features: float arrays [count, dimensions], at least two rows each.

    Returns:
        A float, 0 for sets with equal means and covariances.
    """
    (mean, covariance), (other_mean, other_covariance) = (
        (x.mean(axis=0), np.cov(x, rowvar=False))
        for x in (np.asarray(x, np.float64) for x in (features, other_features))
    )
    # tr (C1 C2)^(1/2) equals tr (S C2 S)^(1/2) with S = C1^(1/2). S C2 S is symmetric, so that the
    # root stays real where a covariance is singular, as with fewer samples than dimensions.
    values, vectors = scipy.linalg.eigh(covariance)
    root = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T
    cross_values = scipy.linalg.eigvalsh(root @ other_covariance @ root)
    cross_trace = np.sqrt(cross_values.clip(min=0)).sum()
    distance = np.sum((mean - other_mean) ** 2) + np.trace(covariance + other_covariance)
    return max(0.0, float(distance - 2 * cross_trace))
