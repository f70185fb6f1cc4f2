import subprocess
import sys
import time

import keras
import numpy as np
import pytest

from acgan.clock import PARTS, Booked, PartClock, Phases


class ScriptedClock:
    """Shows the time that the test sets."""

    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def now():
    return ScriptedClock(100.0)


def test_every_second_belongs_to_one_part(now):
    clock = PartClock(started=90.0, clock=now)
    now.now = 103.0
    clock.switch("compile")
    now.now = 110.0
    clock.switch("train")
    now.now = 130.0
    assert clock.seconds() == {
        "total": 130 - 90,
        **dict.fromkeys(PARTS, 0),
        "startup": 103 - 90,
        "compile": 110 - 103,
        "train": 130 - 110,
        "unaccounted": 0,
    }


def test_a_part_inside_another_stops_the_outer_one(now):
    clock = PartClock(("train", "evaluate", "sampling"), first="train", clock=now)
    now.now = 104.0
    with clock.part("evaluate"):
        now.now = 107.0
        with clock.part("sampling"):
            now.now = 112.0
            assert clock.spent("evaluate") == 107 - 104
        now.now = 118.0
    now.now = 119.0
    assert clock.seconds() == {
        "total": 119 - 100,
        "train": (104 - 100) + (119 - 118),
        "evaluate": (107 - 104) + (118 - 112),
        "sampling": 112 - 107,
        "unaccounted": 0,
    }


def test_a_part_that_fails_is_booked_and_the_outer_one_goes_on(now):
    clock = PartClock(("train", "evaluate"), first="train", clock=now)
    with pytest.raises(RuntimeError), clock.part("evaluate"):
        now.now = 106.0
        raise RuntimeError
    now.now = 108.0
    assert (clock.spent("evaluate"), clock.spent("train")) == (106 - 100, 108 - 106)


def test_time_of_no_part_is_unaccounted(now):
    clock = PartClock(("train",), first="train", clock=now)
    now.now = 103.0
    assert clock.switch(None) == "train"
    now.now = 110.0
    assert clock.switch("train") is None
    now.now = 111.0
    assert clock.seconds() == {
        "total": 111 - 100,
        "train": (103 - 100) + (111 - 110),
        "unaccounted": 110 - 103,
    }


class Recorder(keras.callbacks.Callback):
    """Notes which hooks were called with what; each takes a second where a clock is given."""

    HOOKS = tuple(name for name in dir(keras.callbacks.Callback) if name.startswith("on_"))

    def __init__(self, clock=None):
        super().__init__()
        self.calls = []
        for name in self.HOOKS:
            setattr(self, name, self._noting(name, clock))

    def _noting(self, name, clock):
        def note(*args, logs=None):
            self.calls.append((name, *args[:1]))
            if clock:
                clock.now += 1

        return note


def test_booked_passes_everything_on_and_books_its_time(now):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    clock = PartClock(("train", "sampling"), first="train", clock=now)
    plain, inner = Recorder(), Recorder(now)
    both = [plain, Booked(inner, clock, "sampling")]
    model.fit(x, y, batch_size=2, validation_data=(x, y), verbose=0, callbacks=both)
    assert inner.params == plain.params == {"verbose": 0, "epochs": 1, "steps": 2}
    model.predict(x, verbose=0, callbacks=both)

    def what(calls):  # logs and epoch numbers may come by place or by name
        return [name for name, *_ in calls]

    assert what(inner.calls) == what(plain.calls)
    # `on_batch_begin` and `on_batch_end` are called by the training hooks that stand here instead.
    assert set(what(inner.calls)) == set(Recorder.HOOKS) - {"on_batch_begin", "on_batch_end"}
    assert inner.model is model
    assert clock.spent("sampling") == len(inner.calls)
    assert clock.spent("train") == 0


def test_the_first_execution_is_compilation_and_the_others_training(now):
    clock = PartClock(clock=now)
    phases = Phases(clock)

    def at(seconds, hook, *arguments):
        now.now = seconds
        hook(*arguments)

    at(105.0, phases.on_train_begin)
    at(106.0, phases.on_train_batch_begin, 0)
    at(112.0, phases.on_train_batch_end, 0)
    at(113.0, phases.on_train_batch_begin, 1)  # a second between two executions
    at(120.0, phases.on_train_batch_end, 1)
    at(122.0, phases.on_train_batch_begin, 2)
    now.now = 125.0
    seconds = clock.seconds()
    assert {part: seconds[part] for part in ("startup", "compile", "train", "unaccounted")} == {
        "startup": 105 - 100,
        "compile": 112 - 105,
        "train": (120 - 113) + (125 - 122),
        "unaccounted": (113 - 112) + (122 - 120),
    }


def test_a_process_knows_when_it_began(root):
    # Without Keras, whose import takes seconds: the clock itself needs none.
    program = (
        "import sys, types\n"
        "callbacks = types.SimpleNamespace(Callback=object)\n"
        "sys.modules['keras'] = types.SimpleNamespace(callbacks=callbacks)\n"
        "from acgan.clock import process_started\n"
        "print(process_started())\n"
    )
    before = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=root, check=True
    )
    tick = 0.02  # /proc counts hundredths of a second
    assert before - tick <= float(done.stdout) < time.monotonic()
