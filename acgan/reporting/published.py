"""The article's published values, to stand beside the measured ones."""

import csv
from dataclasses import dataclass
from pathlib import Path

from callbacks.peak_rates import name_words

PACKAGED = Path(__file__).with_name("published.csv")
# The article's setting, by names of `Result`.
SETTING = {"network": "article", "dataset": "cifar10", "image_shape": (32, 32, 3)}


@dataclass(frozen=True)
class Published:
    """One published value.

    Attributes:
        figure: the article's figure, such as "1".
        gpu: as it reports itself.
        policy, batch_size: the setting; batch_size None for a claim about large batches.
        quantity: a figure of `Result` ("step_ms", "usd_per_million_batches"), or
            "less_time_percent" for a claim against float32.
        low, high: the value; the same number twice unless a range was published.
        source, note: where it is from, and what to know about it ("" if nothing).
    """

    figure: str
    gpu: str
    policy: str
    batch_size: int | None
    quantity: str
    low: float
    high: float
    source: str
    note: str


def published_for(group, device):
    """What the article published for a device in the article's setting.

    Arguments:
        group: the `acgan.reporting.grouping.Group` that the device is in.
        device: an `acgan.reporting.grouping.Device`; one with several GPUs is not the article's.

    Returns:
        A tuple of `Published`; empty if network, data or GPU are not the article's.
    """
    if any(group.setting[name] != value for name, value in SETTING.items()):
        return ()
    words = name_words(device.name)
    return tuple(row for row in read_published() if name_words(row.gpu) == words)


def read_published():
    """Every `Published` of the packaged table, in its order."""
    with PACKAGED.open(encoding="utf-8", newline="") as file:
        return [_published(row) for row in csv.DictReader(file)]


def _published(row):
    return Published(
        **{
            **row,
            "batch_size": int(row["batch_size"]) if row["batch_size"] else None,
            "low": float(row["low"]),
            "high": float(row["high"]),
        }
    )
