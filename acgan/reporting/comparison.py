"""How much one setting takes less than another, and whether the spread lets that be said."""

import math
import statistics
from dataclasses import dataclass

from scipy.special import stdtrit  # quantiles of Student's t; scipy.stats takes long to import

from acgan.reporting.amounts import percent_digits, percent_text, signed_digits

CONFIDENCE = 0.95
_LARGEST_LOG = 700.0  # its exponential still is a float


@dataclass(frozen=True)
class Change:
    """The change of a figure from a reference to another cell, in percent: -41.4 is 41.4 % less.

    Attributes:
        percent: by the geometric mean of the pairs' ratios.
        low, high: the ends of its 95 % confidence interval, low <= high; None with one pair.
        pairs: how many pairs of runs.
        one_sitting: whether both runs of each pair are of one sweep and one batch size, so that
            they were measured in turn.
    """

    percent: float
    low: float | None
    high: float | None
    pairs: int
    one_sitting: bool

    @property
    def verdict(self):
        """ "less", "more", "no difference" (0 is within the interval) or "unknown" (one pair)."""
        if self.pairs == 1:
            return "unknown"
        if self.low <= 0 <= self.high:
            return "no difference"
        return "less" if self.high < 0 else "more"

    def amount(self):
        """Such as "41 % less", "3 % more" or "no difference"."""
        if self.verdict == "no difference" or not self.percent:
            return "no difference"
        return f"{percent_text(abs(self.percent))} {'less' if self.percent < 0 else 'more'}"

    def interval(self):
        """Such as "39 to 43 %" in the direction of `amount`, or "−3 to +4 %"; None if unknown."""
        if self.pairs == 1:
            return None
        if self.verdict == "no difference":
            return f"{signed_digits(self.low)} to {signed_digits(self.high)} %"
        near, far = sorted((abs(self.low), abs(self.high)))
        if near >= 1 and percent_digits(near) == percent_digits(far):
            return f"{near:.1f} to {far:.1f} %"
        return f"{percent_digits(near)} to {percent_text(far)}"

    def words(self, noun="time"):
        """Such as "41 % less time (39 to 43 %)" or "no difference (−3 to +4 %)"."""
        amount = self.amount()
        what = amount if amount == "no difference" else f"{amount} {noun}"
        return f"{what} ({self.interval() or 'measured once: the spread is unknown'})"


def compare(reference, cell, figure="step_ms"):
    """The change of a figure from one cell to another, with its confidence interval.

    A sweep's repeats are paired by their number: the first with the first, which ran beside it.
    Only if no sweep holds runs of both are they paired in the order of their start, and
    `one_sitting` is False: a machine's mood of the day is then part of the change. Failed runs do
    not count.

    The interval is Student's t interval of the mean logarithm of the pairs' ratios.

    Arguments:
        reference, cell: `acgan.reporting.grouping.Cell`s.
        figure: name of a figure of `acgan.results.Result` that is above 0.

    Returns:
        A `Change`, or None if either was not measured.
    """
    before, after = _values(reference, figure), _values(cell, figure)
    shared = [key for key in before if key in after and key[0]]
    if shared:
        pairs = [(before[key], after[key]) for key in shared]
    else:  # what has no partner is left out
        pairs = list(zip(before.values(), after.values(), strict=False))
    if not pairs:
        return None
    logs = [math.log(new) - math.log(old) for old, new in pairs]
    mean, low, high = statistics.fmean(logs), None, None
    if len(logs) > 1:
        quantile = float(stdtrit(len(logs) - 1, (1 + CONFIDENCE) / 2))
        margin = quantile * statistics.stdev(logs) / math.sqrt(len(logs))
        low, high = _percent(mean - margin), _percent(mean + margin)
    in_turn = bool(shared) and reference.batch_size == cell.batch_size
    return Change(_percent(mean), low, high, len(pairs), in_turn)


def _percent(log_ratio):
    return 100 * math.expm1(min(log_ratio, _LARGEST_LOG))


def _values(cell, figure):
    """The figure of each repeat that counts and has it, by (sweep, repeat), in their order."""
    values = {}
    for number, result in enumerate(cell.counted):
        if (value := getattr(result, figure)) is not None:
            key = (result.sweep, result.repeat) if result.repeat else (None, number)
            values[key] = value
    return values
