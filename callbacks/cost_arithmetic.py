"""Arithmetic of money and energy: no clock, no device, no logger.

Whatever is unknown is None and makes what depends on it None.
"""

from dataclasses import dataclass

_SECONDS_PER_HOUR = 3600
_JOULES_PER_WATT_HOUR = 3600


@dataclass(frozen=True)
class Estimate:
    """What a run will take: training `steps`, `hours` of wall clock, `usd` (None if unpriced)."""

    steps: int
    hours: float
    usd: float | None


def usd_spent(usd_per_hour, seconds):
    """The price of so many seconds of wall clock."""
    if usd_per_hour is None or seconds is None:
        return None
    return usd_per_hour * seconds / _SECONDS_PER_HOUR


def usd_per_million_batches(usd_per_hour, step_ms):
    """The price of a million training steps of `step_ms` milliseconds.

    Example:
        usd_per_million_batches(0.92, 700)  # 178.9
    """
    if step_ms is None:
        return None
    return usd_spent(usd_per_hour, step_ms / 1000 * 1_000_000)


def usd_per_1000_images(usd_per_hour, step_ms, images_per_step):
    """The price of training on a thousand images, `images_per_step` of them in `step_ms`."""
    if step_ms is None:
        return None
    return usd_spent(usd_per_hour, step_ms / 1000 * 1000 / images_per_step)


def watt_hours(joules):
    """Joules as watt-hours."""
    return None if joules is None else joules / _JOULES_PER_WATT_HOUR


def wh_per_1000_images(joules, images):
    """Watt-hours for a thousand images, if `images` took so many joules; None without images."""
    if joules is None or not images:
        return None
    return watt_hours(joules) * 1000 / images


def estimate(step_ms, setup_seconds, usd_per_hour=None, steps=None, minutes=None):
    """Time and price of a run from a few measured steps.

    Arguments:
        step_ms: steady time of a training step, milliseconds.
        setup_seconds: whatever comes on top of the steps: start-up, compilation, evaluation.
        usd_per_hour: price of all GPUs in use; None if unknown.
        steps: training steps asked for; None if `minutes` alone ends the run.
        minutes: minutes of training asked for; None if `steps` alone ends the run. With both,
            whichever comes first.

    Raises:
        ValueError: neither `steps` nor `minutes` is given, or `step_ms` is not positive.

    Example:
        estimate(100, 60, usd_per_hour=3.6, steps=5400).usd  # (60 + 540) s at 0.001 USD/s: 0.6
    """
    if steps is None and minutes is None:
        raise ValueError("an estimate needs steps or minutes, both are None")
    if not step_ms > 0:
        raise ValueError(f"step_ms must be positive, not {step_ms}")
    step_seconds = step_ms / 1000
    if minutes is not None:
        in_time = max(1, round(minutes * 60 / step_seconds))
        steps = in_time if steps is None else min(steps, in_time)
    seconds = setup_seconds + steps * step_seconds
    return Estimate(steps, seconds / _SECONDS_PER_HOUR, usd_spent(usd_per_hour, seconds))
