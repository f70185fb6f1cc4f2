import pytest

from acgan.reporting.grouping import group
from acgan.reporting.quality import equal_time_sets, fid_curves, price_of_fid

MIXED = {"policy": "mixed_float16"}


@pytest.fixture
def judged(make_result):
    """The one `Group` of runs with these changes; each judged after 60 s unless told otherwise."""

    def make(*runs):
        (alone,) = group(
            [make_result(**{"history": [(60.0, 50.0)], "minutes": 7.0, **run}) for run in runs]
        )
        return alone

    return make


def test_policies_after_equal_time_stand_side_by_side(judged):
    found = judged(
        {**MIXED, "history": [(60.0, 30.0), (400.0, 10.0), (420.0, 12.0)]},
        {**MIXED, "history": [(420.0, 16.0)], "started": "2026-11-01T13:00:00+00:00"},
        {"history": [(420.0, 90.0)]},
    )
    (alone,) = equal_time_sets(found)
    assert (alone.batch_size, alone.minutes, alone.differs) == (64, 7.0, {})
    assert alone.device is found.devices[0]
    float32, mixed = alone.policies
    assert (float32.policy, mixed.policy) == ("float32", "mixed_float16")
    assert float32.fid.mean == 90.0
    assert (mixed.fid.mean, mixed.fid.count) == ((12 + 16) / 2, 2)  # the last, not the best
    assert mixed.class_accuracy.mean == pytest.approx((0.3 + 0.1) / 2)
    assert mixed.result.last_fid == 12.0  # of the first repeat
    assert mixed.picture is None


def test_the_last_picture_is_taken(judged):
    found = judged({}, MIXED)
    folder = found.devices[0].cells["mixed_float16", 64].results[0].folder / "samples"
    folder.mkdir()
    for name in ("step-000250.png", "step-999999.png", "step-1000000.png", "notes.png"):
        (folder / name).touch()
    (alone,) = equal_time_sets(found)
    assert [policy.picture for policy in alone.policies] == [None, folder / "step-1000000.png"]


@pytest.mark.parametrize(
    "other",
    [
        {"batch_size": 128},
        {"minutes": 3.0},
        {"minutes": None},
        {"device": "V100"},
        {"history": None},
        {"status": "interrupted"},
        {"status": "failed"},
        {"config.learning_rate": 0.1},
    ],
)
def test_what_was_not_given_the_same_is_not_put_side_by_side(judged, other):
    assert equal_time_sets(judged({}, {**MIXED, **other})) == []


def test_one_policy_is_no_comparison(judged):
    assert equal_time_sets(judged({}, {})) == []


def test_curves_hold_seconds_usd_and_fid(judged):
    history = [(60.0, 50.0), (120.0, 20.0)]
    found = judged(
        {"history": history, "usd_per_hour": 3.6},
        {**MIXED, "usd_per_hour": 3.6},
        {**MIXED, "history": None, "usd_per_hour": 3.6},
    )
    float32, mixed = fid_curves(found)
    assert (float32.policy, float32.batch_size, float32.differs) == ("float32", 64, {})
    ((first, second),) = float32.runs
    assert first == (60.0, pytest.approx(60 * 0.001), 50.0)
    assert second == (120.0, pytest.approx(120 * 0.001), 20.0)
    assert len(mixed.runs) == 1


def test_a_curve_without_a_price_has_times_alone(judged):
    (curve,) = fid_curves(judged({"device": "CPU"}))
    assert curve.runs == (((60.0, None, 50.0),),)


def test_runs_that_learn_otherwise_are_no_repeats_of_each_other(judged):
    rates = {"config.learning_rate": 0.0002}, {"config.learning_rate": 0.001}
    curves = fid_curves(judged(*rates, rates[0]))
    assert [(curve.differs, len(curve.runs)) for curve in curves] == [
        ({"learning_rate": "0.0002"}, 2),
        ({"learning_rate": "0.001"}, 1),
    ]


def test_the_price_of_an_fid_is_that_of_the_first_judgement_that_finds_it(judged):
    found = judged(
        {
            "history": [(60.0, 50.0), (120.0, 20.0), (180.0, 30.0), (240.0, 10.0)],
            "usd_per_hour": 3.6,
        }
    )
    (price,) = price_of_fid(found, target=20.0)
    assert (price.seconds.mean, price.reached, price.repeats) == (120.0, 1, 1)
    assert price.usd.mean == pytest.approx(120 * 0.001)


def test_the_price_is_spread_over_the_repeats_that_reached_it(judged):
    found = judged(
        {"history": [(60.0, 15.0)]}, {"history": [(100.0, 15.0)]}, {"history": [(50.0, 25.0)]}
    )
    (price,) = price_of_fid(found, target=20.0)
    assert (price.seconds.low, price.seconds.mean, price.seconds.high) == (60.0, 80.0, 100.0)
    assert (price.reached, price.repeats) == (2, 3)


def test_an_fid_that_nobody_reached_has_no_price(judged):
    (price,) = price_of_fid(judged({}), target=1.0)
    assert price.seconds is price.usd is None
    assert (price.reached, price.repeats) == (0, 1)


def test_the_target_is_by_default_what_every_setting_of_the_device_reached(judged):
    found = judged(
        {"history": [(60.0, 50.0), (120.0, 20.0)]},
        {"history": [(120.0, 22.0)]},
        {**MIXED, "history": [(30.0, 40.0), (60.0, 15.0)]},
        {"device": "V100", "history": [(10.0, 5.0)]},
    )
    float32, mixed, v100 = price_of_fid(found)
    assert (float32.target, mixed.target, v100.target) == (20.0, 20.0, 5.0)
    assert (float32.seconds.mean, float32.reached, float32.repeats) == (120.0, 1, 2)
    assert (mixed.seconds.mean, v100.seconds.mean) == (60.0, 10.0)


def test_runs_that_were_not_judged_have_no_quality(judged):
    found = judged({"history": None}, {**MIXED, "history": None})
    assert equal_time_sets(found) == fid_curves(found) == price_of_fid(found) == []
