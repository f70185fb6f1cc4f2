"""What the report says of one group of runs that can be compared."""

from dataclasses import dataclass

from acgan.reporting.figures.all_figures import figures
from acgan.reporting.figures.rendering import Drawing, draw_panels
from acgan.reporting.figures.report_figure import ReportFigure
from acgan.reporting.headline import DeviceHeadline, headlines
from acgan.reporting.setting_words import setting_in_words
from acgan.reporting.tables.fid import fid_table
from acgan.reporting.tables.published import published_table
from acgan.reporting.tables.settings import setting_tables
from acgan.reporting.tables.table import Table


@dataclass(frozen=True)
class DrawnFigure:
    """A figure with the drawings of its panels; `name` is that of its files, without a suffix."""

    name: str
    figure: ReportFigure
    drawings: tuple[Drawing, ...]


@dataclass(frozen=True)
class Section:
    """A group's part of the report.

    Attributes:
        title: the group's setting in words.
        anchor: names it within the page.
        headlines: one for each device.
        figures: in their order.
        settings: tables of the measured settings, one for each device.
        published, fids: a `Table`, or None without published values or judgements.
    """

    title: str
    anchor: str
    headlines: tuple[DeviceHeadline, ...]
    figures: tuple[DrawnFigure, ...]
    settings: tuple[Table, ...]
    published: Table | None
    fids: Table | None


def make_section(group, number, differing=(), target_fid=None):
    """The `Section` of a `Group`, its figures drawn.

    Arguments:
        group: the group.
        number: which one, from 1; from 2 on it is part of the figures' names.
        differing: names of what the report's groups differ in.
        target_fid: the FID whose price is looked up, see `price_of_fid`.
    """
    suffix = "" if number == 1 else f"-group-{number}"
    drawn = []
    for figure in figures(group):
        name = f"figure-{figure.number}{suffix}"
        drawn.append(DrawnFigure(name, figure, tuple(draw_panels(figure, name))))
    return Section(
        title=setting_in_words(group.setting, differing),
        anchor=f"group-{number}",
        headlines=tuple(headlines(group)),
        figures=tuple(drawn),
        settings=tuple(setting_tables(group)),
        published=published_table(group),
        fids=fid_table(group, target_fid),
    )
