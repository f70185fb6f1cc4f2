"""What the runs say about a device, in plain words."""

from collections import Counter
from dataclasses import dataclass

from acgan.reporting.amounts import percent_text, usd_digits
from acgan.reporting.paying import paying_line
from acgan.reporting.recommendation import break_even, misfits, recommend
from acgan.runs import OUT_OF_MEMORY

WILD_PERCENT = 20.0  # between the slowest and the fastest repeat, from which on it is said
MESSAGE_LENGTH = 200  # of a failed run's message; TensorFlow's may fill a page


@dataclass(frozen=True)
class DeviceHeadline:
    """`title`: the setting to use on `device_name`; `lines`: what it saves, and what else to know.

    Plain text without markup, one sentence a line, without a full stop.
    """

    device_name: str
    title: str
    lines: tuple[str, ...]


def headlines(group):
    """What to use on each device, what that saves, and what the runs leave open.

    Arguments:
        group: an `acgan.reporting.grouping.Group`.

    Returns:
        A list of `DeviceHeadline`, in the order of the group's devices.
    """
    numbers = Counter(device.name for device in group.devices)
    return [_headline(device, numbers[device.name] > 1) for device in group.devices]


def _headline(device, priced_apart):
    name = device.name
    if priced_apart:
        name += f" at {device.usd_per_hour:g} USD/h" if device.usd_per_hour else " without a price"
    if not device.results[0].on_gpu:
        name = f"CPU result, {name}"
    found = recommend(device)
    lines = []
    if found:
        title = f"{name}: train in {found.policy} at batch size {found.batch_size}"
        lines += [*_gains(device, found), *_policies(device), *_price(device, found)]
    elif any(not cell.fits for cell in device.cells.values()):
        title = f"{name}: no batch size fits into memory"
    else:
        title = f"{name}: no run was measured"
    lines += [*map(_misfit, misfits(device)), *_wild(device), *_failures(device)]
    return DeviceHeadline(device.name, title, tuple(lines))


def _gains(device, found):
    """What the recommended setting takes less than float32, in time and in USD."""
    if found.policy == "float32" or found.best_float32 is None:
        return
    size, best_size = found.batch_size, found.best_float32.batch_size
    best = "fastest" if device.usd_per_hour is None else "cheapest"
    if found.against_same_batch:
        than = "time than float32 at the same batch size"
        yield _gain(found.against_same_batch, found.saved_at_same_batch, than)
    else:
        tried = device.cells.get(("float32", size))
        lacks = "does not fit" if tried and not tried.fits else "was not measured"
        yield f"float32 {lacks} at batch size {size}"
    if best_size == size:
        yield f"that is the {best} float32 setting, too"
    elif found.against_best_float32:
        than = f"time per image than the {best} float32 setting, batch size {best_size}"
        yield _gain(found.against_best_float32, found.saved_against_best_float32, than)


def _gain(change, saving, than):
    interval = change.interval()
    spread = f"95 % interval {interval}" if interval else "measured once: the spread is unknown"
    line = f"{change.amount()} {than} ({spread})"
    if saving is None:
        return line
    ends = [usd_digits(end) for end in (saving.low, saving.high) if end is not None]
    within = f" ({' to '.join(ends)})" if ends else ""
    return f"{line}, {usd_digits(saving.usd)} USD less per million images{within}"


def _price(device, found):
    price = found.usd_per_million_images
    if price:
        yield f"{usd_digits(price.mean)} USD per million images, at {device.usd_per_hour:g} USD/h"
        return
    reasons = (result.price_reason for result in device.results)
    why = next(filter(None, reasons), "no price is known: give one with --usd_per_hour")
    yield f"no USD figures: {why}"


def _policies(device):
    """From where on each reduced policy pays, or what is missing to tell."""
    reduced = [policy for policy in device.policies if policy != "float32"]
    if not device.curve("float32"):
        yield "float32 has no measurement: there is nothing to compare with"
        return
    if not reduced:
        yield "float32 alone was measured: measure another policy, too, to see what it saves"
    in_turn = True
    for policy in reduced:
        if device.curve(policy):
            found = break_even(device, policy)
            yield paying_line(policy, found)
            in_turn &= found is None or all(change.one_sitting for _, change in found.changes)
    if not in_turn:
        yield (
            "policies were not measured in turn in one sweep: part of the difference may be the "
            "machine's"
        )


def _misfit(misfit):
    too_large = f"batch size {misfit.smallest_not_fitting} does not fit into memory"
    if misfit.largest_fitting is None:
        return f"{too_large} in {misfit.policy}, and no smaller one was measured"
    return f"{too_large} in {misfit.policy}, {misfit.largest_fitting} does"


def _wild(device):
    """The cell whose repeats differ most, if so much that the machine can't have been quiet."""
    spreads = [(cell, cell.figure("step_ms")) for cell in device.cells.values()]
    excess = [(100 * (step.high / step.low - 1), cell) for cell, step in spreads if step]
    percent, cell = max(excess, key=lambda pair: pair[0], default=(0, None))
    if percent > WILD_PERCENT:
        yield (
            f"repeats differ by up to {percent_text(percent)} ({cell.policy} at batch size "
            f"{cell.batch_size}): measure more of them on a quiet machine"
        )


def _failures(device):
    failed = [
        result
        for result in device.results
        if result.status == "failed" and result.failure != OUT_OF_MEMORY
    ]
    if failed:
        runs = f"{len(failed)} of {len(device.results)} runs"
        yield f"{runs} failed and do not count: {_short(failed[0].message or 'no reason noted')}"


def _short(message):
    text = " ".join(message.split())
    return text if len(text) <= MESSAGE_LENGTH else f"{text[:MESSAGE_LENGTH]}…"
