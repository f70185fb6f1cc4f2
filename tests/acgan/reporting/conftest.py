"""The article's experiment as sweeps of made-up runs."""

from datetime import UTC, datetime, timedelta

import pytest

from acgan.reporting.grouping import group
from acgan.result_reading import read_results

BEGIN = datetime(2026, 11, 1, 12, tzinfo=UTC)
# Milliseconds of a step in float32, and mixed_float16's share of them, by batch size. The T4 at
# 2048 is as published; the rest follows what the article says: at small batches no gain or a
# little slower, at large ones 15 % to 40 % less on the V100, no gain on the P100.
ARTICLE = {
    "T4": {
        32: (16.0, 1.05),
        128: (50.0, 0.94),
        512: (180.0, 0.75),
        1024: (352.0, 0.65),
        2048: (700.0, 410 / 700),
    },
    "V100": {
        32: (8.0, 1.04),
        128: (16.0, 1.0),
        512: (50.0, 0.85),
        1024: (97.0, 0.72),
        2048: (190.0, 0.64),
    },
    "P100": {
        32: (11.0, 1.05),
        128: (30.0, 1.03),
        512: (107.0, 1.01),
        1024: (210.0, 1.01),
        2048: (415.0, 1.01),
    },
}
# Percent of the kernels' time on Tensor Cores in mixed_float16, on the T4 and the V100.
TENSOR_CORES = {32: 12.0, 128: 25.0, 512: 38.0, 1024: 44.0, 2048: 50.0}
# Of three repeats: they differ by about 0.2 %.
SPREAD = {"float32": (0.998, 1.0, 1.002), "mixed_float16": (1.001, 0.999, 1.0)}


@pytest.fixture
def write_sweep(write_run):
    """Writes a sweep's folder: `times` is {policy: {batch size: [step_ms of each repeat]}}.

    A time of None is a run that did not fit. Runs were started in turn (A B A B), a minute apart.
    Further arguments go to `write_run`, as does what `profile(policy, batch size, step_ms)` gives.
    """

    def write(folder, times, device="T4", begin=BEGIN, profile=lambda *_: {}, **changes):
        folder.mkdir(parents=True)
        (folder / "sweep.json").write_text("{}")
        started = begin
        for batch_size in sorted({size for sizes in times.values() for size in sizes}):
            repeats = max(len(sizes.get(batch_size, ())) for sizes in times.values())
            for repeat in range(repeats):
                for policy, sizes in times.items():
                    if repeat >= len(sizes.get(batch_size, ())):
                        continue
                    step_ms = sizes[batch_size][repeat]
                    own = {"step_ms": step_ms, "started": started.isoformat(timespec="seconds")}
                    if step_ms is None:
                        own |= {"status": "failed", "failure": "out_of_memory"}
                        own |= {"message": f"--batch_size={batch_size} does not fit"}
                    more = profile(policy, batch_size, step_ms)
                    name = f"b{batch_size}-{policy}-{repeat + 1}"
                    setting = {"device": device, "policy": policy, "batch_size": batch_size}
                    write_run(folder / "runs" / name, **setting, **(own | more | changes))
                    started += timedelta(minutes=1)
        return folder

    return write


@pytest.fixture
def three_devices(write_sweep, tmp_path):
    """A folder with a sweep for each of the article's three GPUs."""
    for number, (device, sizes) in enumerate(ARTICLE.items()):
        times = {
            policy: {
                size: [
                    step_ms * (1 if policy == "float32" else share) * factor for factor in spread
                ]
                for size, (step_ms, share) in sizes.items()
            }
            for policy, spread in SPREAD.items()
        }
        begin = BEGIN + timedelta(days=number)
        write_sweep(tmp_path / "three" / device, times, device, begin, _profile(device))
    return tmp_path / "three"


@pytest.fixture
def only_device(write_sweep, tmp_path):
    """The one `Device` of a sweep with these times; arguments as of `write_sweep`."""

    def make(times, **changes):
        folder = write_sweep(tmp_path / "sweep", times, **changes)
        (alone,) = group(read_results([folder]).runs)
        (device,) = alone.devices
        return device

    return make


def _profile(device):
    """What the profiles of an article run say: no Tensor Cores in float32 and on the P100."""

    def profile(policy, batch_size, step_ms):
        used = policy == "mixed_float16" and device != "P100"
        shares = {
            "kernel_time_percent": TENSOR_CORES[batch_size] if used else 0.0,
            "eligible_time_percent": 60.0,
            "efficiency_percent": TENSOR_CORES[batch_size] / 0.6 if used else 0.0,
            "unknown_time_percent": 0.0,
            "cast_time_percent": 4.0 if policy == "mixed_float16" else 0.0,
            "kernel_ms_per_step": 0.9 * step_ms,
            "reason": None,
        }
        return {f"tensor_cores.{name}": value for name, value in shares.items()}

    return profile
