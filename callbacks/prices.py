"""What GPUs cost by the hour at cloud providers.

The packaged table holds public prices, each with its source and date. Prices move: whoever knows
better gives a price with --usd_per_hour or keeps a table of the same columns.
"""

import csv
import math
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from callbacks.peak_rates import name_words

PACKAGED = Path(__file__).with_name("prices.csv")

COLUMNS = (
    "provider",
    "machine",
    "gpu",
    "gpu_count",
    "usd_per_hour",
    "billing",
    "includes_vm",
    "region",
    "source",
    "date",
)

_WAY_OUT = "give a price with --usd_per_hour"


@dataclass(frozen=True)
class Offer:
    """One row of a price table.

    `gpu` is spelled as the GPU reports itself; `usd_per_hour` is for all `gpu_count` GPUs of the
    machine; `includes_vm` is False where a GPU is priced alone and the VM is billed on top; `date`
    is when the price was read, as precisely as known (ISO 8601: 2026-09-25, 2026-09, 2026, or a
    span such as 2024/2026).
    """

    provider: str
    machine: str
    gpu: str
    gpu_count: int
    usd_per_hour: float
    billing: str
    includes_vm: bool
    region: str
    source: str
    date: str


@dataclass(frozen=True)
class Price:
    """`usd_per_hour` for all GPUs in use together; `source` says in one line where it is from."""

    usd_per_hour: float
    source: str


def given_price(usd_per_hour):
    """The `Price` that a user gave.

    Raises:
        ValueError: unless it is a positive number.
    """
    if not 0 < usd_per_hour < math.inf:
        raise ValueError(f"usd_per_hour must be a positive number, not {usd_per_hour}")
    return Price(float(usd_per_hour), f"given: {usd_per_hour} USD/h")


def read_prices(path=PACKAGED):
    """Reads a price table: CSV with the columns `COLUMNS`, in any order.

    Returns:
        A list of `Offer`, in the file's order.

    Raises:
        ValueError: the table is empty, a column is missing, or a value is not what its column
            holds; names file, line, column and value.
        OSError: the file cannot be read.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
            if missing and reader.fieldnames:
                raise ValueError(f"{path}, line 1: missing column {', '.join(missing)}")
            offers = [_offer(row, f"{path}, line {reader.line_num}") for row in reader]
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a CSV file in UTF-8: {error}") from error
    if not offers:
        raise ValueError(f"{path} holds no prices")
    return offers


def find_price(prices, gpu_name, gpu_count=1, provider=None, spot=False):
    """What the GPUs in use cost by the hour, None if the table does not tell.

    Machines are rented whole: one that holds more GPUs than are in use costs its full price, and
    several are taken if one holds too few. Offers that include the VM come before GPUs priced
    alone, whose total would leave a part of the bill out; among equals the cheapest counts, then
    the first in the table. GPU names are compared by `name_words`: a price for 40 GB is never
    taken for the card of 80 GB.

    Arguments:
        prices: offers from `read_prices`.
        gpu_name: as the GPU reports itself, such as "Tesla T4"; None without a GPU.
        gpu_count: GPUs in use, all of this name.
        provider: such as "aws", in upper or lower case; None for any.
        spot: whether the machine is a spot (preemptible) one; otherwise it is on demand.

    Returns:
        A `Price` or None; `why_no_price` with the same arguments says why.

    Example:
        find_price(read_prices(), "Tesla T4").usd_per_hour  # 0.526
        find_price(read_prices(), "Tesla T4", provider="gcp").usd_per_hour  # 0.35, without the VM
    """
    offers, _ = _matching(prices, gpu_name, provider, spot)
    if not offers:
        return None

    def total(offer):
        return _machines(offer, gpu_count) * offer.usd_per_hour

    best = min(offers, key=lambda offer: (not offer.includes_vm, total(offer)))
    rivals = sum(offer.includes_vm == best.includes_vm for offer in offers)
    return Price(total(best), _describe(best, _machines(best, gpu_count), rivals))


def why_no_price(prices, gpu_name, gpu_count=1, provider=None, spot=False):
    """One line that says why `find_price` found none and how to give one; None if it found one."""
    return _matching(prices, gpu_name, provider, spot)[1]


def _matching(prices, gpu_name, provider, spot):
    """The offers for a GPU and None, or no offers and the reason."""
    providers = sorted({offer.provider for offer in prices})
    if gpu_name is None:
        return [], f"no price is known for a machine without a GPU: {_WAY_OUT}"
    if provider is not None and provider.lower() not in providers:
        known = ", ".join(providers)
        return [], f"no price is known of provider {provider!r}, only of {known}: {_WAY_OUT}"
    words = name_words(gpu_name)
    offers = [offer for offer in prices if name_words(offer.gpu) == words]
    if not offers:
        return [], f"no price is known for GPU {gpu_name!r}: {_WAY_OUT}"
    if provider is not None:
        having = ", ".join(sorted({offer.provider for offer in offers}))
        offers = [offer for offer in offers if offer.provider == provider.lower()]
        if not offers:
            return [], (
                f"no price is known for GPU {gpu_name!r} of provider {provider!r}, only of "
                f"{having}: {_WAY_OUT}"
            )
    billing = "spot" if spot else "on_demand"
    offers = [offer for offer in offers if offer.billing == billing]
    if not offers:
        where = "" if provider is None else f" of provider {provider!r}"
        kind = billing.replace("_", "-")
        return [], f"no {kind} price is known for GPU {gpu_name!r}{where}: {_WAY_OUT}"
    return offers, None


def _machines(offer, gpu_count):
    return math.ceil(gpu_count / offer.gpu_count)


def _describe(offer, machines, rivals):
    """The offer in one line, for a run's record."""
    count = "" if machines == 1 else f"{machines} x "
    vm = "VM included" if offer.includes_vm else "the VM comes on top"
    choice = "" if rivals == 1 else f", the cheapest of {rivals} offers"
    return (
        f"{count}{offer.provider} {offer.machine} ({offer.gpu_count} x {offer.gpu}), "
        f"{offer.billing.replace('_', ' ')}, {vm}, region {offer.region}{choice}; "
        f"{offer.date}, {offer.source}"
    )


def _offer(row, place):
    if None in row or None in row.values():
        raise ValueError(f"{place}: the row does not have the {len(COLUMNS)} columns of the head")

    def wrong(column, wanted):
        return ValueError(f"{place}, column {column}: {row[column]!r} is not {wanted}")

    for column in COLUMNS:
        if not row[column].strip():
            raise ValueError(f"{place}, column {column}: the value is empty")
    try:
        usd_per_hour = float(row["usd_per_hour"])
    except ValueError:
        usd_per_hour = math.nan
    if not 0 < usd_per_hour < math.inf:
        raise wrong("usd_per_hour", "a positive number")
    if not row["gpu_count"].isdecimal() or int(row["gpu_count"]) < 1:
        raise wrong("gpu_count", "a whole number from 1")
    if row["billing"] not in ("on_demand", "spot"):
        raise wrong("billing", "on_demand or spot")
    if row["includes_vm"] not in ("yes", "no"):
        raise wrong("includes_vm", "yes or no")
    if not _is_date(row["date"]):
        raise wrong("date", "a date such as 2026-09-25, 2026-09, 2026 or 2024/2026")
    values = {column: row[column].strip() for column in COLUMNS}
    values.update(
        provider=values["provider"].lower(),
        gpu_count=int(row["gpu_count"]),
        usd_per_hour=usd_per_hour,
        includes_vm=row["includes_vm"] == "yes",
    )
    return Offer(**values)


def _is_date(text):
    """Whether `text` is a date of ISO 8601, down to the year, or a span of two."""
    parts = text.split("/")
    try:
        for part in parts:
            if not re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", part):
                return False
            date.fromisoformat((part + "-01-01")[:10])
    except ValueError:
        return False
    return len(parts) <= 2
