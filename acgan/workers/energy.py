"""Energy of the GPUs of all machines that train together."""

import math

from callbacks.nvml import Reading


class AllGpus:
    """This machine's GPUs for `callbacks.cost.Cost`, with the others' energy added.

    Arguments:
        gpus: a `callbacks.nvml.Gpus`.
        together: an `acgan.ending_together.EndTogether`, which hears of the others.
    """

    def __init__(self, gpus, together):
        self._gpus = gpus
        self._together = together

    def open(self):
        self._gpus.open()

    def close(self):
        self._gpus.close()

    def energy_joules(self):
        """`Reading` of the energy taken, of which only differences mean something."""
        own, others = self._gpus.energy_joules(), self._together.joules_of_others
        if own.value is None:
            return own
        if math.isnan(others):
            return Reading(None, "energy: the GPUs of another machine do not report it")
        return Reading(own.value + others)


class OwnEnergy:
    """Joules that this machine's GPUs have taken, for the chief to hear; a context manager.

    Arguments:
        gpus: a `callbacks.nvml.Gpus`.
    """

    def __init__(self, gpus):
        self._gpus = gpus
        self._first = None

    def __enter__(self):
        self._gpus.open()
        return self

    def __exit__(self, *_):
        self._gpus.close()

    def begin(self):
        """Counts from the next reading on."""
        self._first = None

    def joules(self):
        """A float, 0 at the first reading; None if not known."""
        now = self._gpus.energy_joules().value
        if self._first is None:
            self._first = now
        return None if now is None else now - self._first
