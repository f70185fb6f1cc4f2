"""Rows 8 and 9, from what processes of acgan.train tell."""

import pytest

from acgan.benchmarks import memory, processes, startup

STARTS = [
    {"imports": 5, "data": 1, "build": 2, "compile": 3, "memory_mb": 900, "gpu_memory_mb": None},
    {"imports": 6, "data": 1, "build": 2, "compile": 3, "memory_mb": 910, "gpu_memory_mb": None},
    {"imports": 4, "data": 1, "build": 2, "compile": 3, "memory_mb": 905, "gpu_memory_mb": None},
]


def test_start_up_is_told_in_all_and_by_part(monkeypatch):
    monkeypatch.setattr(startup, "trained", lambda times: STARTS[:times])
    whole, *parts = startup.rows(5)
    assert (whole.ratio, whole.low, whole.high, whole.unit) == (11, 10.5, 11.5, "s")
    assert [part.ratio for part in parts] == [5, 1, 2, 3]


def test_memory_of_a_gpu_is_left_out_where_there_is_none(monkeypatch):
    monkeypatch.setattr(memory, "trained", lambda times: STARTS[:times])
    (row,) = memory.rows(5)
    assert (row.row, row.ratio, row.unit) == (9, 905, "MB")
    assert "process" in row.name


@pytest.mark.slow
def test_a_process_trains_and_tells():
    (told,) = processes.trained(1)
    assert all(told[part] > 0 for part in startup.PARTS)
    assert told["memory_mb"] > 100
