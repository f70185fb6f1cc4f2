import pytest

from acgan.sweeping.time_left import seconds_left


def test_before_the_first_run_nothing_is_known():
    assert seconds_left([], [("float32", 8)]) is None


def test_what_was_done_needs_no_more_time(make_run):
    assert seconds_left([make_run(8)], []) == 0


def test_a_run_takes_as_long_as_the_median_of_its_kind(make_run):
    done = [make_run(8, repeat=n, seconds=s) for n, s in enumerate((30.0, 20.0, 100.0), 1)]
    done += [make_run(8, "mixed_float16", seconds=15.0)]
    pending = [("float32", 8), ("mixed_float16", 8), ("mixed_float16", 8)]
    assert seconds_left(done, pending) == 30.0 + 15.0 + 15.0


def test_training_grows_with_the_batch_and_the_rest_does_not(make_run):
    done = [make_run(8, seconds=30.0, train_seconds=10.0)]
    # 30 s, of which 10 s are training: 10 s * 32 / 8 and 20 s beside it.
    assert seconds_left(done, [("float32", 32)]) == 40.0 + 20.0


def test_the_nearest_size_counts_and_of_two_the_same_policy(make_run):
    done = [
        make_run(8, seconds=1000.0, train_seconds=10.0),
        make_run(64, seconds=30.0, train_seconds=10.0),
        make_run(64, "mixed_float16", seconds=25.0, train_seconds=5.0),
    ]
    assert seconds_left(done, [("float32", 128)]) == 20.0 + 2 * 10.0
    assert seconds_left(done, [("mixed_float16", 128)]) == 20.0 + 2 * 5.0


def test_runs_of_a_training_time_take_the_same_at_every_size(make_run):
    done = [make_run(8, seconds=500.0, train_seconds=420.0, minutes=7.0)]
    assert seconds_left(done, [("float32", 2048), ("mixed_float16", 8)]) == 500.0 + 500.0


@pytest.mark.parametrize(
    "changes",
    [
        {"fits": False},
        {"status": "running"},
        {"status": "interrupted"},
        {"status": "failed"},
        {"seconds": None},
        {"train_seconds": None},
    ],
)
def test_runs_that_were_cut_short_say_nothing(make_run, changes):
    ended = make_run(64, **{"seconds": 3.0, "train_seconds": 1.0, **changes})
    assert seconds_left([ended], [("float32", 64)]) is None
    done = make_run(32, seconds=30.0, train_seconds=10.0)
    assert seconds_left([ended, done], [("float32", 64)]) == 20.0 + 2 * 10.0
