"""Which runs may stand in one curve: groups of the same setting, their devices, their cells."""

import statistics
from collections import defaultdict
from dataclasses import dataclass

from acgan.results import Result

# What may not differ within a curve, beside device, policy and batch size: names of `Result`.
SETTING = (
    "network",
    "width",
    "latent_dim",
    "dataset",
    "class_names",
    "image_shape",
    "jit_compile",
    "deterministic",
    "tensor_float_32",
    "tensorflow",
)


@dataclass(frozen=True)
class Spread:
    """A figure over repeats: `mean`, `low` and `high` (the extremes), `count`."""

    mean: float
    low: float
    high: float
    count: int


def spread(values):
    """The `Spread` of some values, None of none; those that are None do not count."""
    measured = [value for value in values if value is not None]
    if not measured:
        return None
    return Spread(statistics.fmean(measured), min(measured), max(measured), len(measured))


@dataclass(frozen=True)
class Cell:
    """One policy at one batch size on one device: its repeats, the earliest first."""

    policy: str
    batch_size: int
    results: tuple[Result, ...]

    @property
    def counted(self):
        """The repeats that have ended and did not fail.

        What made a run fail may have changed its times: with losses that are not finite,
        mixed_float16 skips the updates. An interrupted run was measured like any other.
        """
        return tuple(r for r in self.results if r.status in ("completed", "interrupted"))

    def figure(self, name):
        """The `Spread` of a figure of `Result` over the repeats that count, such as "step_ms".

        None if it was not measured.
        """
        return spread(getattr(result, name) for result in self.counted)

    @property
    def fits(self):
        return all(result.fits for result in self.results)


@dataclass(frozen=True)
class Device:
    """One kind of machine at one price; `cells` by (policy, batch size), small batches first."""

    name: str
    usd_per_hour: float | None
    cells: dict

    @property
    def policies(self):
        """Policies that were tried here, float32 first."""
        return sorted({policy for policy, _ in self.cells}, key=lambda p: (p != "float32", p))

    def curve(self, policy):
        """The policy's cells with a step time, small batches first."""
        cells = [cell for (p, _), cell in self.cells.items() if p == policy]
        return [cell for cell in cells if cell.figure("step_ms")]

    @property
    def results(self):
        return [result for cell in self.cells.values() for result in cell.results]


@dataclass(frozen=True)
class Group:
    """Runs that can be compared: `setting` by name (see `SETTING`), and their devices."""

    setting: dict
    devices: tuple[Device, ...]


def group(results):
    """Sorts runs into `Group`s, the one with the most runs first."""
    by_setting = defaultdict(list)
    for result in results:
        by_setting[tuple(getattr(result, name) for name in SETTING)].append(result)
    groups = sorted(by_setting.items(), key=lambda item: -len(item[1]))
    return [Group(dict(zip(SETTING, key, strict=True)), _devices(runs)) for key, runs in groups]


def differences(groups):
    """Names of `SETTING` in which the groups are not all alike."""
    return [name for name in SETTING if len({str(g.setting[name]) for g in groups}) > 1]


def _devices(runs):
    prices = {}
    for run in runs:
        if run.usd_per_hour is not None:
            prices[run.device, run.sweep] = run.usd_per_hour
            prices.setdefault(run.device, run.usd_per_hour)
    by_device = defaultdict(list)
    for run in runs:
        usd_per_hour = run.usd_per_hour
        if usd_per_hour is None and run.step_ms is None:
            # It ended before its price was noted, as runs that do not fit: its neighbours' holds.
            usd_per_hour = prices.get((run.device, run.sweep), prices.get(run.device))
        by_device[run.device, usd_per_hour].append(run)
    ordered = sorted(by_device.items(), key=lambda item: (item[0][0], item[0][1] or 0.0))
    return tuple(Device(name, usd, _cells(members)) for (name, usd), members in ordered)


def _cells(runs):
    by_cell = defaultdict(list)
    for run in sorted(
        runs, key=lambda run: (run.started is None, run.started or "", str(run.folder))
    ):
        by_cell[run.policy, run.batch_size].append(run)
    ordered = sorted(by_cell, key=lambda key: (key[1], key[0]))
    return {key: Cell(*key, tuple(by_cell[key])) for key in ordered}
