"""Starts and data on disk, from scripted processes and measures."""

import functools

import pytest

from acgan import growing_data
from acgan.benchmarks.pairs import Ratio


def told(first, memory_mb):
    return {"imports": 1, "data": 0, "build": 2, "compile": first - 3, "memory_mb": memory_mb}


def test_starts_are_told_by_number_of_images_with_what_the_images_weigh(tmp_path, monkeypatch):
    asked = []

    def train(flag):
        count = int(flag.rsplit("/", 1)[1])
        asked.append(count)
        return told(first=4 + count // 10, memory_mb=900 + count)

    monkeypatch.setattr(growing_data, "train", train)
    points = growing_data.by_count(tmp_path, counts=(10, 2000), starts=3)
    assert asked == [10, 2000, 2000, 10, 10, 2000]  # in turn
    # An image is 784 bytes and a label 4, besides the files' headers of 128 bytes each.
    weights = ["the data: 0.0 MB", f"the data: {(2000 * 788 + 256) / 1e6:.1f} MB"]
    assert [(p.series, p.size, p.spread.median, p.unit, p.note) for p in points] == [
        ("start to first step, images", 10, 4 + 1, "s", weights[0]),
        ("start to first step, images", 2000, 4 + 200, "s", weights[1]),
        ("peak memory, images", 10, 910, "MB", weights[0]),
        ("peak memory, images", 2000, 2900, "MB", weights[1]),
    ]
    assert not any(tmp_path.iterdir())


def test_memory_that_a_system_does_not_tell_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(growing_data, "train", lambda flag: told(first=4, memory_mb=None))
    assert [p.unit for p in growing_data.by_count(tmp_path, counts=(10,), starts=2)] == ["s"]


def test_disk_is_compared_with_memory_by_speed(tmp_path, monkeypatch):
    steps_asked = set()

    def fit(model, path, log_dir):
        # From memory 0.02 s, that is 0.4 / 0.02 = 20 steps a measurement; from disk 0.025 s.
        def measure(steps=None):
            steps_asked.add(steps)
            return 0.025 if path.is_dir() else 0.02

        return measure

    monkeypatch.setattr(growing_data, "_fit", fit)
    monkeypatch.setattr(growing_data.loops, "new_model", lambda *_: None)
    monkeypatch.setattr(growing_data, "forget", lambda pair: True)
    cached, uncached = growing_data.disk_against_memory(tmp_path, count=10, pairs=3)
    assert cached.spread == uncached.spread == Ratio(*[0.02 / 0.025] * 3, 3)
    assert (cached.size, cached.unit) == (10, "ratio")
    assert cached.series != uncached.series
    assert steps_asked == {None, 20}
    monkeypatch.setattr(growing_data, "forget", lambda pair: False)
    assert len(growing_data.disk_against_memory(tmp_path, count=10, pairs=3)) == 1
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
def test_training_from_disk_is_compared_in_earnest(tmp_path, monkeypatch):
    loops = growing_data.loops
    monkeypatch.setattr(loops, "new_model", functools.partial(loops.new_model, width=8))
    monkeypatch.setattr(loops, "MEASURE_SECONDS", 0.01)
    points = growing_data.disk_against_memory(tmp_path, count=100, pairs=3)
    assert all(p.spread.low <= p.spread.median <= p.spread.high for p in points)
    assert points[0].spread.pairs == 3
