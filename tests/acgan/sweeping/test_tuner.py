import json
import signal

import keras_tuner
import pytest
from keras_tuner.engine.trial import TrialStatus

from acgan.errors import UserError
from acgan.results import NOT_RUN
from acgan.runs import OUT_OF_MEMORY
from acgan.sweeping.folder import SweepFolder
from acgan.sweeping.machines import Part
from acgan.sweeping.plan import Plan
from acgan.sweeping.process import Ending
from acgan.sweeping.tuner import SweepTuner

OUT_OF_MEMORY_LINE = "--batch_size=64 does not fit into the device's memory"
DONE = Ending(0, "done")
ALONE = Part("tuner0", None)


class Progress:
    """Keeps the lines of a `SweepProgress`."""

    def __init__(self):
        self.lines = []

    def begin(self, *_):
        pass

    def end(self, name, outcome, done, total, seconds_left):
        self.lines.append(f"{done}/{total} {name}: {outcome}")


class Machine:
    """Does the runs of a sweep without training.

    Arguments:
        write_run: the fixture.
        holds: policy -> images that fit; others fit always.
    """

    def __init__(self, write_run, holds=None):
        self.write_run = write_run
        self.holds = holds or {}
        self.runs = []  # (batch size, policy), in order
        self.endings = {}  # number of the run -> what happens to it: an `Ending` or an exception

    def train(self, flags, log):
        batch, policy = flags["batch_size"], flags["policy"]
        self.runs.append((batch, policy))
        ending = self.endings.get(len(self.runs), DONE)
        changes = {"batch_size": batch, "policy": policy, "config.steps": flags["steps"]}
        if ending is not DONE:
            self.write_run(flags["run_dir"], status="running", step_ms=None, **changes)
            if isinstance(ending, BaseException):
                raise ending
        elif batch > self.holds.get(policy, batch):
            failed = {"status": "failed", "failure": OUT_OF_MEMORY, "step_ms": None}
            self.write_run(flags["run_dir"], **failed, **changes)
            return Ending(1, OUT_OF_MEMORY_LINE)
        else:
            step_ms = batch * (2.0 if policy == "float32" else 1.0)
            self.write_run(flags["run_dir"], step_ms=step_ms, **changes)
        return ending


@pytest.fixture
def machine(write_run):
    return Machine(write_run)


@pytest.fixture
def progress():
    return Progress()


@pytest.fixture
def make_tuner(tmp_path, machine, progress):
    def make(device="Tesla T4", limit=1000, part=ALONE, **changes):
        plan = Plan(
            **{
                "policies": ("float32", "mixed_float16"),
                "batch_sizes": (8, 64),
                "repeats": 2,
                "objective": "images_per_second",
                "find_max_batch": False,
                "common": {"steps": 60, "evaluate": False},
                **changes,
            }
        )
        return SweepTuner(plan, SweepFolder(tmp_path), limit, part, device, machine.train, progress)

    return make


def rows(tuner):
    """{(batch size, policy): statuses} of results.csv."""
    import csv

    found = {}
    with open(tuner.folder.results, newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault((int(row["batch_size"]), row["policy"]), []).append(row["status"])
    return found


def test_policies_take_turns_within_a_batch_size(make_tuner, machine, progress):
    tuner = make_tuner()
    tuner.search()
    turn = ["float32", "mixed_float16"]
    assert machine.runs == [(8, p) for p in turn * 2] + [(64, p) for p in turn * 2]
    assert rows(tuner) == {(b, p): ["completed"] * 2 for b in (8, 64) for p in turn}
    assert progress.lines[0] == "1/8 batch 8 float32 (1 of 2): 16.0 ms a step, 500 images/s"
    assert progress.lines[-1].startswith("8/8 batch 64 mixed_float16 (2 of 2): 64.0 ms")
    assert tuner.failed == []


@pytest.mark.parametrize(
    ("objective", "best", "score"),
    [
        ("images_per_second", 8, 1000.0),  # all of them 1000, in mixed_float16; the first counts
        ("step_time_ms", 8, 8.0),
        # 0.526 USD/h, 1 ms an image: 1e6 * 0.001 s / 3600 s
        ("usd_per_million_images", 8, 0.526 * 1000 / 3600),
    ],
)
def test_a_trials_score_is_its_best_policys_mean(make_tuner, objective, best, score):
    tuner = make_tuner(objective=objective)
    tuner.search()
    (trial,) = tuner.oracle.get_best_trials()
    assert trial.hyperparameters.values["batch_size"] == best
    assert trial.score == pytest.approx(score)


def test_what_does_not_fit_is_marked_with_every_larger_size(make_tuner, machine, progress):
    machine.holds = {"float32": 40}
    tuner = make_tuner(batch_sizes=(8, 64, 128))
    tuner.search()
    assert [run for run in machine.runs if run[1] == "float32"] == [
        (8, "float32"),
        (8, "float32"),
        (64, "float32"),
    ]
    found = rows(tuner)
    assert found[64, "float32"] == ["failed", NOT_RUN]
    assert found[128, "float32"] == [NOT_RUN, NOT_RUN]
    assert found[128, "mixed_float16"] == ["completed"] * 2
    # 4 runs at 8, this one, and with it 3 that need not be tried
    assert "8/12 batch 64 float32 (1 of 2): does not fit into memory" in progress.lines
    assert [t.status for t in tuner.oracle.trials.values()] == [TrialStatus.COMPLETED] * 3
    assert tuner.failed == []


def test_a_size_that_fits_nowhere_is_a_failed_trial_and_the_sweep_goes_on(make_tuner, machine):
    machine.holds = {"float32": 4, "mixed_float16": 4}
    tuner = make_tuner()
    tuner.search()
    assert machine.runs == [(8, "float32"), (8, "mixed_float16")]
    assert [t.status for t in tuner.oracle.trials.values()] == [TrialStatus.FAILED] * 2
    assert {row for statuses in rows(tuner).values() for row in statuses} == {"failed", NOT_RUN}


def test_a_process_that_the_kernel_kills_did_not_fit(make_tuner, machine, tmp_path):
    machine.endings[5] = Ending(-signal.SIGKILL, "ended by SIGKILL", True)
    tuner = make_tuner()
    tuner.search()
    record = json.loads((tmp_path / "runs" / "b00064-float32-1" / "run.json").read_text())
    assert (record["status"], record["failure"]) == ("failed", OUT_OF_MEMORY)
    assert "does not fit into memory: ended by SIGKILL" in record["message"]
    assert rows(tuner)[64, "float32"] == ["failed", NOT_RUN]
    assert rows(tuner)[64, "mixed_float16"] == ["completed"] * 2


def test_a_run_that_fails_otherwise_is_noted_and_tried_again_next_time(make_tuner, machine):
    machine.endings[2] = Ending(1, "the losses are no longer finite")
    tuner = make_tuner()
    tuner.search()
    assert tuner.failed == ["b00008-mixed_float16-1"]
    assert len(machine.runs) == 8

    again = make_tuner()
    again.search()
    assert machine.runs[8:] == [(8, "mixed_float16")]
    assert again.failed == []
    assert {row for statuses in rows(again).values() for row in statuses} == {"completed"}
    assert [t.status for t in again.oracle.trials.values()] == [TrialStatus.COMPLETED] * 2
    assert [t.score for t in again.oracle.trials.values()] == [1000.0, 1000.0]


def test_failures_in_a_row_end_the_sweep(make_tuner, machine):
    machine.endings = {n: Ending(1, "no such file: x.npz") for n in range(1, 9)}
    with pytest.raises(keras_tuner.errors.FatalError, match=r"3 runs failed .* x\.npz \(see .*log"):
        make_tuner().search()
    assert len(machine.runs) == 3


@pytest.mark.parametrize("killed_at", range(1, 9))
def test_interrupted_at_any_run_it_goes_on_there(make_tuner, machine, killed_at):
    machine.endings[killed_at] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        make_tuner().search()
    tuner = make_tuner()
    tuner.search()
    assert len(machine.runs) == 8 + 1  # the interrupted one twice
    assert machine.runs[killed_at - 1] == machine.runs[killed_at]
    policies = ("float32", "mixed_float16")
    assert rows(tuner) == {(b, p): ["completed"] * 2 for b in (8, 64) for p in policies}


def test_a_sweep_that_is_done_does_nothing(make_tuner, machine):
    make_tuner().search()
    make_tuner().search()
    assert len(machine.runs) == 8


def test_the_largest_batch_is_searched_with_short_single_runs(make_tuner, machine, tmp_path):
    machine.holds = {"float32": 100}
    tuner = make_tuner(find_max_batch=True, limit=256)
    tuner.search()
    searched = machine.runs[8:]
    # Doubled from 64: 128, in which float32 does not fit; halved: 96 fits, 112 does not.
    assert [size for size, policy in searched if policy == "float32"] == [128, 96, 112, 104]
    assert max(size for size, policy in searched if policy == "mixed_float16") == 256
    record = json.loads((tmp_path / "runs" / "b00096-float32-1" / "run.json").read_text())
    assert record["config"]["steps"] == 20


def test_other_hardware_is_refused(make_tuner):
    make_tuner().search()
    with pytest.raises(UserError, match="this machine has Tesla V100, the sweep is of Tesla T4"):
        make_tuner(device="Tesla V100")


def test_other_flags_are_refused(make_tuner):
    make_tuner()._write()
    make_tuner().search()
    with pytest.raises(UserError, match="other flags"):
        make_tuner(repeats=3)


def test_the_chief_may_be_a_machine_of_another_kind(make_tuner, monkeypatch):
    chief = make_tuner(device="a laptop", part=Part("chief", "127.0.0.1:1"))
    assert "device" not in chief.oracle.get_space().values
