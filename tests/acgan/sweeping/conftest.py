"""Plans by the flags' own defaults, and records as the runs of a sweep leave them."""

import pytest

from acgan.result_reading import read_result
from acgan.sweeping.plan import Plan, make_plan

DOES_NOT_FIT = {
    "status": "failed",
    "failure": "out_of_memory",
    "message": "--batch_size does not fit into the device's memory",
    "step_ms": None,
}


@pytest.fixture
def make_values():
    """Values by name of `acgan.sweep`'s flags but --out: their own defaults, and what is given."""
    from absl import flags as absl_flags

    from acgan import command, sweep

    registry = absl_flags.FLAGS
    defaults = {name: registry[name].default for name in command.import_flags(sweep.FLAGS)}
    del defaults["out"]

    def make(**changes):
        assert set(changes) <= set(defaults)
        return {**defaults, **changes}

    return make


@pytest.fixture
def plan_of(make_values):
    """The `Plan` that the flags' own defaults and what is given ask for; sizes may be numbers."""

    def make(**changes):
        values = make_values(**changes)
        return make_plan({**values, "batch_sizes": [str(size) for size in values["batch_sizes"]]})

    return make


@pytest.fixture
def write_record(write_run):
    """Writes the run.json of a run of a sweep and returns the run's folder.

    `write_record(sweep, batch_size=8, policy="float32", repeat=1, fits=True, **changes)`: `sweep`
    is the sweep's folder; with `fits=False` the run did not fit. `seconds` and `train_seconds` are
    those of the whole run and of its training; everything else goes to `write_run`.
    """

    def write(sweep, batch_size=8, policy="float32", repeat=1, fits=True, **changes):
        for name, path in (("seconds", "seconds.total"), ("train_seconds", "seconds.train")):
            if name in changes:
                changes[path] = changes.pop(name)
        changes = {**({} if fits else DOES_NOT_FIT), **changes}
        folder = sweep / "runs" / Plan.run_name(batch_size, policy, repeat)
        return write_run(folder, batch_size=batch_size, policy=policy, **changes)

    return write


@pytest.fixture
def make_run(write_record, tmp_path):
    """The `Result` of a run of the sweep in `tmp_path`; arguments as of `write_record`."""

    def make(*arguments, **changes):
        return read_result(write_record(tmp_path, *arguments, **changes) / "run.json", tmp_path)

    return make
