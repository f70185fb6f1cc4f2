import math
from types import SimpleNamespace

import pytest

from acgan.ending_together import EndTogether


class Processes:
    """A distribution of two processes, the other of which says what the test wants.

    `others` gives its (wish, seconds, joules) at each agreement; `agreed_at` notes the steps.
    """

    workers = 2

    def __init__(self, others):
        self.others = iter(others)
        self.agreed_at = []
        self.together = None

    def sums(self, *own):
        self.agreed_at.append(self.together.steps_done)
        return tuple(map(sum, zip(own, next(self.others), strict=True)))


@pytest.fixture
def train():
    """Trains until the processes end; returns the `EndTogether` and the steps of agreements.

    `train(others, ends_at, last_step)`: a step takes `step_seconds`, and another callback of this
    process wants to end at step `ends_at`.
    """

    def run(others, ends_at=None, last_step=None, step_seconds=1.0, joules=float):
        now = [0.0]
        processes = Processes(others)
        together = EndTogether(processes, last_step, joules, clock=lambda: now[0])
        processes.together = together
        together.set_model(SimpleNamespace(stop_training=False))
        together.set_params({})
        together.on_train_begin()
        for batch in range(1000):
            together.on_train_batch_begin(batch)
            now[0] += step_seconds
            together.model.stop_training = together.steps_done + 1 == ends_at
            together.on_train_batch_end(batch)
            if together.model.stop_training:
                return together, processes.agreed_at
        raise AssertionError("never ended")

    return run


def same(wishes, seconds, joules=0.0):
    return [(wish, seconds, joules) for wish in wishes]


def test_a_wish_waits_for_the_next_agreement(train):
    # Agreements after the first step and then every 0.25 * 4 = 1 s; the wish is of step 3.
    together, agreed_at = train(
        [(False, 0.25, 0.0), (False, 1.0, 0.0)], ends_at=3, step_seconds=0.25
    )
    assert agreed_at == [1, 1 + 4]
    assert (together.steps_done, together.ended_by_others) == (5, False)


def test_another_process_may_end_the_training(train):
    together, agreed_at = train(same([False, False, True], 1.0))
    assert agreed_at == [1, 2, 3]
    assert together.ended_by_others


def test_the_pause_follows_from_what_all_took_together(train):
    # This process took 0.1 s for the first step and the other 0.3 s: 0.2 s on average.
    _, agreed_at = train([(False, 0.3, 0.0), (True, 1.0, 0.0)], step_seconds=0.1)
    assert agreed_at == [1, 1 + 5]


@pytest.mark.parametrize(("seconds", "pause"), [(0.0, 100), (1e-6, 100), (30.0, 1)])
def test_the_pause_has_limits(train, seconds, pause):
    _, agreed_at = train([(False, seconds, 0.0), (True, 1.0, 0.0)], step_seconds=seconds)
    assert agreed_at == [1, 1 + pause]


def test_all_agree_at_the_last_step(train):
    together, agreed_at = train(
        [(False, 0.0, 0.0), (True, 0.0, 0.0)], ends_at=50, last_step=50, step_seconds=0.0
    )
    assert agreed_at == [1, 50]
    assert not together.ended_by_others


def test_the_energy_of_the_others_is_heard(train):
    together, _ = train([(True, 1.0, 70.0)], joules=lambda: 30.0)
    assert together.joules_of_others == (30.0 + 70.0) - 30.0


def test_without_own_energy_the_sum_is_unknown(train):
    together, _ = train([(True, 1.0, 70.0)], joules=lambda: None)
    assert math.isnan(together.joules_of_others)


def test_one_process_ends_at_once():
    together = EndTogether(SimpleNamespace(workers=1), None)
    together.set_model(SimpleNamespace(stop_training=True))
    together.set_params({})
    together.on_train_batch_begin(0)
    together.on_train_batch_end(0)
    assert together.model.stop_training
