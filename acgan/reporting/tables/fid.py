"""What it took to reach an FID."""

from acgan.reporting.amounts import number
from acgan.reporting.figures.fid import label_of
from acgan.reporting.figures.titles import device_titles
from acgan.reporting.quality import price_of_fid
from acgan.reporting.tables.table import Table, spread_text

HEAD = ("device", "policy", "batch size", "FID at most", "training, s", "USD", "runs that did")


def fid_table(group, target=None):
    """A `Table`; None if no run of a `Group` was judged.

    Arguments:
        group: the group.
        target: the FID; None as for `price_of_fid`.
    """
    titles = device_titles(group.devices)
    rows = [
        (
            titles[id(price.device)],
            price.policy,
            label_of(price),
            number(price.target),
            spread_text(price.seconds),
            spread_text(price.usd),
            f"{price.reached} of {price.repeats}",
        )
        for price in price_of_fid(group, target)
    ]
    return Table("What it takes to reach an FID", HEAD, tuple(rows), 2) if rows else None
