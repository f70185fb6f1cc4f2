"""What a table of the report is made of."""

from dataclasses import dataclass

from acgan.reporting.amounts import number

NOTHING = "–"  # where nothing was measured


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes:
        title: what it shows.
        head, rows: its texts.
        labels: how many columns, from the first, hold no numbers.
        notes: lines to stand below.
        best: the numbers of the rows to stand out, from 0.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int
    notes: tuple[str, ...] = ()
    best: tuple[int, ...] = ()


def spread_text(spread):
    """A `Spread` as mean and ends, such as "16.2 (16.1–16.4)"; "16.2" if all read the same."""
    if spread is None:
        return NOTHING
    mean, low, high = map(number, (spread.mean, spread.low, spread.high))
    return mean if low == high else f"{mean} ({low}–{high})"


def in_order(device):
    """A `Device`'s cells, small batches first, float32 before others."""
    return sorted(
        device.cells.values(),
        key=lambda cell: (cell.batch_size, cell.policy != "float32", cell.policy),
    )
