from pathlib import Path
from types import SimpleNamespace

import keras
import pytest
import tensorflow as tf

from acgan.benchmarks import loops, overhead, truth
from acgan.clock import Booked, Phases
from acgan.model import ACGAN
from acgan.run_callbacks import LOSS_TAGS
from callbacks.tensor_cores.callback import TensorCores


@pytest.fixture
def scripted(monkeypatch):
    """A bare step takes `bare_seconds`, one in `fit` a fifth longer."""
    script = SimpleNamespace(bare_seconds=0.01, fits=[])

    def timed_fit(model, data, log_dir, steps):
        assert Path(log_dir).is_dir()
        script.fits.append((model, data, log_dir, steps))
        return lambda: 1.2 * script.bare_seconds

    monkeypatch.setattr(overhead, "timed_fit", timed_fit)
    monkeypatch.setattr(loops, "MEASURE_SECONDS", 0.4)
    monkeypatch.setattr(
        loops, "loop", lambda *asked: {(ACGAN, "dcgan"): lambda: script.bare_seconds}[asked]
    )
    monkeypatch.setattr(loops, "model", lambda *asked: {(ACGAN, "dcgan"): "the model"}[asked])
    monkeypatch.setattr(loops, "training_data", lambda: "the data")
    monkeypatch.setattr(truth, "DELAY_MS", 20.0)
    monkeypatch.setattr(truth, "added_ms", {1: 20.044, 4: 19.5}.__getitem__)
    return script


def test_the_row_is_fit_over_the_bare_loop(scripted):
    (row,) = overhead.rows(3)
    assert (row.row, row.name, row.unit) == (1, "fit / bare loop, dcgan", "ratio")
    assert (row.ratio, row.low, row.high) == pytest.approx((1.2, 1.2, 1.2))
    assert row.arithmetic is None
    assert row.note == "StepTime reads 20 ms as 20.04, as 19.50 at 4 steps an execution"


@pytest.mark.parametrize(("bare_seconds", "steps"), [(0.01, 40), (1.0, overhead.FEWEST_STEPS)])
def test_fit_takes_as_many_steps_as_fill_a_measurement(scripted, bare_seconds, steps):
    scripted.bare_seconds = bare_seconds
    overhead.rows(3)
    ((model, data, log_dir, taken),) = scripted.fits
    assert (model, data, taken) == ("the model", "the data", steps)
    assert not Path(log_dir).exists()  # once all is measured


class ScriptedModel:
    """A `fit` whose steps take 0.2 s, the first one of each call 5 s more."""

    dtype_policy = keras.DTypePolicy("float32")

    def __init__(self):
        self.now, self.fits = 100.0, []

    def fit(self, data, steps_per_epoch, callbacks, **options):
        self.fits.append((steps_per_epoch, callbacks, {"data": data, **options}))
        self.now += 5.0
        for step in range(steps_per_epoch):
            self.now += 0.2
            callbacks[-1].on_train_batch_end(step)


@pytest.fixture
def model(monkeypatch):
    model = ScriptedModel()
    monkeypatch.setattr(overhead.time, "perf_counter", lambda: model.now)
    monkeypatch.setattr(loops, "on_gpu", lambda: False)
    return model


def test_the_work_that_fit_begins_with_is_not_counted(model, tmp_path):
    measure = overhead.timed_fit(model, "the data", tmp_path, 7)
    assert measure() == pytest.approx(0.2)
    model.now += 1000  # whatever happens between two measurements
    assert measure() == pytest.approx(0.2)
    # The one that warms it up, then two, each with a first step that isn't counted.
    assert [steps for steps, _, _ in model.fits] == [7 + 1] * 3


def test_on_a_gpu_the_profile_is_over_before_the_first_measurement(model, tmp_path, monkeypatch):
    monkeypatch.setattr(loops, "on_gpu", lambda: True)
    overhead.timed_fit(model, "the data", tmp_path, 7)()
    assert [steps for steps, _, _ in model.fits] == [overhead.PROFILE_OVER + 1, 7 + 1]
    _, callbacks, _ = model.fits[0]
    (profile,) = [each.callback for each in callbacks if isinstance(each, Booked)]
    assert isinstance(profile, TensorCores)
    assert profile.start + profile.steps < overhead.PROFILE_OVER + 1


def test_fit_runs_with_the_measuring_callbacks(model, tmp_path):
    overhead.timed_fit(model, "the data", tmp_path, 7)
    ((_, callbacks, options),) = model.fits
    assert isinstance(callbacks[0], Phases)  # so that the others' work is outside of a step
    kinds = {type(getattr(each, "callback", each)).__name__ for each in callbacks}
    assert kinds > {"StepTime", "TensorCores", "Cost", "LossScale", "Losses", "ProgressBar"}
    assert options == {"data": "the data", "verbose": 0, "shuffle": False}


class Counting(keras.Model):
    """Counts its training steps and learns nothing."""

    def __init__(self):
        super().__init__()
        self.ran = tf.Variable(0)
        self.built = True

    def train_step(self, data):
        self.ran.assign_add(1)
        return dict.fromkeys(LOSS_TAGS, tf.zeros(()))


def test_a_real_fit_runs_every_step(tmp_path, monkeypatch):
    model = Counting()
    model.compile(jit_compile=False)
    data = tf.data.Dataset.from_tensors(tf.zeros((1, 1))).repeat()
    monkeypatch.setattr(loops, "on_gpu", lambda: False)
    measure = overhead.timed_fit(model, data, tmp_path, 11)
    assert int(model.ran) == 11 + 1
    measure()
    assert int(model.ran) == 2 * (11 + 1)
