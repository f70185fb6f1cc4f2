"""What quality the runs reached, in what time and for what price."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from acgan.reporting.grouping import Device, Spread, spread
from acgan.results import Result
from callbacks.cost_arithmetic import usd_spent

# Flags that change what a run learns but not what a step takes: runs that differ in one are
# repeats for the clock, not for the judge.
LEARNING = ("learning_rate", "generator_learning_rate", "beta_1", "loss_scale", "images_per_class")


@dataclass(frozen=True)
class Judged:
    """One policy after a set time of training.

    Attributes:
        policy: its name.
        result: the first repeat.
        picture: the last picture of samples that it drew (a PNG); None if there is none.
        class_accuracy, fid: of the last generator, over the repeats.
    """

    policy: str
    result: Result
    picture: Path | None
    class_accuracy: Spread | None
    fid: Spread | None


@dataclass(frozen=True)
class EqualTime:
    """Policies after the same `minutes` of training at the same batch size; float32 first.

    `differs` is as in `FidCurve`.
    """

    device: Device
    batch_size: int
    minutes: float
    differs: dict
    policies: tuple[Judged, ...]


@dataclass(frozen=True)
class FidCurve:
    """FID over time of one setting.

    Attributes:
        device, policy, batch_size: the setting.
        differs: the values, as texts, of those flags in `LEARNING` in which the group's runs that
            were judged are not all alike; mostly empty.
        runs: for each repeat a tuple of judgements (seconds of training, USD, FID); USD is None
            where no price is known.
    """

    device: Device
    policy: str
    batch_size: int
    differs: dict
    runs: tuple


@dataclass(frozen=True)
class FidPrice:
    """What it took to reach an FID of at most `target` for the first time.

    Attributes:
        device, policy, batch_size, differs: the setting, as in `FidCurve`.
        target: the FID.
        seconds: of training, over the repeats that reached it; None if none did.
        usd: their price; None if none did or no price is known.
        reached, repeats: how many did, and of how many that were judged.
    """

    device: Device
    policy: str
    batch_size: int
    differs: dict
    target: float
    seconds: Spread | None
    usd: Spread | None
    reached: int
    repeats: int


def equal_time_sets(group):
    """Policies that were given the same time of training, and judged, side by side.

    Arguments:
        group: an `acgan.reporting.grouping.Group`.

    Returns:
        A list of `EqualTime`, one for each device, batch size, number of minutes (`--minutes`) and
        set of `LEARNING` flags with at least two policies; runs that failed or that were
        interrupted, and so had less time, are not in it.
    """
    varying = _varying(group)
    sets = defaultdict(lambda: defaultdict(list))
    for index, device in enumerate(group.devices):
        for cell in device.cells.values():
            for result in cell.counted:
                minutes = result.config.get("minutes")
                if result.status != "completed" or result.last_fid is None:
                    continue
                if not isinstance(minutes, int | float):
                    continue
                key = (index, cell.batch_size, minutes, _learning(result, varying))
                sets[key][cell.policy].append(result)
    return [
        EqualTime(
            group.devices[index],
            batch_size,
            minutes,
            dict(learning),
            tuple(
                _judged(p, by_policy[p]) for p in group.devices[index].policies if p in by_policy
            ),
        )
        for (index, batch_size, minutes, learning), by_policy in sets.items()
        if len(by_policy) > 1
    ]


def fid_curves(group):
    """FID over training time and its price, for each setting that was judged.

    Arguments:
        group: an `acgan.reporting.grouping.Group`.

    Returns:
        A list of `FidCurve`, in the order of devices, batch sizes and policies.
    """
    varying = _varying(group)
    curves = []
    for device in group.devices:
        for cell in device.cells.values():
            by_learning = defaultdict(list)
            for result in cell.counted:
                if result.history:
                    by_learning[_learning(result, varying)].append(result)
            curves += [
                FidCurve(
                    device, cell.policy, cell.batch_size, dict(learning), tuple(map(_priced, runs))
                )
                for learning, runs in by_learning.items()
            ]
    return curves


def price_of_fid(group, target=None):
    """What it takes to reach an FID, for each setting that was judged.

    The time is that of the first judgement that finds it, so it is known to the interval of
    judgements (`--evaluate_every`).

    Arguments:
        group: an `acgan.reporting.grouping.Group`.
        target: the FID; None takes for each device the lowest that each of its settings reached in
            at least one repeat, so that all of them have a price.

    Returns:
        A list of `FidPrice`, in the order of `fid_curves`.
    """
    curves = fid_curves(group)
    best = defaultdict(list)
    for curve in curves:
        fids = [fid for judgements in curve.runs for _, _, fid in judgements]
        best[id(curve.device)].append(min(fids))
    return [
        _price(curve, max(best[id(curve.device)]) if target is None else target) for curve in curves
    ]


def _price(curve, target):
    first = [
        next(((seconds, usd) for seconds, usd, fid in judgements if fid <= target), None)
        for judgements in curve.runs
    ]
    reached = [pair for pair in first if pair]
    return FidPrice(
        curve.device,
        curve.policy,
        curve.batch_size,
        curve.differs,
        target,
        spread(seconds for seconds, _ in reached),
        spread(usd for _, usd in reached),
        len(reached),
        len(curve.runs),
    )


def _priced(result):
    return tuple(
        (seconds, usd_spent(result.usd_per_hour, seconds), fid)
        for _, seconds, fid in result.history
    )


def _judged(policy, results):
    first = results[0]
    pictures = first.folder.glob("samples/step-*.png")
    return Judged(
        policy,
        first,
        max(pictures, key=lambda path: (len(path.name), path.name), default=None),
        spread(result.last_class_accuracy for result in results),
        spread(result.last_fid for result in results),
    )


def _varying(group):
    """Those of `LEARNING` that are not the same in all runs of the group that were judged."""
    judged = [r for device in group.devices for r in device.results if r.history]
    return [name for name in LEARNING if len({str(r.config.get(name)) for r in judged}) > 1]


def _learning(result, varying):
    return tuple((name, str(result.config.get(name))) for name in varying)
