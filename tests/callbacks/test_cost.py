import copy
import time

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from callbacks.board import Board
from callbacks.cost import Cost
from callbacks.nvml import Reading
from callbacks.prices import Price

PRICE = Price(3.6, "a table")  # 0.001 USD a second


class World(keras.callbacks.Callback):
    """Time and energy that pass: so much a step, and apart from that in compiling, evaluating."""

    def __init__(self, seconds=0.0, joules=0.0, outside=0.0, compiling=0.0):
        super().__init__()
        self.seconds, self.joules, self.outside = seconds, joules, outside
        self.compiling = compiling
        self.now = 1000.0
        self.counter = 50_000.0  # since the driver was loaded, long before
        self.steps = 0

    def clock(self):
        return self.now

    def on_train_batch_end(self, batch, logs=None):
        self.now += self.seconds
        self.counter += self.joules + (self.compiling if self.steps == 0 else 0)
        self.steps += 1

    def on_test_end(self, logs=None):
        self.now += self.outside
        self.counter += self.outside


class WorldGpus:
    """Stands for `callbacks.nvml.Gpus`; `failing_after` is the step from which it reads nothing."""

    def __init__(self, world, failing_after=None):
        self.world = world
        self.failing_after = failing_after
        self.opened = 0

    def open(self):
        self.opened += 1

    def close(self):
        self.opened -= 1

    def energy_joules(self):
        assert self.opened == 1
        if self.failing_after is not None and self.world.steps >= self.failing_after:
            return Reading(None, "energy: this GPU does not report it")
        return Reading(self.world.counter)


def build(**compile_arguments):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", **compile_arguments)
    return model


def data(batches):
    images = 4 * batches
    return tf.data.Dataset.from_tensor_slices((np.ones((images, 3)), np.ones((images, 1)))).batch(4)


def fit(callbacks, batches=5, model=None, **arguments):
    model = model or build()
    model.fit(data(batches), verbose=0, shuffle=False, callbacks=callbacks, **arguments)


def unmeasured():
    return None


def points(folder, tag):
    events = EventAccumulator(str(folder)).Reload()
    return [(e.step, make_ndarray(e.tensor_proto).item()) for e in events.Tensors(tag)]


def test_the_total_follows_from_wall_clock_since_the_start():
    # The hardware was paid for 40 s before training began; 5 steps take 10 s each.
    world = World(seconds=10.0)
    cost = Cost(PRICE, None, 4, unmeasured, started=1000.0 - 40, clock=world.clock)
    fit([world, cost])
    assert cost.usd_total() == pytest.approx((40 + 5 * 10) * 0.001)
    world.now += 30  # what comes after training is paid for as well
    assert cost.usd_total() == pytest.approx((40 + 5 * 10 + 30) * 0.001)


def test_without_a_start_it_counts_from_the_beginning_of_training():
    world = World(seconds=10.0)
    cost = Cost(PRICE, None, 4, unmeasured, clock=world.clock)
    assert cost.usd_total() is None
    world.now += 500
    model = build()
    fit([world, cost], model=model)
    world.now += 100  # between two fits the hardware is idle and paid for
    fit([world, cost], model=model)
    assert cost.usd_total() == pytest.approx((50 + 100 + 50) * 0.001)


def test_what_was_spent_before_is_added():
    world = World(seconds=10.0)
    cost = Cost(PRICE, None, 4, unmeasured, spent_before_usd=2.5, clock=world.clock)
    fit([world, cost])
    assert cost.usd_total() == pytest.approx(2.5 + 50 * 0.001)


def test_the_record():
    world = World(seconds=10.0)
    cost = Cost(PRICE, None, 50, lambda: 200.0, clock=world.clock)
    fit([world, cost])
    assert cost.record() == {
        "usd_per_hour": 3.6,
        "price_source": "a table",
        "usd_total": pytest.approx(50 * 0.001),
        # 1000 images are 20 steps of 0.2 s, though the wall clock saw 10 s a step.
        "usd_per_1000_images": pytest.approx(20 * 0.2 * 0.001),
        "usd_per_million_batches": pytest.approx(1e6 * 0.2 * 0.001),
    }


def test_the_case_of_the_article():
    cost = Cost(0.92, None, 2048, lambda: 700.0)
    assert cost.record()["usd_per_million_batches"] == pytest.approx(178.9, abs=0.05)
    assert cost.record()["price_source"] == "given: 0.92 USD/h"


def test_without_a_step_time_there_are_no_unit_prices():
    world = World(seconds=10.0)
    cost = Cost(PRICE, None, 4, unmeasured, clock=world.clock)
    fit([world, cost])
    record = cost.record()
    assert record["usd_total"] == pytest.approx(0.05)
    assert record["usd_per_1000_images"] is None
    assert record["usd_per_million_batches"] is None


def test_points(tmp_path):
    world = World(seconds=10.0)
    board = Board(tmp_path)
    cost = Cost(PRICE, board, 50, lambda: 200.0, interval=2, first_step=100, clock=world.clock)
    fit([world, cost])
    board.close()
    assert points(tmp_path, "cost/usd_total") == [
        (102, pytest.approx(2 * 10 * 0.001)),
        (104, pytest.approx(4 * 10 * 0.001)),
        (105, pytest.approx(5 * 10 * 0.001)),  # the end of training
    ]
    assert points(tmp_path, "cost/usd_per_hour")[0] == (102, pytest.approx(3.6))
    assert points(tmp_path, "cost/usd_per_1000_images")[0] == (102, pytest.approx(0.004))
    assert points(tmp_path, "cost/usd_per_million_batches")[0] == (102, pytest.approx(200))
    tags = EventAccumulator(str(tmp_path)).Reload().Tags()["tensors"]
    assert set(tags) == {
        "cost/usd_per_hour",
        "cost/usd_total",
        "cost/usd_per_1000_images",
        "cost/usd_per_million_batches",
    }


def test_without_a_price_there_is_no_number_and_one_line(tmp_path):
    said = []
    board = Board(tmp_path)
    model = build()
    reason = "no price is known for GPU 'K80': give a price with --usd_per_hour"
    cost = Cost(None, board, 4, lambda: 200.0, price_reason=reason, interval=1, report=said.append)
    fit([cost], model=model)
    fit([cost], model=model)
    board.text("a", "b", step=0)
    board.close()
    assert said == [reason]
    assert cost.price_reason == reason
    assert set(cost.record().values()) == {None}
    assert EventAccumulator(str(tmp_path)).Reload().Tags()["tensors"] == ["a"]


def test_the_reason_without_a_reason_given_says_how_to_give_a_price():
    assert "--usd_per_hour" in Cost(None, None, 4, unmeasured).price_reason
    assert Cost(PRICE, None, 4, unmeasured).price_reason is None


def test_training_ends_when_the_money_is_spent():
    # 0.01 USD a step: after three steps 0.025 are spent.
    said = []
    world = World(seconds=10.0)
    cost = Cost(PRICE, None, 4, unmeasured, max_usd=0.025, clock=world.clock, report=said.append)
    fit([world, cost], batches=8, epochs=3)
    assert cost.stopped
    assert cost.steps_done == 3
    assert said == ["max_usd: 0.03 of 0.025 USD are spent, training ends after step 3"]


def test_the_limit_is_for_all_parts_of_a_run():
    world = World(seconds=10.0)
    cost = Cost(
        PRICE,
        None,
        4,
        unmeasured,
        max_usd=1.0,
        spent_before_usd=0.985,
        clock=world.clock,
        report=lambda line: None,
    )
    fit([world, cost], batches=8)
    assert cost.steps_done == 2
    assert cost.stopped


def test_a_limit_that_is_not_reached_ends_nothing():
    world = World(seconds=10.0)
    cost = Cost(PRICE, None, 4, unmeasured, max_usd=0.06, clock=world.clock)
    fit([world, cost])
    assert not cost.stopped
    assert cost.steps_done == 5


@pytest.mark.parametrize("max_usd", [0, -1, float("nan")])
def test_a_limit_that_is_none(max_usd):
    with pytest.raises(ValueError, match=f"max_usd must be positive, not {max_usd}"):
        Cost(PRICE, None, 4, unmeasured, max_usd=max_usd)


def test_a_limit_without_a_price_cannot_be_kept():
    with pytest.raises(ValueError, match=r"max_usd 5 cannot be kept: no price.*--usd_per_hour"):
        Cost(None, None, 4, unmeasured, max_usd=5)


def test_a_price_that_is_not_positive():
    with pytest.raises(ValueError, match="usd_per_hour must be a positive number, not -1"):
        Cost(-1, None, 4, unmeasured)


def test_energy_of_the_steps_after_the_first_execution(tmp_path):
    # Of 5 steps of 36 J the first also compiles, with 3600 J = 1 Wh. The other 4 steps with 4
    # images each took 4 * 36 J = 0.04 Wh.
    world = World(joules=36.0, compiling=3600.0)
    gpus = WorldGpus(world)
    board = Board(tmp_path)
    cost = Cost(None, board, 4, unmeasured, energy=gpus, interval=3, report=lambda line: None)
    fit([world, cost])
    board.close()
    assert cost.energy_reason is None
    assert cost.energy_record() == {
        "wh_total": pytest.approx(1 + 5 * 36 / 3600),
        "wh_per_1000_images": pytest.approx(0.04 * 1000 / (4 * 4)),
    }
    assert gpus.opened == 0
    assert [step for step, _ in points(tmp_path, "energy/wh_per_1000_images")] == [3, 5]


def test_energy_of_evaluation_is_in_the_total_alone():
    # 2 epochs of 5 steps; the evaluation after each takes 7200 J = 2 Wh.
    world = World(joules=36.0, outside=7200.0)
    cost = Cost(PRICE, None, 4, unmeasured, energy=WorldGpus(world), clock=world.clock)
    fit([world, cost], epochs=2, validation_data=data(2))
    assert cost.energy_record() == {
        "wh_total": pytest.approx(10 * 0.01 + 2 * 2),
        "wh_per_1000_images": pytest.approx(0.01 * 1000 / 4),
    }


def test_energy_goes_on_over_two_fits_and_what_was_before():
    world = World(joules=36.0)
    cost = Cost(PRICE, None, 4, unmeasured, energy=WorldGpus(world), wh_before=1.5)
    model = build()
    fit([world, cost], model=model)
    world.counter += 1e6  # not this run's: nothing was open
    fit([world, cost], model=model)
    assert cost.energy_record() == {
        "wh_total": pytest.approx(1.5 + 10 * 0.01),
        "wh_per_1000_images": pytest.approx(0.01 * 1000 / 4),
    }


def test_energy_while_training_goes_on_does_not_count_images_twice():
    world = World(joules=36.0)
    cost = Cost(PRICE, None, 4, unmeasured, energy=WorldGpus(world), interval=2)
    seen = []

    class Reader(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            seen.append(cost.energy_record())

    fit([world, cost, Reader()])
    assert [record["wh_total"] for record in seen] == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05])
    assert seen[0]["wh_per_1000_images"] is None
    assert [record["wh_per_1000_images"] for record in seen[1:]] == pytest.approx([2.5] * 4)


def test_with_several_steps_an_execution():
    # 8 steps as 4 + 4: World counts executions, 144 J each; the first one compiles.
    world = World(seconds=10.0, joules=144.0)
    cost = Cost(PRICE, None, 4, unmeasured, energy=WorldGpus(world), max_usd=9.0, clock=world.clock)
    fit([world, cost], batches=8, model=build(steps_per_execution=4))
    assert cost.steps_done == 8
    assert cost.energy_record()["wh_per_1000_images"] == pytest.approx(0.04 * 1000 / (4 * 4))


@pytest.mark.parametrize("failing_after", [0, 3])
def test_a_counter_that_cannot_be_read_gives_no_energy(failing_after):
    world = World(joules=36.0)
    gpus = WorldGpus(world, failing_after)
    cost = Cost(PRICE, None, 4, unmeasured, energy=gpus)
    fit([world, cost])
    assert cost.energy_record() == {"wh_total": None, "wh_per_1000_images": None}
    assert cost.energy_reason == "energy: this GPU does not report it"
    assert gpus.opened == 0


def test_a_counter_that_stands_still_is_no_measurement():
    cost = Cost(PRICE, None, 4, unmeasured, energy=WorldGpus(World(joules=0.0)))
    fit([cost])
    assert cost.energy_record() == {"wh_total": None, "wh_per_1000_images": None}
    assert cost.energy_reason == "energy: the counter has not moved"


def test_energy_that_was_not_asked_for():
    cost = Cost(PRICE, None, 4, unmeasured)
    fit([cost])
    assert cost.energy_record() == {"wh_total": None, "wh_per_1000_images": None}
    assert cost.energy_reason == "energy: not asked for"


def test_after_an_error_in_training_the_next_fit_opens_anew():
    class Failure(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            raise RuntimeError("failed")

    world = World(joules=36.0)
    gpus = WorldGpus(world)
    cost = Cost(PRICE, None, 4, unmeasured, energy=gpus)
    model = build()
    with pytest.raises(RuntimeError, match="failed"):
        fit([world, cost, Failure()], model=model)
    assert gpus.opened == 1
    fit([world, cost], model=model)
    assert gpus.opened == 0
    assert cost.energy_record()["wh_total"] == pytest.approx(10 * 0.01)


def test_a_copy_counts_for_itself(tmp_path):
    cost = Cost(PRICE, Board(tmp_path), 4, unmeasured, max_usd=1e6, started=time.monotonic())
    twin = copy.deepcopy(cost)
    fit([twin])
    assert twin.steps_done == 5
    assert cost.steps_done == 0
