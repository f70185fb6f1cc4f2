import json

import numpy as np
import pytest

from acgan.checkpoints import Checkpoints, read_checkpoint
from acgan.clock import PartClock
from acgan.datasets import ImageDataset
from acgan.divergence import Finding
from acgan.pricing import Pricing
from acgan.resuming import Before
from acgan.rolling_back import Diverged, step_back, train_with_rollbacks
from acgan.runs import RunFolder
from acgan.training import Run
from callbacks import hardware
from callbacks.gradient_range import learning_rate
from callbacks.prices import given_price

STATE = {"rollbacks": (), "history": (), "policy": "float32", "policy_changes": ()}
FOUND = Finding("weights", 90, "step 90: generator/dense/kernel is no longer finite")


@pytest.fixture
def make_run(make_settings, tiny_images, tmp_path):
    """Makes runs in one folder: `make_run(**settings)(before)`."""

    def configure(**changes):
        values = {"policy": "float32", "width": 8, "batch_size": 16, "steps": 6, "evaluate": False}
        values |= {"on_divergence": "rollback", "sample_every": 0, "profile": False}
        settings = make_settings(**{**values, **changes})
        dataset = ImageDataset("tiny", *tiny_images, ("above", "below"))
        folder, device = RunFolder(tmp_path / "run"), hardware.detect()
        clock, pricing = PartClock(), Pricing(given_price(3600.0), None)

        def make(before=None):
            if before is None:
                folder.create()
            return Run(
                settings, dataset, "float32", device, folder, tmp_path, pricing, clock, before
            )

        return make

    return configure


def save(folder, *steps, bad=()):
    checkpoints = Checkpoints(folder, keep=9)
    for step in steps:
        checkpoints.save(step, {}, {**STATE, "is_good": step not in bad})


def test_it_goes_back_to_the_newest_good_checkpoint(make_run):
    run = make_run(rollback_factor=0.25)()
    save(run.folder.checkpoints, 20, 40, 60, bad=(60,))
    before = step_back(run, FOUND)
    assert before.step == 40
    assert before.rollbacks == (
        {"step": 90, "to_step": 40, "rate_factor": 0.25, "kind": "weights", "words": FOUND.words},
    )


def test_if_it_fails_again_at_once_it_goes_further_back(make_run):
    make = make_run(rollback_factor=0.25)
    first = make()
    save(first.folder.checkpoints, 20, 40)
    before = step_back(first, FOUND)
    again = step_back(make(before), FOUND)
    assert again.step == 20
    assert [r["rate_factor"] for r in again.rollbacks] == [0.25, 0.25**2]
    # With a newer good one, that one; and with none before it, the same.
    save(first.folder.checkpoints, 70)
    assert step_back(make(before), FOUND).step == 70
    for step in (20, 70):
        (first.folder.checkpoints / f"step-{step:09}.npz").unlink()
    assert step_back(make(before), FOUND).step == 40


@pytest.mark.parametrize(
    ("changes", "bad"),
    [({"on_divergence": "stop"}, ()), ({"max_rollbacks": 1}, ()), ({}, (20,))],
    ids=["not asked for", "too often", "no good checkpoint"],
)
def test_it_does_not_go_back(make_run, changes, bad):
    run = make_run(**changes)()
    save(run.folder.checkpoints, 20, bad=bad)
    if changes.get("max_rollbacks"):
        run.saving.rollbacks = ({"to_step": 10},)
    assert step_back(run, FOUND) is None


def test_money_and_start_are_those_of_the_run_and_counted_once(make_run):
    make = make_run()
    first = make()
    first.record.update(cost={"usd_total": 5.0}, energy={"wh_total": 2.0})
    save(first.folder.checkpoints, 20)
    before = step_back(first, FOUND)
    second = make(before)
    fields = second.record.fields
    assert fields["started"] == first.record.fields["started"]
    assert (fields["cost"], fields["energy"]) == ({"usd_total": 5.0}, {"wh_total": 2.0})
    # The clock of the process goes on, and so does what it costs; the GPUs' meter begins anew.
    assert (second.saving.usd_before, second.saving.wh_before) == (0.0, 2.0)
    resumed = Before({}, fields, before.checkpoint, usd=1.5)
    assert step_back(make(resumed), FOUND).usd == 1.5


def test_the_best_generator_is_that_of_the_checkpoint(make_run):
    make = make_run(evaluate=True, evaluate_every=2, checkpoint_every=2, steps=4)
    first = make()
    first.execute()
    paths = first.saving.checkpoints.paths()
    best = first.folder.generator
    kept = paths[-2].with_suffix(".keras").read_bytes()  # that of step 2
    best.write_bytes(b"of a step that is lost")
    before = Before({}, first.record.fields, read_checkpoint(paths[-2]))
    second = make_run(evaluate=False, steps=2)(before)
    second.saving.go_on(first.model, "float32", lambda line: None)
    assert best.read_bytes() == kept
    before = Before({}, first.record.fields, None)
    make_run()(before).saving.go_on(first.model, "float32", lambda line: None)
    assert not best.exists()


def test_a_run_that_diverges_is_tried_again_with_lower_rates(make_run):
    # 1e30 leaves no weight finite; times 1e-17 twice it is harmless.
    make = make_run(learning_rate=1e30, rollback_factor=1e-17, checkpoint_every=2)
    said = []
    run = train_with_rollbacks(make, None, said.append)
    record = json.loads(run.folder.record.read_text())
    assert record["status"] == "completed"
    assert record["steps"] == 6
    assert [rollback["to_step"] for rollback in record["rollbacks"]] == [0, 0]
    assert [line.rpartition(" (")[2] for line in said] == ["rollback 1 of 3)", "rollback 2 of 3)"]
    assert "; back to step 0 with the learning rates times 1e-17" in said[0]
    assert learning_rate(run.model.discriminator_optimizer) == pytest.approx(1e30 * 1e-17**2)
    newest = Checkpoints(run.folder.checkpoints).newest()
    assert newest.state["rollbacks"] == record["rollbacks"]
    assert all(np.isfinite(array).all() for array in newest.arrays.values())


def test_it_ends_when_it_went_back_too_often(make_run):
    make = make_run(learning_rate=1e30, rollback_factor=0.5, max_rollbacks=1)
    said = []
    with pytest.raises(Diverged, match=r"lower --learning_rate than 5e\+29"):
        train_with_rollbacks(make, None, said.append)
    assert len(said) == 1


def test_a_run_that_goes_on_keeps_its_lower_rates(make_run):
    make = make_run(learning_rate=1e30, rollback_factor=1e-17, steps=4)
    run = train_with_rollbacks(make, None, lambda line: None)
    newest = Checkpoints(run.folder.checkpoints).newest()
    before = Before({}, run.record.fields, newest, tuple(newest.state["rollbacks"]))
    longer = make_run(learning_rate=1e30, rollback_factor=1e-17, steps=8)(before)
    longer.execute()
    assert learning_rate(longer.model.discriminator_optimizer) == pytest.approx(1e30 * 1e-17**2)
    assert longer.record.fields["steps"] == 8
