"""What was measured where, with what, when and at which price."""

from acgan.reporting.figures.titles import device_titles
from acgan.reporting.setting_words import setting_in_words
from acgan.reporting.tables.table import NOTHING, Table

HEAD = ("device", "compute capability", "setting", "runs", "repeats", "days", "price by the hour")


def machines_table(groups):
    """A `Table` of the devices of some `Group`s."""
    rows = []
    for group in groups:
        titles, setting = device_titles(group.devices), setting_in_words(group.setting)
        rows += [_row(titles[id(device)], setting, device) for device in group.devices]
    return Table("Machines", HEAD, tuple(rows), len(HEAD))


def days_of(runs):
    """The days on which some runs began, such as "2026-11-01 to 2026-11-03"; None if unknown."""
    days = sorted({run.started[:10] for run in runs if run.started})
    return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else None


def _row(title, setting, device):
    runs = device.results
    repeats = sorted({len(cell.counted) for cell in device.cells.values() if cell.counted})
    return (
        title,
        runs[0].compute_capability or NOTHING,
        setting,
        str(len(runs)),
        " to ".join(dict.fromkeys([str(repeats[0]), str(repeats[-1])])) if repeats else NOTHING,
        days_of(runs) or NOTHING,
        next((run.price_source for run in runs if run.price_source), NOTHING),
    )
