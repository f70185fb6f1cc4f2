import contextlib
import itertools
from collections import Counter
from types import SimpleNamespace

import pytest

from acgan.benchmarks import apart, loops, precision
from acgan.benchmarks.pairs import FEWEST, fewer

FACTORS = {"float32": 1.0, "mixed_bfloat16": 0.5, "mixed_float16": 4.0}


@pytest.fixture
def scripted(monkeypatch):
    """Steps in reduced precision take a half of float32's time, and four times as long.

    `here` and `apart` hold the (policy, sizes) that were measured in this process and in another
    one, `measured` counts measurements, and `running` says whether another process is.
    """
    kept = SimpleNamespace(here=[], apart=[], measured=Counter(), running=False)

    def seconds(policy, network, size):
        # What float32 takes depends on the setting: a comparison across settings would show.
        return FACTORS[policy] * size * (1 + 10 * loops.NETWORKS.index(network))

    def measures(policy, sizes):
        def measuring(network, size):
            def measure():
                assert kept.running == bool(kept.apart)
                kept.measured[policy, network, size] += 1
                return seconds(policy, network, size)

            return measure

        settings = itertools.product(loops.NETWORKS, sizes)
        return {setting: measuring(*setting) for setting in settings}

    def here(policy, sizes):
        kept.here.append((policy, tuple(sizes)))
        return measures(policy, sizes)

    @contextlib.contextmanager
    def elsewhere(policy, sizes):
        kept.apart.append((policy, tuple(sizes)))
        kept.running = True
        yield measures(policy, sizes)
        kept.running = False

    monkeypatch.setattr(precision, "measures", here)
    monkeypatch.setattr(apart, "measures", elsewhere)
    return kept


@pytest.fixture(params=["CPU", "GPU"])
def sizes(request, monkeypatch):
    monkeypatch.setattr(loops, "on_gpu", lambda: request.param == "GPU")
    return precision.BATCH_SIZES[request.param]


def test_a_row_for_each_network_batch_size_and_reduced_precision(scripted, sizes):
    found = {row.name: row for row in precision.rows(6)}
    expected = {
        f"{policy} / float32, {network}, batch {size}": FACTORS[policy]
        for policy in ("mixed_bfloat16", "mixed_float16")
        for network in loops.NETWORKS
        for size in sizes
    }
    assert {name: row.ratio for name, row in found.items()} == pytest.approx(expected)
    assert {(row.row, row.unit) for row in found.values()} == {(4, "ratio")}


@pytest.mark.parametrize("fast", [True, False])
def test_everything_is_measured_equally_often(scripted, sizes, fast, monkeypatch):
    monkeypatch.setattr(precision.hardware, "has_fast_bfloat16", lambda machine: fast)
    precision.rows(10)
    pairs = fewer(10) if fast or loops.on_gpu() else FEWEST
    settings = itertools.product(FACTORS, loops.NETWORKS, sizes)
    assert scripted.measured == dict.fromkeys(settings, pairs)


def test_on_a_cpu_float16_runs_in_a_process_of_its_own(scripted, monkeypatch):
    monkeypatch.setattr(loops, "on_gpu", lambda: False)
    precision.rows(3)
    assert [policy for policy, _ in scripted.here] == ["float32", "mixed_bfloat16"]
    assert scripted.apart == [("mixed_float16", precision.BATCH_SIZES["CPU"])]
    assert not scripted.running  # it ended with the row


def test_on_a_gpu_one_process_runs_all(scripted, monkeypatch):
    monkeypatch.setattr(loops, "on_gpu", lambda: True)
    precision.rows(3)
    assert [policy for policy, _ in scripted.here] == list(FACTORS)
    assert {sizes for _, sizes in scripted.here} == {precision.BATCH_SIZES["GPU"]}
    assert scripted.apart == []


def test_the_other_process_ends_though_a_measurement_fails(monkeypatch):
    ended = []

    def fail():
        raise RuntimeError("no memory left")

    @contextlib.contextmanager
    def elsewhere(policy, sizes):
        try:
            yield dict.fromkeys(itertools.product(loops.NETWORKS, sizes), fail)
        finally:
            ended.append(policy)

    monkeypatch.setattr(loops, "on_gpu", lambda: False)
    monkeypatch.setattr(apart, "measures", elsewhere)
    monkeypatch.setattr(
        precision,
        "measures",
        lambda policy, sizes: dict.fromkeys(itertools.product(loops.NETWORKS, sizes), lambda: 1.0),
    )
    with pytest.raises(RuntimeError, match="no memory left"):
        precision.rows(3)
    assert ended == ["mixed_float16"]
