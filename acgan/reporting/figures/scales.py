"""Axes of the figures: batch sizes, and values that all panels of a figure share."""

import math
from dataclasses import dataclass

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from acgan.reporting.amounts import short_number

LOG_FROM = 8  # a value axis is logarithmic where the largest value is this many times the smallest
LARGEST_RATIO = 1e12  # of an axis' ends, whatever a record holds
CHARACTER = 0.027  # width of a label's character as a share of the axis


@dataclass(frozen=True)
class Scale:
    """A value axis from `low` to `high`; from zero unless it is `logarithmic`."""

    low: float
    high: float
    logarithmic: bool


def scale_of(values, headroom=0.12):
    """The `Scale` for some positive values, at least one.

    Arguments:
        values: what is to be seen.
        headroom: share of the axis that stays free above them.
    """
    high = max(values)
    low = max(min(values), high / LARGEST_RATIO)
    if high / low < LOG_FROM:
        return Scale(0.0, high / (1 - headroom), False)
    low /= 1.25
    return Scale(low, low * (high / low) ** (1 / (1 - headroom)), True)


def value_axis(axis, scale, label):
    """Sets up a matplotlib x or y axis by its `Scale`; `label` names quantity and unit."""
    axes, name = axis.axes, axis.axis_name
    if scale.logarithmic:
        getattr(axes, f"set_{name}scale")("log")
        decades = math.log10(scale.high / scale.low)
        subs = (1.0, 2.0, 5.0) if decades < 2.6 else (1.0, 3.0) if decades < 4 else (1.0,)
        axis.set_major_locator(LogLocator(subs=subs))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    getattr(axes, f"set_{name}lim")(scale.low, scale.high)
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
    axis.set_label_text(label)


def batch_axis(axes, sizes, label=True):
    """Sets up a logarithmic axis of the batch size, with the measured sizes as ticks.

    Arguments:
        axes: matplotlib's.
        sizes: the batch sizes, at least one.
        label: whether to write sizes and label; False for axes above others of the same sizes.
    """
    low, high = _octaves(sizes)
    axes.set_xscale("log", base=2)
    axes.set_xlim(2**low, 2**high)
    axes.xaxis.set_major_locator(FixedLocator(sorted(sizes)))
    axes.xaxis.set_minor_locator(NullLocator())
    shown = labelled(sizes) if label else ()
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda size, _: f"{size:.0f}" if round(size) in shown else "")
    )
    if label:
        axes.set_xlabel("batch size, images")


def labelled(sizes):
    """Those batch sizes whose labels fit beside each other on the axis, the largest first."""
    low, high = _octaves(sizes)
    shown = []
    for size in sorted(sizes, reverse=True):
        if shown:
            room = CHARACTER * ((len(str(size)) + len(str(shown[-1]))) / 2 + 0.6)
            if math.log2(shown[-1] / size) / (high - low) < room:
                continue
        shown.append(size)
    return tuple(reversed(shown))


def _octaves(sizes):
    """Where the axis begins and ends: log2 of the batch size."""
    low, high = math.log2(min(sizes)), math.log2(max(sizes))
    margin = max(0.35, (high - low) * 0.06)
    return low - margin, high + margin
