"""What is said of a reduced policy on a device: from what batch size on it pays, or why not."""

from acgan.reporting.recommendation import takes_less

# A gain of so many percent that the interval does not rule out leaves it open whether one is there.
_OPEN_GAIN_PERCENT = 5.0


def paying_line(policy, found):
    """One plain line on a reduced policy against float32, without a full stop.

    Arguments:
        policy: the reduced policy's name.
        found: its `acgan.reporting.recommendation.BreakEven`, or None.
    """
    if found is None:
        return f"{policy} and float32 were measured at no batch size in common"
    changes = dict(found.changes)
    paying = [size for size, change in changes.items() if takes_less(change)]
    once = " (measured once)" if any(changes[size].pairs == 1 for size in paying) else ""
    if len(changes) == 1 and found.batch_size:
        return (
            f"from what batch size on {policy} pays can't be told from one size "
            f"({found.batch_size}): measure more with --batch_sizes"
        )
    if found.batch_size and found.below is None:
        return f"{policy} pays at every batch size measured, from {found.batch_size} on{once}"
    if found.batch_size:
        open_below = _is_open(changes[found.below])
        begins = "pays at the latest from" if open_below else "begins to pay at"
        return (
            f"{policy} {begins} batch size {found.batch_size}{' on' * open_below}{once}; "
            f"at {found.below} {_effect(changes[found.below])}"
        )
    largest = max(changes)
    if paying:
        but = "; at {}" if _is_open(changes[largest]) else ", but not at {}: there"
        return (
            f"{policy} pays at batch size {', '.join(map(str, paying))}{once}"
            f"{but.format(largest)} {_effect(changes[largest])}"
        )
    if _is_open(changes[largest]):
        return (
            f"whether {policy} pays can't be told: at batch size {largest} "
            f"{_effect(changes[largest])}; measure more repeats on a quiet machine"
        )
    return (
        f"{policy} does not pay: {found.reason}; at batch size {largest} "
        f"{_effect(changes[largest])}"
    )


def _effect(change):
    words = change.words()
    if not words.startswith("no difference"):
        return f"it takes {words}"
    if _is_open(change):
        return f"the repeats differ too much to see a difference ({change.interval()})"
    return f"it makes {words}"


def _is_open(change):
    return change.verdict == "no difference" and change.low < -_OPEN_GAIN_PERCENT
