"""Figure 1: mean time of a batch, and how much less the reduced policies take."""

from functools import partial

from matplotlib.ticker import FuncFormatter, MaxNLocator

from acgan.reporting.amounts import signed_digits
from acgan.reporting.comparison import compare
from acgan.reporting.figures.curves import (
    HOW_TO_READ,
    batch_sizes,
    curve_legend,
    curve_scale,
    devices_with,
    draw_curves,
    in_words,
)
from acgan.reporting.figures.report_figure import Panel, ReportFigure
from acgan.reporting.figures.scales import batch_axis
from acgan.reporting.figures.style import INK, look_of
from acgan.reporting.figures.titles import device_titles

LIMIT_PERCENT = 100  # the lower axes' ends at most, where repeats differ wildly


def figure(group):
    """The `ReportFigure` of a `Group`."""
    devices, titles = devices_with(group, "step_ms"), device_titles(group.devices)
    scale = curve_scale(group, "step_ms")
    changes = {id(device): changes_of(device) for device in devices}
    limits = change_limits([change for found in changes.values() for *_, change in found])
    panels = [
        Panel(
            titles[id(device)],
            f"time of a batch by batch size: {in_words(device, 'step_ms', 'ms')}",
            partial(_draw, group, device, scale, changes[id(device)], limits),
            (2.0, 0.85) if limits else (2.0,),
        )
        for device in devices
    ]
    below = (
        " Below: the change of that time against float32 at the same batch size, with its 95 % "
        "confidence interval; under the line the policy takes less."
    )
    return ReportFigure(
        number=1,
        title="Mean time of a batch",
        caption=HOW_TO_READ + (below if limits else ""),
        panels=tuple(panels),
        notes=() if panels else ("No run measured the time of a batch: 20 steps are enough.",),
        legend=curve_legend(group, "step_ms"),
    )


def changes_of(device):
    """Tuples (policy, batch size, `Change` of the step's time from float32) on a device."""
    found = []
    for policy in device.policies:
        for cell in device.curve(policy) if policy != "float32" else ():
            reference = device.cells.get(("float32", cell.batch_size))
            change = compare(reference, cell) if reference else None
            if change:
                found.append((policy, cell.batch_size, change))
    return found


def change_limits(changes):
    """Ends of an axis for some `Change`s, percent; None without any. Zero is within."""
    ends = [end for c in changes for end in (c.percent, c.low, c.high) if end is not None]
    if not ends:
        return None
    low, high = (
        max(-LIMIT_PERCENT, min(LIMIT_PERCENT, end)) for end in (min(*ends, -5), max(*ends, 5))
    )
    margin = 0.12 * (high - low)
    return low - margin, high + margin


def _draw(group, device, scale, changes, limits, axes, below=None):
    draw_curves(axes, group, device, "step_ms", scale, "time of a batch, ms", below is None)
    if below is None:
        return
    batch_axis(below, batch_sizes(device))
    below.axhline(0, color=INK, linewidth=0.8)
    below.set_ylim(limits)
    below.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    below.yaxis.set_major_formatter(FuncFormatter(lambda value, _: signed_digits(value)))
    below.set_ylabel("change, %")
    for policy in sorted({policy for policy, *_ in changes}):
        look = look_of(policy)
        points = [(size, change) for of, size, change in changes if of == policy]
        sizes = [size for size, _ in points]
        percents = [change.percent for _, change in points]
        below.plot(
            sizes, percents, color=look.color, marker=look.marker, linestyle=look.dashes,
            markersize=4,
        )  # fmt: skip
        known = [(size, change) for size, change in points if change.low is not None]
        if known:
            below.vlines(
                [size for size, _ in known],
                [change.low for _, change in known],
                [change.high for _, change in known],
                color=look.color,
                linewidth=1.2,
            )
