"""Figure 3: price of a million batches and of a million images."""

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

BATCHES, IMAGES = "usd_per_million_batches", "usd_per_million_images"
QUANTITIES = {BATCHES: "a million batches", IMAGES: "a million images"}


def figure(group):
    """The `ReportFigure` of a `Group`; without panels where no price is known."""
    devices, titles = devices_with(group, BATCHES), device_titles(group.devices)
    scales = {quantity: curve_scale(group, quantity) for quantity in QUANTITIES}
    panels = [
        Panel(
            titles[id(device)],
            ". ".join(
                f"price of {what} by batch size: {in_words(device, quantity, 'USD')}"
                for quantity, what in QUANTITIES.items()
            ),
            partial(_draw, group, device, scales),
            (1.7, 1.7),
        )
        for device in devices
    ]
    return ReportFigure(
        number=3,
        title="Price of a million batches and of a million images",
        caption=f"The steady time of a step at the machine's price by the hour. {HOW_TO_READ}",
        panels=tuple(panels),
        notes=tuple(
            f"{titles[id(device)]}: {why_no_price(device)}"
            for device in devices_with(group, "step_ms")
            if device.usd_per_hour is None
        ),
        legend=curve_legend(group, BATCHES),
    )


def why_no_price(device):
    """One line on why a device has no price, and how to give one."""
    reasons = [result.price_reason for result in device.results if result.price_reason]
    return reasons[0] if reasons else "no price is known: give one with --usd_per_hour"


def _draw(group, device, scales, *axes):
    for one, (quantity, what) in zip(axes, QUANTITIES.items(), strict=True):
        below = one is axes[-1]
        draw_curves(one, group, device, quantity, scales[quantity], f"{what}, USD", below)
