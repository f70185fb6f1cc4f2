"""Every run in a row."""

from acgan.reporting.amounts import number
from acgan.reporting.figures.titles import device_titles
from acgan.reporting.tables.table import NOTHING, Table, in_order

HEAD = (
    "device",
    "policy",
    "status",
    "batch size",
    "repeat",
    "steps",
    "time of a batch, ms",
    "FID",
    "folder",
    "message",
)


def runs_table(groups):
    """A `Table` of the runs of some `Group`s."""
    rows = []
    for group in groups:
        titles = device_titles(group.devices)
        for device in group.devices:
            for cell in in_order(device):
                rows += [
                    _row(titles[id(device)], run, repeat)
                    for repeat, run in enumerate(cell.results, 1)
                ]
    return Table("Runs", HEAD, tuple(rows), 3)


def _row(title, run, repeat):
    return (
        title,
        run.policy,
        run.status,
        str(run.batch_size),
        str(repeat),
        str(run.steps),
        NOTHING if run.step_ms is None else number(run.step_ms),
        NOTHING if run.fid is None else number(run.fid),
        str(run.folder),
        run.message or "",
    )
