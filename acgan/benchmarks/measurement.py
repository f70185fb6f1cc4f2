"""One measured line of the benchmark."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """What was measured, and how far it scattered.

    `row` is the number of the benchmark's row, from 1, and `name` says in words what was measured.
    `ratio` is the median of all repetitions and `low` and `high` are their quartiles, in `unit`:
    "ratio" for one time over another (below 1 this project is faster), otherwise "s", "MB" and so
    on. `arithmetic` is the ratio that matrix FLOPs alone allow, or None. `note` is what the table
    says beside it, such as the numbers that a ratio was made of.
    """

    row: int
    name: str
    ratio: float
    low: float
    high: float
    unit: str
    arithmetic: float | None = None
    note: str = ""


def measurement(row, name, spread, unit="ratio", arithmetic=None, note=""):
    """The `Measurement` of an `acgan.benchmarks.pairs.Ratio`, or of anything with such a spread."""
    return Measurement(row, name, spread.median, spread.low, spread.high, unit, arithmetic, note)
