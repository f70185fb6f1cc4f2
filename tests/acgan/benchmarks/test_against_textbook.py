from types import SimpleNamespace

import keras
import pytest

from acgan.benchmarks import against_textbook, loops
from acgan.benchmarks.textbook import TextbookACGAN
from acgan.model import ACGAN
from callbacks.flops import Passes

# Milliseconds of a step in each of three pairs.
TIMES_MS = {
    (ACGAN, "dcgan"): [30, 30, 30],
    (TextbookACGAN, "dcgan"): [40, 50, 60],
    (ACGAN, "article"): [90, 90, 90],
    (TextbookACGAN, "article"): [100, 100, 100],
}


@pytest.fixture
def measured(monkeypatch):
    """Scripted steps, of models that run a network of 10^6 weights three and four times forward."""
    network = keras.Sequential([keras.Input((1000,)), keras.layers.Dense(1000, use_bias=False)])
    forward = {ACGAN: 3, TextbookACGAN: 4}
    left = {key: [ms / 1000 for ms in reversed(times)] for key, times in TIMES_MS.items()}
    monkeypatch.setattr(loops, "BATCH", 500)
    monkeypatch.setattr(loops, "NETWORKS", ("dcgan", "article"))
    monkeypatch.setattr(loops, "loop", lambda kind, network: left[kind, network].pop)
    monkeypatch.setattr(
        loops,
        "model",
        lambda kind, name: SimpleNamespace(
            training_passes=lambda: [Passes(network, forward[kind], 0, 0)]
        ),
    )
    return left


def test_a_row_for_each_network(measured):
    dcgan, article = against_textbook.rows(3)
    assert dcgan.name == "step / textbook's alternating step, dcgan"
    assert article.name == "step / textbook's alternating step, article"
    for row in (dcgan, article):
        assert (row.row, row.unit) == (2, "ratio")
        assert row.arithmetic == pytest.approx(3 / 4)
        # 2 x 10^6 x 500 = 10^9 FLOPs for a pass over a batch.
        assert row.note == "matrix GFLOP a step: 3.00 / 4.00"


def test_the_ratio_is_this_projects_time_over_the_textbooks(measured):
    dcgan, article = against_textbook.rows(3)
    assert dcgan.ratio == pytest.approx(30 / 50)
    # Quartiles of 30/60, 30/50, 30/40 lie half-way between them.
    assert dcgan.low == pytest.approx((0.5 + 0.6) / 2)
    assert dcgan.high == pytest.approx((0.6 + 0.75) / 2)
    assert article.ratio == pytest.approx(90 / 100)
    assert list(measured.values()) == [[]] * 4  # as many pairs as asked for


def test_the_textbooks_step_computes_more():
    networks = loops.networks("dcgan", "float32", loops.IMAGE_SHAPE)
    own, textbook = (kind(*networks).training_passes() for kind in (ACGAN, TextbookACGAN))
    generated = [
        sum(p.forward for p in each if p.network is networks[0]) for each in (own, textbook)
    ]
    assert generated == [1, 2]
