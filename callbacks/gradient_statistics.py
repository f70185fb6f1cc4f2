"""Arithmetic on gradients beside float16's range: no model, no tape, no logger.

The limits follow from float16's format (IEEE 754-2019, binary16: 11 significant bits, exponents
-14..15) and from rounding to nearest, ties to even.
"""

import numpy as np
from keras import ops

# Half of float16's smallest subnormal, 2**-24: a magnitude up to here rounds to 0, the tie too.
FLUSHED_UP_TO = 2.0**-25
# Midway between float16's largest number, 65504, and 2**16: from here on, the tie too, it rounds
# to inf.
OVERFLOWS_FROM = 65520.0
EXPONENT_BIAS = 127  # of float32
EXPONENTS = 256  # biased exponents of float32: 0 is zero and subnormal, 255 is inf and NaN


class GradientTally:
    """Counts how a network's gradient values would fare in float16.

    All shares are of the values that are not zero, over everything added:

    | share | values that |
    |---|---|
    | `underflow_percent_unscaled` | are zero after rounding to float16, the scale divided out |
    | `underflow_percent_scaled` | are zero after rounding to float16 with the scale |
    | `overflow_percent_scaled` | are not finite after rounding to float16 with the scale |
    | `update_underflow_percent` | change nothing in a float16 weight, see `is_swallowed` |

    The last is of the finite values only: a step with others is skipped.

    Arguments:
        scale: the loss scale that the gradients are still multiplied by, None if there is none;
            the shares "scaled" are None then.
        learning_rate: what the optimizer multiplies gradients by.

    Example:
        tally = GradientTally(scale=2.0**15, learning_rate=0.1)
        tally.add(gradient, weights)
        tally.percents()["underflow_percent_unscaled"]
    """

    def __init__(self, scale, learning_rate):
        self.scale = scale
        self.learning_rate = learning_rate
        self._counts = np.zeros(6, np.int64)
        self._exponents = np.zeros(EXPONENTS, np.int64)

    def add(self, gradient, weights):
        """Counts the values of one gradient.

        Arguments:
            gradient: floats of any shape, still multiplied by the scale.
            weights: the weights it is of, same shape.
        """
        gradient = ops.cast(gradient, "float32")
        unscaled = gradient / (self.scale or 1.0)
        magnitude = ops.abs(gradient)
        nonzero = gradient != 0
        finite = ops.logical_and(nonzero, ops.isfinite(gradient))
        # Comparing with a limit, not rounding and looking: XLA may leave out a pair of casts.
        masks = [
            nonzero,
            ops.logical_and(nonzero, magnitude <= FLUSHED_UP_TO * (self.scale or 1.0)),
            ops.logical_and(nonzero, magnitude <= FLUSHED_UP_TO),
            ops.logical_and(nonzero, ops.logical_not(magnitude < OVERFLOWS_FROM)),
            finite,
            ops.logical_and(finite, is_swallowed(self.learning_rate * unscaled, weights)),
        ]
        counts = ops.stack([ops.cast(ops.count_nonzero(mask), "int32") for mask in masks])
        exponents = biased_exponents(ops.where(finite, unscaled, 0.0))
        self._counts += ops.convert_to_numpy(counts)
        # On the host: TensorFlow refuses to count on a GPU when told to be deterministic.
        self._exponents += np.bincount(
            np.ravel(ops.convert_to_numpy(exponents)), minlength=EXPONENTS
        )

    def percents(self):
        """The shares by name, in percent; None what was not measured."""
        nonzero, unscaled, scaled, overflow, finite, swallowed = map(int, self._counts)
        is_scaled = self.scale is not None
        return {
            "underflow_percent_unscaled": _percent(unscaled, nonzero),
            "underflow_percent_scaled": _percent(scaled, nonzero) if is_scaled else None,
            "overflow_percent_scaled": _percent(overflow, nonzero) if is_scaled else None,
            "update_underflow_percent": _percent(swallowed, finite),
        }

    def log2_buckets(self):
        """Histogram of log2 |g| of the values g, the scale divided out.

        Returns:
            float64 [buckets, 3]: left edge, right edge, count. Each bucket is one power of two
            wide, `left <= log2 |g| < right`; the first and the last are not empty. Zero and what
            is below float32's normal range, 2**-126, is left out. None without any value.
        """
        normal = self._exponents.copy()
        normal[[0, EXPONENTS - 1]] = 0
        filled = np.flatnonzero(normal)
        if not filled.size:
            return None
        biased = np.arange(filled[0], filled[-1] + 1)
        left = biased - EXPONENT_BIAS
        return np.stack([left, left + 1, normal[biased]], axis=1).astype(np.float64)


def is_swallowed(updates, weights):
    """Whether float16 weights stay what they are when updates are subtracted.

    Weight, update and difference are each rounded to float16, as float16 weights would be stored
    and updated: true where `float16(float16(w) - float16(u)) == float16(w)`. It happens to a
    nonzero update of less than about 2**-12 of the weight, and to one that itself rounds to zero.

    Arguments:
        updates, weights: floats of the same shape.

    Returns:
        Booleans of that shape.
    """
    weights = ops.cast(weights, "float16")
    return ops.equal(ops.subtract(weights, ops.cast(updates, "float16")), weights)


def biased_exponents(values):
    """Exponents of float32 values as the format stores them, int32, in one dimension.

    `k + 127` for 2**k <= |value| < 2**(k + 1), 0 for zero and subnormals, 255 for inf and NaN.
    Exact, where a logarithm may be off at the powers of two.
    """
    bits = ops.view(ops.reshape(ops.cast(values, "float32"), (-1,)), "int32")
    return ops.bitwise_and(ops.right_shift(bits, 23), 0xFF)


def _percent(part, whole):
    return 100 * part / whole if whole else None
