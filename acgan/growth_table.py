"""How cost grows with the work, as a table for people."""

import math
from dataclasses import dataclass

from acgan.benchmarks.pairs import Ratio
from acgan.benchmarks.table import aligned, number

HEADER = (
    *("what", "size", "median", "low", "high", "unit"),
    *("ms/1000 images", "exponent", "by FLOPs", ""),
)
WORDS = {0, 5, 9}  # columns of them


@dataclass(frozen=True)
class Point:
    """What work of one size costs.

    `series` says in words what was measured and what grows; the points of a series follow one
    another. `size` is the number that grows. `spread` is the cost, an
    `acgan.benchmarks.pairs.Ratio` of numbers in `unit`, or None for what was not measured, with the
    reason in `note`. `images` is how many images a step of "ms" trains on, and `flops` what it
    takes by the shapes of the layers; None where neither applies.
    """

    series: str
    size: int
    spread: Ratio | None
    unit: str
    images: int | None = None
    flops: float | None = None
    note: str = ""


def table(points):
    """Lines of text, one a point, in the order given.

    "exponent" is e where the cost grew as size^e since the line before, in the same series: 1 is
    linear, above 1 a unit of work has become dearer. "by FLOPs" is the same of the arithmetic.
    """
    cells = [HEADER]
    for before, point in zip([None, *points], points, strict=False):
        same = before is not None and before.series == point.series
        cells.append(_line(point, before if same else None))
    return aligned(cells, WORDS)


def exponent(before, now, size_before, size_now):
    """e in now / before = (size_now / size_before)^e; None where one of them isn't known."""
    if not before or not now:
        return None
    return math.log(now / before) / math.log(size_now / size_before)


def _line(point, before):
    spread = point.spread
    if spread is None:
        return (point.series, f"{point.size:,}", "-", "-", "-", point.unit, "", "", "", point.note)
    numbers = map(number, (spread.median, spread.low, spread.high))
    images = number(spread.median / point.images * 1000) if point.images else ""
    exponents = ["", ""]
    if before is not None:
        exponents = [
            _text(exponent(cost_before, cost, before.size, point.size))
            for cost_before, cost in (
                (before.spread and before.spread.median, spread.median),
                (before.flops, point.flops),
            )
        ]
    return (
        *(point.series, f"{point.size:,}", *numbers, point.unit),
        *(images, *exponents, point.note),
    )


def _text(value):
    return "" if value is None else f"{round(value, 2) + 0.0:.2f}"  # + 0.0: no "-0.00"
