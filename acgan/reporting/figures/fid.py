"""Figure 5: what quality costs, FID against seconds and against USD."""

from collections import defaultdict
from functools import partial

from matplotlib.lines import Line2D

from acgan.reporting.amounts import number
from acgan.reporting.figures.curves import float32_first, policy_handle
from acgan.reporting.figures.price import why_no_price
from acgan.reporting.figures.report_figure import Panel, ReportFigure
from acgan.reporting.figures.scales import Scale, scale_of, value_axis
from acgan.reporting.figures.style import QUIET, look_of
from acgan.reporting.figures.titles import device_titles
from acgan.reporting.quality import fid_curves

HOW_TO_GET = "No run was judged: `acgan.train --evaluate` and `acgan.sweep --minutes=7` do that."
DOTTED = {"color": QUIET, "linestyle": ":", "linewidth": 1.2}
FLOOR = Line2D([], [], label="two sets of real images", **DOTTED)
FLOOR_WITHIN = 5  # times the lowest FID: a floor further down would flatten the curves
LEAST_FID = 0.001  # drawn; its axis may be logarithmic
MOST_CURVES = 3  # for each policy
MOST_MARKED = 8  # runs in a panel, up to which each judgement has its mark
LABEL_POINTS = 6.5
AXES = {"seconds": "time of training, s", "USD": "price of training, USD"}  # by quantity


def figure(group):
    """The `ReportFigure` of a `Group`; without panels where no run was judged."""
    titles, by_device = device_titles(group.devices), defaultdict(list)
    for curve in best_curves(fid_curves(group)):
        by_device[id(curve.device)].append(curve)
    shown = [curve for curves in by_device.values() for curve in curves]
    fids = [max(fid, LEAST_FID) for curve in shown for _, fid in points_of(curve, "seconds")]
    floors = {id(device): _floor(device, min(fids, default=0.0)) for device in group.devices}
    panels, notes = [], []
    for device in group.devices:
        curves, floor = by_device.get(id(device), ()), floors[id(device)]
        for quantity in AXES:
            if any(points_of(curve, quantity) for curve in curves):
                scale = scale_of([*fids, *filter(None, floors.values())])
                draw = partial(_draw, curves, quantity, scale, floor)
                about = f"FID against {AXES[quantity]}: {_in_words(curves)}"
                panels.append(Panel(titles[id(device)], about, draw))
        if curves and device.usd_per_hour is None:
            notes.append(f"{titles[id(device)]}: {why_no_price(device)}")
    policies = sorted({curve.policy for curve in shown}, key=float32_first)
    return ReportFigure(
        number=5,
        title="What quality costs",
        caption=(
            "FID of the generator while it trains, lower is better; one line a run, at its end "
            f"the batch size (of each policy the {MOST_CURVES} that reach the lowest FID). USD are "
            "those of the training time alone."
        ),
        panels=tuple(panels),
        notes=tuple(notes) if panels else (HOW_TO_GET,),
        legend=(*map(policy_handle, policies), *[FLOOR] * any(floors.values())),
        columns=2,
    )


def best_curves(curves):
    """Of some `FidCurve`s those to draw: `MOST_CURVES` for each device and policy, in order."""
    lowest = defaultdict(list)
    for curve in curves:
        lowest[id(curve.device), curve.policy].append(_lowest(curve))
    return [
        curve
        for curve in curves
        if _lowest(curve) in sorted(lowest[id(curve.device), curve.policy])[:MOST_CURVES]
    ]


def points_of(curve, quantity):
    """All (x, FID) of a `FidCurve` in which x, the seconds or the USD, is known."""
    return [point for run in curve.runs for point in _points(run, quantity)]


def label_of(curve):
    """What tells a `FidCurve` or `FidPrice` from others of its policy."""
    return ", ".join([str(curve.batch_size), *(f"{k} {v}" for k, v in curve.differs.items())])


def spread_apart(heights, room):
    """Moves some heights up, as little as needed for each to be `room` above the next lower one."""
    places, last = {}, None
    for index in sorted(range(len(heights)), key=lambda index: heights[index]):
        places[index] = heights[index] if last is None else max(heights[index], last + room)
        last = places[index]
    return [places[index] for index in range(len(heights))]


def _points(run, quantity):
    xs = ((seconds if quantity == "seconds" else usd, fid) for seconds, usd, fid in run)
    return [(x, max(fid, LEAST_FID)) for x, fid in xs if x is not None]


def _lowest(curve):
    return min(fid for run in curve.runs for *_, fid in run)


def _floor(device, lowest_fid):
    """The FID between two sets of real images; None if unknown, or too far below to be drawn."""
    floors = [result.fid_floor for result in device.results if result.fid_floor]
    floor = min(floors, default=0.0)
    return floor if floor * FLOOR_WITHIN > lowest_fid else None


def _draw(curves, quantity, scale, floor, axes):
    value_axis(axes.yaxis, scale, "FID")
    furthest = max(x for curve in curves for x, _ in points_of(curve, quantity))
    value_axis(axes.xaxis, Scale(0.0, 1.16 * furthest or 1.0, False), AXES[quantity])
    crowded = sum(len(curve.runs) for curve in curves) > MOST_MARKED
    for curve in curves:
        look = look_of(curve.policy)
        for points in filter(None, (_points(run, quantity) for run in curve.runs)):
            axes.plot(
                *zip(*points, strict=True),
                color=look.color,
                marker=look.marker,
                linestyle=look.dashes,
                markersize=3.2,
                linewidth=1.1,
                markevery=[-1] if crowded else None,
            )
    if len({label_of(curve) for curve in curves}) > 1:
        _label_ends(axes, curves, quantity)
    if floor:
        axes.axhline(floor, **DOTTED)


def _label_ends(axes, curves, quantity):
    """Writes what tells curves apart beside their ends, one below the other."""
    ends = [(curve, max(points_of(curve, quantity))) for curve in curves]
    inch = axes.figure.dpi
    heights = [72 * axes.transData.transform(end)[1] / inch for _, end in ends]
    places = spread_apart(heights, LABEL_POINTS)
    for (curve, end), height, place in zip(ends, heights, places, strict=True):
        axes.annotate(
            label_of(curve),
            end,
            (5, place - height),
            textcoords="offset points",
            va="center",
            size=LABEL_POINTS,
            color=look_of(curve.policy).color,
        )


def _in_words(curves):
    parts = []
    for curve in curves:
        finals = [run[-1][2] for run in curve.runs if run]
        low, high = number(min(finals)), number(max(finals))
        ends = low if low == high else f"{low} to {high}"
        parts.append(f"{curve.policy} at batch size {label_of(curve)} ends at {ends}")
    return "; ".join(parts)
