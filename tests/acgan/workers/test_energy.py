from types import SimpleNamespace

import pytest

from acgan.workers.energy import AllGpus, OwnEnergy
from callbacks.nvml import Reading


class Counters:
    """GPUs whose counter shows the next of some numbers at every reading; None can't be read."""

    def __init__(self, *joules):
        self.joules = iter(joules)
        self.is_open = False

    def open(self):
        self.is_open = True
        return self

    def close(self):
        self.is_open = False

    def energy_joules(self):
        joules = next(self.joules)
        return Reading(joules, None if joules is not None else "no counter")


def test_the_energy_of_all_machines_adds_up():
    gpus, together = Counters(100.0, 130.0), SimpleNamespace(joules_of_others=0.0)
    both = AllGpus(gpus, together)
    both.open()
    assert gpus.is_open
    assert both.energy_joules() == Reading(100.0)
    together.joules_of_others = 20.0
    assert both.energy_joules() == Reading(130.0 + 20.0)
    both.close()
    assert not gpus.is_open


@pytest.mark.parametrize(
    ("own", "others", "reason"),
    [(None, 5.0, "no counter"), (1.0, float("nan"), "energy: the GPUs of another machine")],
)
def test_a_part_of_it_is_no_energy(own, others, reason):
    found = AllGpus(Counters(own), SimpleNamespace(joules_of_others=others)).energy_joules()
    assert found.value is None
    assert found.reason.startswith(reason)


def test_own_energy_counts_from_the_first_reading():
    with OwnEnergy(Counters(1000.0, 1250.0, 1300.0, 1310.0)) as energy:
        assert [energy.joules(), energy.joules()] == [0.0, 250.0]
        energy.begin()
        assert [energy.joules(), energy.joules()] == [0.0, 10.0]


def test_own_energy_may_be_unknown():
    with OwnEnergy(Counters(None, 5.0, None)) as energy:
        assert [energy.joules(), energy.joules(), energy.joules()] == [None, 0.0, None]
