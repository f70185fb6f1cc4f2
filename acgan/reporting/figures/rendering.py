"""Draws panels, each once as SVG and once as pixels."""

import io
import textwrap
import warnings
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from acgan.reporting.figures.style import PANEL_WIDTH, PNG_DPI, SETTINGS, TEXT_POINTS
from acgan.reporting.figures.svg import as_element

RIGHT, GAP = 0.14, 0.22  # inches beside and between a panel's axes
TITLE_LINE, LEGEND_LINE, HEAD_GAP = 0.19, 0.17, 0.1  # inches
TITLE_CHARACTERS = 40  # that fit on a line
LEGEND_COLUMNS = 2
MOST_CHARACTERS = 80  # of any text


@dataclass(frozen=True)
class Drawing:
    """A drawn panel: `svg`, an element `width` x `height` points large, and `pixels`.

    `pixels` is uint8 [height, width, 3].
    """

    svg: str
    width: float
    height: float
    pixels: np.ndarray


def draw_panels(figure, name):
    """A list of `Drawing`, one for each of a `ReportFigure`'s panels.

    All are equally large where their axes are. The same runs give the same bytes.

    Arguments:
        figure: the `ReportFigure`.
        name: tells its ids in the SVG from those of others on the same page.
    """
    titles = [_title_lines(panel.title) for panel in figure.panels]
    lines = max(map(len, titles), default=0)
    drawings = []
    for number, (panel, title) in enumerate(zip(figure.panels, titles, strict=True), 1):
        settings = {**SETTINGS, "svg.hashsalt": f"{name}-{number}"}
        with matplotlib.rc_context(settings), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from")  # of a far-off script
            canvas = _drawn(panel, title, lines, figure.legend)
            svg = io.StringIO()
            canvas.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
            agg = FigureCanvasAgg(canvas)
            canvas.set_dpi(PNG_DPI)
            agg.draw()
        width, height = canvas.get_size_inches() * 72
        pixels = np.asarray(agg.buffer_rgba())[..., :3].copy()
        label = f"{panel.title}: {panel.description}"
        drawings.append(Drawing(as_element(svg.getvalue(), label), width, height, pixels))
    return drawings


def drawable(text):
    """A text without characters that can't be drawn, and shortened if it is very long."""
    text = "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def _title_lines(title):
    return textwrap.wrap(title, TITLE_CHARACTERS, max_lines=2, placeholder=" …") or [""]


def _drawn(panel, title, title_lines, legend):
    """A panel as matplotlib's `Figure`, laid out by hand: all axes of a figure are aligned."""
    legend_lines = -(-len(legend) // LEGEND_COLUMNS)
    head = title_lines * TITLE_LINE + legend_lines * LEGEND_LINE + HEAD_GAP
    height = head + sum(panel.heights) + GAP * (len(panel.heights) - 1) + panel.bottom
    figure = Figure((PANEL_WIDTH, height), dpi=72)
    for number, line in enumerate(title):
        top = 1 - (number * TITLE_LINE + 0.04) / height
        figure.text(0.012, top, line, weight="bold", size=TEXT_POINTS + 1, va="top")
    if legend:
        figure.legend(
            handles=legend,
            loc="upper left",
            bbox_to_anchor=(0.0, 1 - title_lines * TITLE_LINE / height),
            ncols=min(LEGEND_COLUMNS, len(legend)),
            borderaxespad=0.15,
            borderpad=0.1,
            labelspacing=0.35,
            handlelength=2.4,
            columnspacing=1.4,
        )
    bottom, axes = height - head, []
    for size in panel.heights:
        bottom -= size
        left, width = panel.left / PANEL_WIDTH, 1 - (panel.left + RIGHT) / PANEL_WIDTH
        axes.append(figure.add_axes((left, bottom / height, width, size / height)))
        bottom -= GAP
    panel.draw(*axes)
    for text in figure.findobj(Text):
        text.set_text(drawable(text.get_text()))
    return figure
