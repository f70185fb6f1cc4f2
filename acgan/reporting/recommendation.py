"""Which setting to use on a device, from what batch size a policy pays, and what fits."""

from dataclasses import dataclass

from acgan.reporting.comparison import Change, compare
from acgan.reporting.grouping import Cell, Spread
from acgan.reporting.reasons import why_no_gain

TIME = "ms_per_1000_images"  # comparable across batch sizes; the price of an image is proportional


@dataclass(frozen=True)
class Saving:
    """USD saved per million images, and the ends of its 95 % interval (None if measured once)."""

    usd: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Recommendation:
    """The setting to use on a device.

    Attributes:
        policy, batch_size, cell: the setting and its runs.
        best_float32: the float32 cell with the least time per image; None without float32 runs.
        against_same_batch: change of the time per image from float32 at the same batch size;
            None for float32 itself, or if there is none.
        against_best_float32: the same from `best_float32`; None for that itself, or without.
        usd_per_million_images: None if no price is known.
        saved_at_same_batch, saved_against_best_float32: `Saving`s; None as the changes are, or
            if no price is known.
    """

    policy: str
    batch_size: int
    cell: Cell
    best_float32: Cell | None
    against_same_batch: Change | None
    against_best_float32: Change | None
    usd_per_million_images: Spread | None
    saved_at_same_batch: Saving | None
    saved_against_best_float32: Saving | None


@dataclass(frozen=True)
class BreakEven:
    """From what batch size on a policy takes less time than float32.

    Attributes:
        policy: the reduced one.
        changes: a tuple (batch size, `Change` of the step's time from float32), small ones first.
        batch_size: the smallest from which on it takes less at every size measured; None if never.
        below: the next smaller size measured; None if there is none.
        reason: why it does not pay at the largest size, one line; None if it does.
    """

    policy: str
    changes: tuple
    batch_size: int | None
    below: int | None
    reason: str | None


@dataclass(frozen=True)
class Misfit:
    """Batch sizes of a policy: the `smallest_not_fitting`, the `largest_fitting` (None if none)."""

    policy: str
    smallest_not_fitting: int
    largest_fitting: int | None


def takes_less(change):
    """Whether a `Change` is less, as far as can be told: measured once, by the number alone."""
    return change.verdict == "less" or (change.verdict == "unknown" and change.percent < 0)


def recommend(device):
    """The setting with the least time per image, unless that is a gain that the spread may fake.

    A reduced policy is recommended if it takes less than float32 at the same batch size and less
    than the fastest float32 setting, both beyond their 95 % intervals; a comparison that was not
    made, or that was made once, does not stand against it. Otherwise float32 is the simpler choice.
    Settings that were run once are candidates only if none was repeated.

    Arguments:
        device: an `acgan.reporting.grouping.Device`.

    Returns:
        A `Recommendation`, or None if nothing was measured.
    """
    measured = [cell for cell in device.cells.values() if cell.fits and cell.figure(TIME)]
    repeated = [cell for cell in measured if cell.figure(TIME).count > 1]
    measured = (
        repeated or measured
    )  # a single run, as of a search for the largest batch, is no proof
    measured.sort(key=lambda cell: cell.figure(TIME).mean)
    float32 = {cell.batch_size: cell for cell in measured if cell.policy == "float32"}
    best = next(iter(float32.values()), None)
    for cell in measured:
        same_batch = float32.get(cell.batch_size)
        changes = [_change(reference, cell) for reference in (same_batch, best)]
        if cell.policy == "float32" or all(takes_less(change) for change in changes if change):
            return Recommendation(
                cell.policy,
                cell.batch_size,
                cell,
                best,
                *changes,
                cell.figure("usd_per_million_images"),
                _saving(same_batch, changes[0]),
                _saving(best, changes[1]),
            )
    return None


def break_even(device, policy):
    """From what batch size on a policy takes less time than float32 on a device.

    Arguments:
        device: an `acgan.reporting.grouping.Device`.
        policy: a reduced policy's name.

    Returns:
        A `BreakEven`, or None if no batch size was measured in both.
    """
    cells = {cell.batch_size: cell for cell in device.curve(policy)}
    float32 = {cell.batch_size: cell for cell in device.curve("float32")}
    sizes = [size for size in cells if size in float32]
    changes = [(size, compare(float32[size], cells[size])) for size in sizes]
    if not changes:
        return None
    paying = len(changes)  # the first from which on all pay
    while paying and takes_less(changes[paying - 1][1]):
        paying -= 1
    never = paying == len(changes)
    return BreakEven(
        policy,
        tuple(changes),
        None if never else sizes[paying],
        sizes[paying - 1] if paying and not never else None,
        why_no_gain(cells[sizes[-1]]) if never else None,
    )


def misfits(device):
    """Batch sizes that did not fit into a device's memory.

    Arguments:
        device: an `acgan.reporting.grouping.Device`.

    Returns:
        A list of `Misfit`, one for each policy with a batch that did not fit, float32 first.
    """
    found = []
    for policy in device.policies:
        cells = [cell for cell in device.cells.values() if cell.policy == policy]
        too_large = [cell.batch_size for cell in cells if not cell.fits]
        fitting = [cell.batch_size for cell in cells if cell.fits and cell.figure("step_ms")]
        if too_large:
            found.append(Misfit(policy, min(too_large), max(fitting, default=None)))
    return found


def _change(reference, cell):
    return None if reference is None or reference is cell else compare(reference, cell, TIME)


def _saving(reference, change):
    """What a change saves of the reference's price; what it adds is below 0."""
    usd = reference and reference.figure("usd_per_million_images")
    if usd is None or change is None:
        return None
    if change.low is None:
        return Saving(-usd.mean * change.percent / 100, None, None)
    return Saving(*(-usd.mean * end / 100 for end in (change.percent, change.high, change.low)))
