"""A figure of the runs by batch size: one curve a policy."""

from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from acgan.reporting.amounts import short_number
from acgan.reporting.figures.scales import batch_axis, scale_of, value_axis
from acgan.reporting.figures.style import INK, look_of
from acgan.reporting.published import published_for
from acgan.reporting.recommendation import recommend

RING = {"marker": "o", "markersize": 13, "markerfacecolor": "none", "linestyle": "none"}
RING |= {"markeredgecolor": INK, "markeredgewidth": 1.1}
DIAMOND = {"marker": "D", "markersize": 7.5, "markerfacecolor": "none", "linestyle": "none"}
DIAMOND |= {"markeredgewidth": 1.2}
CROSS = {"marker": "x", "markersize": 6.5, "linestyle": "none", "markeredgewidth": 1.8}
BESIDE_POINTS = 3.0  # from one policy to the next
HOW_TO_READ = "Points are means over the repeats, bars reach from the lowest to the highest repeat."


def devices_with(group, figure):
    """A `Group`'s devices on which a figure of `Result` was measured."""
    return [
        device
        for device in group.devices
        if any(cell.figure(figure) for cell in device.cells.values())
    ]


def curve_scale(group, figure):
    """The `Scale` for all that `draw_curves` draws of a group; None if it was not measured."""
    values, crossed = [], False
    for device in devices_with(group, figure):
        for spread in filter(None, (cell.figure(figure) for cell in device.cells.values())):
            values += [spread.low, spread.high]
        for value in _published(group, device, figure):
            values += [value.low, value.high]
        crossed = crossed or any(sizes_not_fitting(device, p) for p in device.policies)
    return scale_of(values, 0.25 if crossed else 0.12) if values else None


def draw_curves(axes, group, device, figure, scale, label, sizes_below=True):
    """Draws one curve a policy, and marks what is recommended, published and does not fit.

    Arguments:
        axes: matplotlib's.
        group: the `Group` that the `device` is of.
        figure: name of a figure of `Result`.
        scale: the `Scale` of the values.
        label: of the value axis, with its unit.
        sizes_below: whether to write the batch sizes below the axes.
    """
    value_axis(axes.yaxis, scale, label)
    batch_axis(axes, batch_sizes(device), sizes_below)
    places = {policy: _beside(axes, device, policy) for policy in device.policies}
    for order, policy in enumerate(device.policies):
        look, curve = look_of(policy), device.curve(policy)
        points = [(cell.batch_size, cell.figure(figure)) for cell in curve]
        points = [(size, spread) for size, spread in points if spread]
        if points:
            _draw_spreads(axes, look, places[policy], *zip(*points, strict=True))
        for size in sizes_not_fitting(device, policy):
            # One below the other, where several policies do not fit.
            top = axes.get_xaxis_transform()  # y as a share of the axes' height
            axes.plot([size], [0.95 - 0.09 * order], color=look.color, transform=top, **CROSS)
    best = recommend(device)
    if best and (spread := best.cell.figure(figure)):
        axes.plot([best.batch_size], [spread.mean], transform=places[best.policy], **RING)
    for value in _published(group, device, figure):
        axes.plot(
            [value.batch_size] * 2,
            [value.low, value.high],
            markeredgecolor=look_of(value.policy).color,
            transform=places.get(value.policy, axes.transData),
            **DIAMOND,
        )


def _draw_spreads(axes, look, place, sizes, spreads):
    """Draws `Spread`s at some batch sizes as points with bars, joined by a line."""
    axes.plot(
        sizes,
        [spread.mean for spread in spreads],
        color=look.color,
        marker=look.marker,
        linestyle=look.dashes,
        transform=place,
    )
    if any(spread.low < spread.high for spread in spreads):
        axes.vlines(
            sizes,
            [spread.low for spread in spreads],
            [spread.high for spread in spreads],
            color=look.color,
            linewidth=1.2,
            transform=place,
        )


def _beside(axes, device, policy):
    """A transform that moves a policy's points a little to the side, for all bars to be seen."""
    order = device.policies.index(policy) - (len(device.policies) - 1) / 2
    inches = order * BESIDE_POINTS / 72
    return axes.transData + ScaledTranslation(inches, 0, axes.figure.dpi_scale_trans)


def curve_legend(group, figure):
    """Handles of a legend for what `draw_curves` draws of a group."""
    devices = devices_with(group, figure)
    policies = {policy for device in devices for policy in device.policies}
    handles = [policy_handle(policy) for policy in sorted(policies, key=float32_first)]
    if any(recommend(device) for device in devices):
        handles.append(Line2D([], [], label="recommended", **{**RING, "markersize": 9}))
    if any(_published(group, device, figure) for device in devices):
        handles.append(Line2D([], [], label="published", markeredgecolor=INK, **DIAMOND))
    if any(sizes_not_fitting(device, p) for device in devices for p in device.policies):
        handles.append(Line2D([], [], label="does not fit", color=INK, **CROSS))
    return tuple(handles)


def float32_first(policy):
    """The order of policies in legends: a key to sort their names by."""
    return policy != "float32", policy


def policy_handle(policy):
    """A policy's handle for a legend."""
    look = look_of(policy)
    return Line2D([], [], label=policy, color=look.color, marker=look.marker, linestyle=look.dashes)


def batch_sizes(device):
    """The batch sizes that were measured on a device, or that did not fit."""
    return sorted(
        {
            size
            for (_, size), cell in device.cells.items()
            if not cell.fits or cell.figure("step_ms")
        }
    )


def sizes_not_fitting(device, policy):
    """Batch sizes at which a policy did not fit into the device's memory."""
    return [size for (p, size), cell in device.cells.items() if p == policy and not cell.fits]


def _published(group, device, figure):
    """The published values of a figure at batch sizes that were measured, too."""
    sizes = batch_sizes(device)
    return [
        value
        for value in published_for(group, device)
        if value.quantity == figure and value.batch_size in sizes
    ]


def in_words(device, figure, unit):
    """The curves' ends in words, such as "float32 16 ms at batch size 32, 700 ms at 2048"."""
    parts = []
    for policy in device.policies:
        points = [(cell.batch_size, cell.figure(figure)) for cell in device.curve(policy)]
        ends = [(size, spread) for size, spread in points if spread]
        if ends:
            ends = dict((ends[0], ends[-1]))
            values = (
                f"{short_number(spread.mean)} {unit} at batch size {size}"
                for size, spread in ends.items()
            )
            parts.append(f"{policy} {', '.join(values)}")
    return "; ".join(parts) or "nothing was measured"
