import json

import keras_tuner
import pytest
from keras_tuner.engine.trial import TrialStatus

from acgan.errors import UserError
from acgan.sweeping.oracle import BatchSizes, fits_metric
from acgan.sweeping.plan import Plan


def plan(*batch_sizes, find_max_batch=False, policies=("float32",)):
    return Plan(
        policies=policies,
        batch_sizes=batch_sizes,
        repeats=1,
        objective="images_per_second",
        find_max_batch=find_max_batch,
        common={},
    )


@pytest.fixture
def make_oracle(tmp_path):
    def make(*batch_sizes, limit=1000, **changes):
        oracle = BatchSizes(plan(*batch_sizes, **changes), limit)
        oracle._set_project_dir(str(tmp_path), "tuner")
        return oracle

    return make


def do_trial(oracle, capacity=None, tuner="tuner0"):
    """Does the next trial, in which policies hold as many images as `capacity` says.

    Returns its batch size, None if there is no next trial.
    """
    trial = oracle.create_trial(tuner)
    if trial.status == TrialStatus.STOPPED:
        return None
    size = trial.hyperparameters.values["batch_size"]
    fits = {policy: size <= most for policy, most in (capacity or {"float32": 10**6}).items()}
    metrics = {fits_metric(policy): float(yes) for policy, yes in fits.items()}
    speed = float(size) if any(fits.values()) else 0.0
    oracle.update_trial(trial.trial_id, {"images_per_second": speed, **metrics})
    trial.status = TrialStatus.COMPLETED if any(fits.values()) else TrialStatus.FAILED
    oracle.end_trial(trial)
    return size


def all_sizes(oracle, capacity=None):
    return list(iter(lambda: do_trial(oracle, capacity), None))


def test_batch_sizes_come_from_small_to_large_and_end(make_oracle):
    assert all_sizes(make_oracle(16, 64, 256)) == [16, 64, 256]


def test_one_batch_size_is_a_sweep_too(make_oracle):
    assert all_sizes(make_oracle(16)) == [16]


def test_the_best_trial_is_the_best_by_the_objective(make_oracle):
    oracle = make_oracle(16, 64)
    all_sizes(oracle)
    (best,) = oracle.get_best_trials()
    assert best.hyperparameters.values["batch_size"] == 64
    assert best.score == 64.0


def test_many_sizes_that_fail_do_not_end_the_search(make_oracle):
    sizes = [16, 64, 128, 256, 512]
    assert all_sizes(make_oracle(*sizes), {"float32": 8}) == sizes


def test_two_workers_never_get_the_same_size(make_oracle):
    oracle = make_oracle(16, 64, 256)
    sizes = [
        oracle.create_trial(name).hyperparameters.values["batch_size"] for name in ("a", "b", "c")
    ]
    assert sizes == [16, 64, 256]
    assert oracle.create_trial("d").status == TrialStatus.STOPPED


def test_a_worker_that_comes_back_gets_its_trial_again(make_oracle):
    oracle = make_oracle(16, 64)
    first = oracle.create_trial("a")
    assert oracle.create_trial("a").trial_id == first.trial_id


def test_the_search_for_the_largest_batch_doubles_and_then_halves_the_gap(make_oracle):
    oracle = make_oracle(100, find_max_batch=True, limit=5000)
    # 400 fits, 800 does not; 600 no, 500 -> 496 yes, 548 -> 544 no: 544 - 496 = 48 > 544 / 16,
    # 520 no: 520 - 496 = 24 is less than 520 / 16.
    assert all_sizes(oracle, {"float32": 519}) == [100, 200, 400, 800, 600, 496, 544, 520]


def test_each_policy_is_searched(make_oracle):
    policies = ("float32", "mixed_float16")
    oracle = make_oracle(128, find_max_batch=True, limit=1024, policies=policies)
    sizes = all_sizes(oracle, {"float32": 300, "mixed_float16": 10**6})
    assert max(sizes) == 1024
    assert max(oracle.sizes("float32", fits=True)) <= 300 < min(oracle.sizes("float32", False))
    assert min(oracle.sizes("float32", False)) - max(oracle.sizes("float32", True)) <= 304 // 16
    assert oracle.sizes("mixed_float16", fits=False) == []


def test_while_another_worker_searches_there_is_nothing_to_do(make_oracle):
    oracle = make_oracle(16, find_max_batch=True)
    oracle.create_trial("a")
    assert oracle.create_trial("b").status == TrialStatus.STOPPED


def test_a_search_that_was_killed_goes_on(make_oracle):
    before = make_oracle(16, 64, 256)
    assert do_trial(before) == 16
    before.create_trial("tuner0")  # 64, and then it is killed

    oracle = make_oracle(16, 64, 256)
    oracle.reload()
    assert all_sizes(oracle) == [64, 256]
    assert [trial.status for trial in oracle.trials.values()] == [TrialStatus.COMPLETED] * 3


def test_a_trial_that_failed_is_done_again_with_fresh_metrics(make_oracle):
    before = make_oracle(16, 64)
    assert all_sizes(before, {"float32": 16}) == [16, 64]

    oracle = make_oracle(16, 64)
    oracle.reload()
    assert all_sizes(oracle) == [64]
    assert oracle.sizes("float32", fits=True) == [16, 64]
    assert [trial.score for trial in oracle.trials.values()] == [16.0, 64.0]


def test_a_search_that_has_ended_stays_ended(make_oracle):
    all_sizes(make_oracle(16, 64))
    oracle = make_oracle(16, 64)
    oracle.reload()
    assert all_sizes(oracle) == []


def test_a_search_killed_between_its_files_loses_no_size(make_oracle, tmp_path):
    before = make_oracle(16, 64)
    do_trial(before)
    state = (tmp_path / "tuner" / "oracle.json").read_text()
    before.create_trial("tuner0")  # the trial's file is written, the oracle's is not
    (tmp_path / "tuner" / "oracle.json").write_text(state)

    oracle = make_oracle(16, 64)
    oracle.reload()
    assert all_sizes(oracle) == [64]


def test_state_that_cant_be_read_is_named(make_oracle, tmp_path):
    do_trial(make_oracle(16))
    (tmp_path / "tuner" / "oracle.json").write_text('{"ongoing_trials": {')
    with pytest.raises(UserError, match=r"tuner can't be read as a search's state .*remove it"):
        make_oracle(16).reload()


def test_files_are_replaced_at_once(make_oracle, tmp_path, monkeypatch):
    oracle = make_oracle(16, 64)
    do_trial(oracle)
    before = (tmp_path / "tuner" / "oracle.json").read_text()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("acgan.sweeping.oracle.json.dumps", full)
    with pytest.raises(OSError, match="No space left"):
        oracle.save()
    assert (tmp_path / "tuner" / "oracle.json").read_text() == before
    assert json.loads(before)["end_order"] == ["0000"]


def test_the_space_is_keras_tuners(make_oracle):
    space = make_oracle(16, 64).get_space()
    assert isinstance(space, keras_tuner.HyperParameters)
    assert [p.name for p in space.space] == ["batch_size"]
