"""What a figure of the report is made of."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Panel:
    """One panel of a figure.

    Attributes:
        title: what it is of, such as a device.
        description: what it shows, in words, for those who can't see it.
        draw: draws on one matplotlib `Axes` for each of `heights`.
        heights: of the axes, from above, in inches.
        left, bottom: room beside and below the axes for what stands there, in inches.
    """

    title: str
    description: str
    draw: Callable
    heights: tuple[float, ...] = (2.0,)
    left: float = 0.66
    bottom: float = 0.5


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the report.

    Attributes:
        number: its number in the report.
        title: what it shows.
        caption: how to read it.
        panels: what it is drawn of; empty if nothing was measured for it.
        notes: lines on what is missing, and how to get it. Names of commands are in `backticks`.
        legend: handles for matplotlib's legend, the same above each panel.
        columns: panels side by side.
    """

    number: int
    title: str
    caption: str
    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()
    legend: tuple = ()
    columns: int = 3
