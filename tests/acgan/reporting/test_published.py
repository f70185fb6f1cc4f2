import pytest

from acgan.reporting.grouping import group
from acgan.reporting.published import published_for, read_published


@pytest.fixture
def published(make_result):
    """What was published for the device of a run with these changes."""

    def find(**changes):
        (alone,) = group([make_result(**changes)])
        return published_for(alone, alone.devices[0])

    return find


def test_the_t4_of_the_article(published):
    values = {
        (row.figure, row.policy, row.batch_size, row.quantity): (row.low, row.high)
        for row in published(device="T4")
    }
    assert values == {
        ("1", "float32", 2048, "step_ms"): (700.0, 700.0),
        ("1", "mixed_float16", 2048, "step_ms"): (410.0, 410.0),
        ("3", "float32", 2048, "usd_per_million_batches"): (178.0, 178.0),
        ("3", "mixed_float16", 2048, "usd_per_million_batches"): (118.0, 118.0),
        ("1", "mixed_float16", None, "less_time_percent"): (15.0, 40.0),
    }


def test_the_published_prices_are_said_to_contradict_the_times(published):
    dear, cheap = (row for row in published() if row.quantity == "usd_per_million_batches")
    implied = [f"{usd * 3600 / (ms * 1000):.2f}" for usd, ms in ((178, 700), (118, 410))]
    assert implied == ["0.92", "1.04"]
    for row in (dear, cheap):
        assert all(f"{usd} USD/h" in row.note for usd in implied)
        assert "contradict" in row.note


@pytest.mark.parametrize("gpu_name", ["Tesla T4", "NVIDIA T4", "T4"])
def test_a_gpu_is_the_same_however_it_is_spelled(published, gpu_name):
    assert len(published(gpu_name=gpu_name)) == 5


@pytest.mark.parametrize(("device", "low", "high"), [("V100", 15.0, 40.0), ("P100", 0.0, 0.0)])
def test_claims_about_large_batches(published, device, low, high):
    (row,) = published(device=device)
    assert (row.quantity, row.low, row.high) == ("less_time_percent", low, high)


@pytest.mark.parametrize(
    "changes",
    [
        {"network": "dcgan"},
        {"dataset": "mnist5k"},
        {"resolved.image_shape": [28, 28, 1]},
        {"device": "A100"},
        {"device": "CPU"},
        {"hardware.gpu_count": 2},
    ],
)
def test_another_setting_has_no_published_values(published, changes):
    assert published(**changes) == ()


def test_every_row_has_a_source_and_a_known_quantity(make_result):
    for row in read_published():
        assert row.source.startswith("the article (2019)")
        assert row.quantity == "less_time_percent" or hasattr(make_result(), row.quantity)
        assert row.low <= row.high
