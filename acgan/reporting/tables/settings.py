"""What every policy takes at every batch size."""

from acgan.reporting.amounts import number
from acgan.reporting.comparison import compare
from acgan.reporting.figures.titles import device_titles
from acgan.reporting.recommendation import recommend
from acgan.reporting.tables.table import NOTHING, Table, in_order, spread_text

HEAD = (
    "batch size",
    "policy",
    "time of a batch, ms",
    "change against float32",
    "images/s",
    "USD per million images",
    "fits",
)


def setting_tables(group):
    """A `Table` for each of a `Group`'s devices; the recommended setting stands out."""
    titles, tables = device_titles(group.devices), []
    for device in group.devices:
        cells, found = in_order(device), recommend(device)
        rows = tuple(_row(device, cell) for cell in cells)
        best = tuple(n for n, cell in enumerate(cells) if found and cell is found.cell)
        tables.append(Table(titles[id(device)], HEAD, rows, 2, best=best))
    return tables


def _row(device, cell):
    rate = cell.figure("images_per_second")
    return (
        str(cell.batch_size),
        cell.policy,
        spread_text(cell.figure("step_ms")),
        _change(device.cells.get(("float32", cell.batch_size)), cell),
        number(rate.mean) if rate else NOTHING,
        spread_text(cell.figure("usd_per_million_images")),
        "no" if not cell.fits else "yes" if rate else NOTHING,
    )


def _change(reference, cell):
    change = compare(reference, cell) if reference and reference is not cell else None
    return f"{change.amount()} ({change.interval() or 'measured once'})" if change else NOTHING
