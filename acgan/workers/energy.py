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
    """Joules that this machine's GPUs have taken since `open`, for the chief to hear.

    Arguments:
        gpus: a `callbacks.nvml.Gpus`.
    """

    def __init__(self, gpus):
        self._gpus = gpus
        self._first = None

    def __enter__(self):
        self._first = self._gpus.open().energy_joules().value
        return self

    def __exit__(self, *_):
        self._gpus.close()

    def joules(self):
        """A float, None if not known."""
        now = self._gpus.energy_joules().value
        return None if now is None or self._first is None else now - self._first
