"""What the machine costs, from a run's settings and the table of prices."""

from dataclasses import dataclass

from acgan.errors import UserError
from callbacks.prices import Price, find_price, given_price, read_prices, why_no_price


@dataclass(frozen=True)
class Pricing:
    """A machine's `price` (a `callbacks.prices.Price`), or None and the `reason`, one line."""

    price: Price | None
    reason: str | None


def find_pricing(settings, hardware, machines=1):
    """The price that a run's settings ask for.

    Arguments:
        settings: an `acgan.settings.Settings`.
        hardware: as `callbacks.hardware.detect` returns it, of all machines.
        machines: how many there are, of which each costs `--usd_per_hour`.

    Raises:
        UserError: `--max_usd` is given and no price is known.
    """
    if settings.usd_per_hour is not None:
        return Pricing(given_price(settings.usd_per_hour * machines), None)
    wanted = (hardware["gpu_name"], hardware["gpu_count"] or 1, settings.provider, settings.spot)
    offers = read_prices()
    price, reason = find_price(offers, *wanted), why_no_price(offers, *wanted)
    if price is None and settings.max_usd is not None:
        raise UserError(f"--max_usd={settings.max_usd} can't be kept: {reason}")
    return Pricing(price, reason)
