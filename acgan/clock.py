"""Where a run's time goes: every second belongs to one part."""

import contextlib
import os
import threading
import time
from pathlib import Path

import keras

PARTS = ("startup", "compile", "train", "evaluate", "sampling", "checkpoint", "profile")


class PartClock:
    """Books wall-clock time on parts; a part inside another stops the outer one.

    Arguments:
        parts: names of the parts.
        started: reading of `clock` when the first part began.
        first: the part that began then.
        before: what `seconds` gave in the process that this one continues; None for a new run.
        clock: seconds, monotonic.

    Example:
        clock = PartClock(PARTS, started=process_started(), first="startup")
        clock.switch("train")
        with clock.part("evaluate"):
            judge()
        clock.seconds()  # {"startup": 4.2, ..., "train": 120.0, "evaluate": 1.5, ...}
    """

    def __init__(
        self, parts=PARTS, started=None, first=PARTS[0], before=None, clock=time.monotonic
    ):
        self._clock = clock
        self._lock = threading.Lock()  # a run's record is written by a thread of its own
        self.started = clock() if started is None else started
        before = before or {}
        self._total_before = before.get("total", 0.0)
        self._spent = {part: before.get(part, 0.0) for part in parts}
        self._current, self._since = first, self.started

    def switch(self, part):
        """Ends the current part and begins `part`; None books the time on no part."""
        with self._lock:
            now = self._clock()
            if self._current is not None:
                self._spent[self._current] += now - self._since
            previous, self._current, self._since = self._current, part, now
            return previous

    @contextlib.contextmanager
    def part(self, name):
        """Books the time inside the `with` block on `name`, then goes on with the part before."""
        previous = self.switch(name)
        try:
            yield
        finally:
            self.switch(previous)

    def spent(self, part):
        """Seconds booked on one part so far."""
        return self._snapshot()[1][part]

    def seconds(self):
        """`total`, every part, and what is `unaccounted`, in seconds."""
        total, parts = self._snapshot()
        return {"total": total, **parts, "unaccounted": max(0.0, total - sum(parts.values()))}

    def _snapshot(self):
        """Seconds in all and by part, of one reading of the clock."""
        with self._lock:
            now, parts = self._clock(), dict(self._spent)
            if self._current is not None:
                parts[self._current] += now - self._since
            return self._total_before + now - self.started, parts


class Booked(keras.callbacks.Callback):
    """Runs another callback with its time booked on a part of the clock."""

    def __init__(self, callback, clock, part):
        super().__init__()
        self.callback = callback
        for hook in dir(keras.callbacks.Callback):
            if hook.startswith("on_"):
                setattr(self, hook, _booked(getattr(callback, hook), clock, part))

    def set_model(self, model):
        self.callback.set_model(model)

    def set_params(self, params):
        self.callback.set_params(params)


def _booked(hook, clock, part):
    def run(*args, **kwargs):
        with clock.part(part):
            hook(*args, **kwargs)

    return run


class Phases(keras.callbacks.Callback):
    """Books the first execution of the training step on `compile`, the others on `train`.

    What happens between two executions is booked on no part, unless a callback is `Booked`. Stands
    first among a run's callbacks, so that their work at the end of a step is outside of it.
    """

    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self._compiled = False

    def on_train_begin(self, logs=None):
        self.clock.switch("compile")

    def on_train_batch_begin(self, batch, logs=None):
        self.clock.switch("train" if self._compiled else "compile")

    def on_train_batch_end(self, batch, logs=None):
        self.clock.switch(None)
        self._compiled = True


def process_started():
    """When this process began, as a reading of `time.monotonic()`.

    From /proc where there is one, so that the interpreter's start and the first imports count;
    else now.
    """
    try:
        after_name = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        ticks_since_boot = int(after_name[19])  # field 22 of proc(5), starttime
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks_since_boot / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError, AttributeError):  # not Linux
        return time.monotonic()
    return time.monotonic() - max(0.0, age)
