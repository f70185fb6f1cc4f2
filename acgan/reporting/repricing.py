"""Runs at another price than that of the day."""

from dataclasses import replace

from acgan.errors import UserError
from callbacks.cost_arithmetic import usd_spent
from callbacks.prices import find_price, given_price, read_prices, why_no_price


def repriced(runs, usd_per_hour=None, provider=None, spot=False):
    """Runs with the price that is asked for; as they are if none is.

    Arguments:
        runs: `acgan.results.Result`s.
        usd_per_hour: price of each machine, for runs of one kind of device.
        provider: whose price in the packaged table counts, as for `find_price`; None for any.
        spot: whether the machine is a spot one.

    Raises:
        UserError: a price is given, but the runs are of several kinds of devices.
    """
    devices = sorted({run.device for run in runs})
    if usd_per_hour is not None:
        if len(devices) > 1:
            raise UserError(
                f"--usd_per_hour={usd_per_hour} is one price, but the runs are of {len(devices)} "
                f"devices ({', '.join(devices)}): report each of them by itself"
            )
        return tuple(_at(run, given_price(usd_per_hour * run.machines), None) for run in runs)
    if provider is None and not spot:
        return tuple(runs)
    offers = read_prices()
    found = {}
    for run in runs:
        wanted = (run.gpu_name, run.gpu_count or 1, provider, spot)
        if run.device not in found:
            found[run.device] = find_price(offers, *wanted), why_no_price(offers, *wanted)
    return tuple(_at(run, *found[run.device]) for run in runs)


def _at(run, price, reason):
    usd_per_hour = price.usd_per_hour if price else None
    return replace(
        run,
        usd_per_hour=usd_per_hour,
        price_source=price.source if price else None,
        price_reason=reason,
        usd_total=usd_spent(usd_per_hour, run.total_seconds),
    )
