"""Figure 6: the share of kernel time on Tensor Cores, and what it gained."""

from functools import partial

from acgan.reporting.amounts import short_number
from acgan.reporting.comparison import compare
from acgan.reporting.figures.curves import policy_handle
from acgan.reporting.figures.report_figure import Panel, ReportFigure
from acgan.reporting.figures.scales import Scale, value_axis
from acgan.reporting.figures.style import INK, look_of
from acgan.reporting.figures.titles import device_titles

HOW_TO_GET = (
    "Not measured in float32 and another policy at the same batch size: it needs a GPU, and runs "
    "with `--profile`, the default of `acgan.train`."
)


def figure(group):
    """The `ReportFigure` of a `Group`; without panels where no share was measured."""
    titles = device_titles(group.devices)
    found = [(device, points_of(device)) for device in group.devices]
    found = [(device, points) for device, points in found if points]
    speedups = [speedup for _, points in found for *_, speedup in points]
    scale = Scale(min([0.9, *speedups]) - 0.08, max([1.1, *speedups]) * 1.1, False)
    policies = sorted({policy for _, points in found for policy, *_ in points})
    return ReportFigure(
        number=6,
        title="Tensor Core share and speed-up",
        caption=(
            "Share of kernel time on Tensor Cores in the profiled steps, against how many times "
            "as fast as float32 the policy is at the same batch size, which stands beside each "
            "point. Above the line it is faster."
        ),
        panels=tuple(
            Panel(titles[id(device)], _in_words(points), partial(_draw, points, scale))
            for device, points in found
        ),
        notes=() if found else (HOW_TO_GET,),
        legend=tuple(map(policy_handle, policies)),
    )


def points_of(device):
    """Tuples (policy, batch size, Tensor Core share in percent, speed-up against float32)."""
    points = []
    for policy in device.policies:
        for cell in device.curve(policy) if policy != "float32" else ():
            share = cell.figure("kernel_time_percent")
            reference = device.cells.get(("float32", cell.batch_size))
            change = compare(reference, cell) if share and reference else None
            if change:
                speedup = 1 / (1 + change.percent / 100)
                points.append((policy, cell.batch_size, share.mean, speedup))
    return points


def _draw(points, scale, axes):
    value_axis(axes.yaxis, scale, "speed-up against float32, times")
    value_axis(axes.xaxis, Scale(0.0, 108.0, False), "kernel time on Tensor Cores, %")
    axes.axhline(1, color=INK, linewidth=0.8)
    for policy, batch_size, share, speedup in points:
        look = look_of(policy)
        axes.plot([share], [speedup], color=look.color, marker=look.marker, linestyle="none")
        axes.annotate(str(batch_size), (share, speedup), (5, 3), textcoords="offset points", size=7)


def _in_words(points):
    return "; ".join(
        f"{policy} at batch size {size}: {short_number(share)} % on Tensor Cores, "
        f"{short_number(speedup)} times as fast as float32"
        for policy, size, share, speedup in points
    )
