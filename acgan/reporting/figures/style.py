"""How the figures look: colours, marks and sizes.

Colours are those of Okabe and Ito, "Color Universal Design" (2008), which colour-blind people can
tell apart; marks and dashes differ as well, for print in grey.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """Colour, mark and dashes of a policy's curve, in matplotlib's spelling."""

    color: str
    marker: str
    dashes: str


POLICIES = {
    "float32": Look("#000000", "o", "-"),
    "mixed_float16": Look("#D55E00", "s", "--"),
    "mixed_bfloat16": Look("#0072B2", "^", "-."),
    "float16": Look("#CC79A7", "v", ":"),
    "bfloat16": Look("#009E73", "P", ":"),
}
OTHER = Look("#E69F00", "X", ":")  # any other policy of Keras

INK, QUIET, GRID = "#1a1a1a", "#595959", "#dedede"
PANEL_WIDTH = 3.6  # inches
TEXT_POINTS = 8.5
PNG_DPI = 200

SETTINGS = {
    "font.family": ["DejaVu Sans", "sans-serif"],  # comes with matplotlib
    "font.size": TEXT_POINTS,
    "text.color": INK,
    "text.parse_math": False,  # a "$" in a name is a "$"
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text
}


def look_of(policy):
    """The `Look` of a policy by its name."""
    return POLICIES.get(policy, OTHER)
