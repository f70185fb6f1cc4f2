"""Figure 2: time for 1000 images."""

from functools import partial

from acgan.reporting.figures.curves import (
    HOW_TO_READ,
    curve_legend,
    curve_scale,
    devices_with,
    draw_curves,
    in_words,
)
from acgan.reporting.figures.report_figure import Panel, ReportFigure
from acgan.reporting.figures.titles import device_titles

FIGURE = "ms_per_1000_images"


def figure(group):
    """The `ReportFigure` of a `Group`."""
    scale, titles = curve_scale(group, FIGURE), device_titles(group.devices)
    panels = [
        Panel(
            titles[id(device)],
            f"time for 1000 images by batch size: {in_words(device, FIGURE, 'ms')}",
            partial(_draw, group, device, scale),
        )
        for device in devices_with(group, FIGURE)
    ]
    return ReportFigure(
        number=2,
        title="Time for 1000 images",
        caption=f"Training on 1000 real images, in steady state. {HOW_TO_READ}",
        panels=tuple(panels),
        notes=() if panels else ("No run measured the time of a batch: 20 steps are enough.",),
        legend=curve_legend(group, FIGURE),
    )


def _draw(group, device, scale, axes):
    draw_curves(axes, group, device, FIGURE, scale, "time for 1000 images, ms")
