import re

import pytest

from acgan.reporting.grouping import Group, group
from acgan.reporting.headline import headlines
from acgan.result_reading import read_results

STEADY = (0.99, 1.0, 1.01)
NO_COMPARISON = "float32 has no measurement: there is nothing to compare with"


def times(*step_ms):
    """Three repeats a batch size from 32 on, each double the one before."""
    return {32 * 2**i: [ms * factor for factor in STEADY] for i, ms in enumerate(step_ms)}


@pytest.fixture
def headline(only_device):
    """The headline of a sweep; arguments as of `only_device`."""

    def make(times, **changes):
        (found,) = headlines(Group({}, (only_device(times, **changes),)))
        return found

    return make


@pytest.fixture
def article(three_devices):
    (alone,) = group(read_results([three_devices]).runs)
    return {found.device_name: found for found in headlines(alone)}


def test_every_line_is_one_sentence_without_false_digits(article):
    for found in article.values():
        for line in (found.title, *found.lines):
            assert "\n" not in line
            assert not line.endswith(".")
            assert re.search(r"\d\.\d\d+ %|nan|None| -\d", line) is None


def test_the_t4_of_the_article(article):
    found = article["Tesla T4"]
    assert found.title == "Tesla T4: train in mixed_float16 at batch size 2048"
    assert found.lines == (
        "41 % less time than float32 at the same batch size (95 % interval 41 to 42 %), "
        "0.0207 USD less per million images (0.0205 to 0.0209)",
        "that is the cheapest float32 setting, too",
        "mixed_float16 begins to pay at batch size 128; at 32 it takes 5 % more time (4 to 6 %)",
        "0.0293 USD per million images, at 0.526 USD/h",
    )


def test_the_v100_of_the_article(article):
    found = article["Tesla V100-SXM2-16GB"]
    assert found.title.endswith(": train in mixed_float16 at batch size 2048")
    assert found.lines[0].startswith("36 % less time than float32 at the same batch size")
    assert any(
        "begins to pay at batch size 512; at 128 it makes no difference" in line
        for line in found.lines
    )


def test_the_p100_of_the_article(article):
    found = article["Tesla P100-PCIE-16GB"]
    assert found.title == "Tesla P100-PCIE-16GB: train in float32 at batch size 2048"
    (line,) = (line for line in found.lines if "mixed_float16" in line)
    assert line.startswith(
        "mixed_float16 does not pay: no Tensor Cores (compute capability 6.0); at batch size 2048"
    )


def test_a_cheapest_float32_setting_of_another_size_is_named(headline):
    found = headline({"float32": times(10, 30), "mixed_float16": times(10, 16)})
    assert found.lines[1].startswith(
        "20 % less time per image than the cheapest float32 setting, batch size 32 (95 % interval"
    )
    assert found.lines[1].count("USD less per million images") == 1


def test_repeats_that_differ_wildly_claim_no_gain_and_are_shown(headline):
    found = headline(
        {"float32": {64: [100.0, 101.0, 99.0]}, "mixed_float16": {64: [40.0, 180.0, 70.0]}}
    )
    assert found.title == "Tesla T4: train in float32 at batch size 64"
    assert not any("less" in line or "does not pay" in line for line in found.lines)
    first, *_, last = found.lines
    assert first.startswith("whether mixed_float16 pays can't be told: at batch size 64")
    assert last == (  # 180 is 350 % more than 40
        "repeats differ by up to 350 % (mixed_float16 at batch size 64): measure more of "
        "them on a quiet machine"
    )


def test_measured_once_is_said(headline):
    found = headline({"float32": {64: [100.0]}, "mixed_float16": {64: [88.0]}})
    assert found.title == "Tesla T4: train in mixed_float16 at batch size 64"
    assert found.lines[0].startswith(
        "12 % less time than float32 at the same batch size (measured once: the spread is unknown)"
    )
    assert found.lines[0].endswith("USD less per million images")


def test_one_batch_size_tells_no_break_even(headline):
    found = headline({"float32": times(10), "mixed_float16": times(8)})
    assert found.lines[0].startswith("20 % less time than float32 at the same batch size")
    assert found.lines[2] == (
        "from what batch size on mixed_float16 pays can't be told from one size (32): measure more "
        "with --batch_sizes"
    )


def test_float32_alone(headline):
    found = headline({"float32": times(10, 15)})
    assert found.title == "Tesla T4: train in float32 at batch size 64"
    assert found.lines[0] == (
        "float32 alone was measured: measure another policy, too, to see what it saves"
    )
    assert not any("less" in line for line in found.lines)


def test_no_float32(headline):
    found = headline({"mixed_float16": times(10, 15)})
    assert found.title == "Tesla T4: train in mixed_float16 at batch size 64"
    assert found.lines[0] == NO_COMPARISON
    assert not any("less" in line for line in found.lines)


def test_sizes_that_do_not_fit(headline):
    found = headline(
        {"float32": times(10) | {64: [None]}, "mixed_float16": times(9, 12) | {128: [None]}}
    )
    assert found.title == "Tesla T4: train in mixed_float16 at batch size 64"
    assert found.lines[0] == "float32 does not fit at batch size 64"
    assert found.lines[1].startswith("40 % less time per image than the cheapest float32 setting")
    assert found.lines[-2:] == (
        "batch size 64 does not fit into memory in float32, 32 does",
        "batch size 128 does not fit into memory in mixed_float16, 64 does",
    )


def test_nothing_fits(headline):
    found = headline({"float32": {64: [None], 128: [None]}, "mixed_float16": {64: [None]}})
    assert found.title == "Tesla T4: no batch size fits into memory"
    assert found.lines == (
        "batch size 64 does not fit into memory in float32, and no smaller one was measured",
        "batch size 64 does not fit into memory in mixed_float16, and no smaller one was measured",
    )


def test_nothing_was_measured_since_every_run_failed(headline):
    long = "x" * 300
    found = headline(
        {"float32": {64: [1.0, 1.0]}}, status="failed", message=f"ValueError:\n  {long}"
    )
    assert found.title == "Tesla T4: no run was measured"
    assert found.lines == (f"2 of 2 runs failed and do not count: ValueError: {long[:188]}…",)


def test_a_cpu_is_called_one_and_without_a_price_there_is_no_usd(headline):
    found = headline(
        {"float32": times(10), "mixed_bfloat16": times(8)}, device="CPU", usd_per_hour=None
    )
    assert found.title == (
        "CPU result, AMD EPYC 9124 16-Core Processor (8 CPUs): train in mixed_bfloat16 at batch "
        "size 32"
    )
    assert found.lines[0].startswith("20 % less time than float32 at the same batch size")
    assert found.lines[1].startswith("that is the fastest float32 setting")
    (line,) = (line for line in found.lines if "USD" in line)
    assert line == (
        "no USD figures: no price is known for a machine without a GPU: give a price with "
        "--usd_per_hour"
    )


def test_a_price_that_no_reason_explains_has_a_way_out(headline):
    found = headline({"float32": times(10)}, usd_per_hour=None)
    assert found.lines[-1] == "no USD figures: no price is known: give one with --usd_per_hour"


def test_runs_of_no_sweep_are_said_not_to_be_one_sitting(make_result):
    results = [make_result(step_ms=ms) for ms in (100.0, 101.0)]
    results += [make_result(step_ms=ms, policy="mixed_float16") for ms in (50.0, 50.5)]
    (alone,) = group(results)
    (found,) = headlines(alone)
    assert "policies were not measured in turn in one sweep" in " ".join(found.lines)


def test_a_sweep_is_one_sitting(article):
    assert not any("one sweep" in line for found in article.values() for line in found.lines)


def test_one_kind_of_machine_at_two_prices_is_told_apart(make_result):
    (alone,) = group([make_result(usd_per_hour=usd) for usd in (0.5, 0.35, None)])
    titles = [found.title.partition(":")[0] for found in headlines(alone)]
    assert titles == ["Tesla T4 without a price", "Tesla T4 at 0.35 USD/h", "Tesla T4 at 0.5 USD/h"]
