"""The article's values beside the measured ones."""

from acgan.reporting.amounts import short_number
from acgan.reporting.comparison import compare
from acgan.reporting.figures.titles import device_titles
from acgan.reporting.published import published_for
from acgan.reporting.tables.table import NOTHING, Table, spread_text

QUANTITIES = {
    "step_ms": ("time of a batch", "ms"),
    "usd_per_million_batches": ("price of a million batches", "USD"),
    "less_time_percent": ("less time than float32", "%"),
}
HEAD = ("device", "quantity", "policy", "batch size", "published", "measured")


def published_table(group):
    """A `Table`; None if the article published nothing for a `Group`'s setting and devices."""
    titles, rows, notes = device_titles(group.devices), [], []
    for device in group.devices:
        for value in published_for(group, device):
            quantity, unit = QUANTITIES[value.quantity]
            low, high = short_number(value.low), short_number(value.high)
            published = low if low == high else f"{low}–{high}"
            measure = _claim if value.batch_size is None else _value
            rows.append(
                (
                    titles[id(device)],
                    quantity,
                    value.policy,
                    str(value.batch_size or "large"),
                    f"{published} {unit}",
                    measure(device, value, unit),
                )
            )
            notes.append(f"{value.source}: {value.note}" if value.note else value.source)
    if not rows:
        return None
    title = "Published values beside the measured ones"
    return Table(title, HEAD, tuple(rows), 3, tuple(dict.fromkeys(notes)))


def _value(device, value, unit):
    cell = device.cells.get((value.policy, value.batch_size))
    found = cell.figure(value.quantity) if cell else None
    return f"{spread_text(found)} {unit}" if found else NOTHING


def _claim(device, value, unit):
    """The change at the largest batch size that was measured in float32, too."""
    for cell in reversed(device.curve(value.policy)):
        reference = device.cells.get(("float32", cell.batch_size))
        change = compare(reference, cell) if reference else None
        if change:
            return f"{change.amount()} (batch size {cell.batch_size})"
    return NOTHING
