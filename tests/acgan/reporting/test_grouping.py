import dataclasses

import pytest

from acgan.reporting.grouping import Cell, differences, group, spread
from acgan.results import NOT_RUN


def test_a_spread_is_mean_and_extremes_of_what_was_measured():
    found = spread([3.0, None, 1.0, 5.0])
    assert (found.mean, found.low, found.high, found.count) == ((3 + 1 + 5) / 3, 1.0, 5.0, 3)
    assert spread([None]) is spread([]) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("network", "dcgan"),
        ("width", 64),
        ("config.latent_dim", 128),
        ("dataset", "mnist5k"),
        ("resolved.class_names", ["cat", "dog"]),
        ("resolved.image_shape", [28, 28, 1]),
        ("jit_compile", True),
        ("config.deterministic", True),
        ("resolved.tensor_float_32", False),
        ("hardware.tensorflow", "2.20.0"),
    ],
)
def test_runs_of_another_setting_are_grouped_apart(make_result, name, value):
    results = [make_result(), make_result(**{name: value}), make_result()]
    first, second = group(results)
    assert first.devices[0].results == [results[0], results[2]]  # the larger group first
    assert second.devices[0].results == [results[1]]
    assert differences([first, second]) == [name.rpartition(".")[2]]


def test_runs_that_differ_in_what_may_stand_in_one_curve_are_one_group(make_result):
    varied = {"policy": "mixed_float16"}, {"batch_size": 9}, {"device": "V100"}, {"minutes": 7.0}
    (alone,) = group([make_result(), *(make_result(**changes) for changes in varied)])
    assert [device.name for device in alone.devices] == ["Tesla T4", "Tesla V100-SXM2-16GB"]
    assert differences([alone]) == []


def test_one_kind_of_machine_at_two_prices_is_two_devices(make_result):
    results = [make_result(usd_per_hour=usd) for usd in (0.5, 0.35, None)]
    (alone,) = group(results)
    assert [device.usd_per_hour for device in alone.devices] == [None, 0.35, 0.5]
    assert [device.results for device in alone.devices] == [[results[i]] for i in (2, 1, 0)]


def test_a_run_that_ended_before_its_price_was_noted_has_its_neighbours(make_result):
    results = [
        make_result(sweep="a", usd_per_hour=0.5),
        make_result(sweep="b", usd_per_hour=0.35),
        make_result(sweep="b", usd_per_hour=None, step_ms=None, failure="out_of_memory"),
        make_result(sweep="c", usd_per_hour=None, step_ms=None),
    ]
    (alone,) = group(results)
    cheap, dear = alone.devices
    assert cheap.results == results[1:3]
    assert dear.results == [results[0], results[3]]


def test_cells_hold_the_repeats_in_the_order_of_their_start(make_result):
    late, early = (make_result(started=f"2026-11-01T1{hour}:00:00+00:00") for hour in (5, 4))
    (alone,) = group([late, early, make_result(batch_size=8), make_result(policy="mixed_float16")])
    cells = alone.devices[0].cells
    assert list(cells) == [("float32", 8), ("float32", 64), ("mixed_float16", 64)]
    assert cells["float32", 64].results == (early, late)


def test_a_cells_figure_is_over_the_repeats_that_count(make_result):
    results = [
        make_result(step_ms=10.0),
        make_result(step_ms=30.0, status="interrupted"),
        make_result(step_ms=50.0, status="running"),
        make_result(step_ms=1.0, status="failed", message="the losses are no longer finite"),
        dataclasses.replace(make_result(step_ms=2.0), status=NOT_RUN),
        make_result(step_ms=None),
    ]
    cell = Cell("float32", 64, tuple(results))
    assert cell.figure("step_ms").mean == (10 + 30) / 2
    assert cell.figure("step_ms").count == 2
    assert cell.figure("fid") is None
    assert not cell.fits


def test_a_curve_is_a_policys_cells_with_a_step_time(make_result):
    results = [
        make_result(batch_size=32),
        make_result(batch_size=8),
        make_result(batch_size=64, step_ms=None),
        make_result(batch_size=32, policy="mixed_bfloat16", step_ms=None),
    ]
    (alone,) = group(results)
    (device,) = alone.devices
    assert device.policies == ["float32", "mixed_bfloat16"]
    assert [cell.batch_size for cell in device.curve("float32")] == [8, 32]
    assert device.curve("mixed_bfloat16") == device.curve("mixed_float16") == []
