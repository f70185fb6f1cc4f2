from types import SimpleNamespace

import keras
import numpy as np
import pytest

from acgan.benchmarks import against_article, loops
from acgan.model import ACGAN
from callbacks.flops import Passes

OWN_MS = {"dcgan": 30, "article": 90}
SCHEME_MS = {"dcgan": 120, "article": 100}


@pytest.fixture
def scripted(monkeypatch):
    """Scripted steps; what the schemes are made of and what they run is kept.

    This project's step runs a network of 10^6 weights three times forward, the article's four.
    """
    network = keras.Sequential([keras.Input((1000,)), keras.layers.Dense(1000, use_bias=False)])
    kept = SimpleNamespace(schemes=[], timed=[])
    times = iter(SCHEME_MS.values())

    def passes(forward):
        return lambda: [Passes(network, forward, 0, 0)]

    class Scheme:
        training_passes = staticmethod(passes(4))

        def __init__(self, *arguments):
            self.arguments, self.batches = arguments, []
            kept.schemes.append(self)

        def step(self, *batch):
            self.batches.append(batch)
            return 1.5, 2.5, 3.5

    def timed(step):
        seconds = next(times) / 1000
        kept.timed.append(step)
        return lambda: seconds

    monkeypatch.setattr(against_article, "ArticleScheme", Scheme)
    monkeypatch.setattr(loops, "BATCH", 500)
    monkeypatch.setattr(loops, "NETWORKS", tuple(OWN_MS))
    monkeypatch.setattr(
        loops, "networks", lambda *arguments: [("G", *arguments), ("D", *arguments)]
    )
    monkeypatch.setattr(
        loops,
        "random_images",
        lambda: (np.full((500, 4, 4, 1), 255, np.uint8), np.arange(500, dtype=np.int32) % 10),
    )
    monkeypatch.setattr(loops, "timed", timed)
    monkeypatch.setattr(
        loops, "loop", lambda kind, name: {ACGAN: lambda: OWN_MS[name] / 1000}[kind]
    )
    monkeypatch.setattr(
        loops, "model", lambda kind, name: {ACGAN: SimpleNamespace(training_passes=passes(3))}[kind]
    )
    return kept


def test_a_row_for_each_network(scripted):
    dcgan, article = against_article.rows(3)
    assert dcgan.name == "step / article's scheme, dcgan"
    assert article.name == "step / article's scheme, article"
    for row in (dcgan, article):
        assert (row.row, row.unit) == (3, "ratio")
        assert row.arithmetic == pytest.approx(3 / 4)
        # 2 x 10^6 x 500 = 10^9 FLOPs for a pass over a batch.
        assert row.note == "matrix GFLOP a step: 3.00 / 4.00"


def test_the_ratio_is_this_projects_time_over_the_articles(scripted):
    assert [row.ratio for row in against_article.rows(3)] == pytest.approx([30 / 120, 90 / 100])


def test_the_scheme_trains_the_same_networks_in_float32(scripted):
    against_article.rows(3)
    for scheme, network in zip(scripted.schemes, OWN_MS, strict=True):
        *networks, optimizer = scheme.arguments
        asked = (network, "float32", loops.IMAGE_SHAPE)
        assert networks == [("G", *asked), ("D", *asked)]
        first, second = optimizer(), optimizer()
        assert first is not second
        assert isinstance(first, keras.optimizers.Adam)


def test_what_is_timed_is_a_step_on_a_batch_from_the_host(scripted):
    against_article.rows(3)
    for scheme, step in zip(scripted.schemes, scripted.timed, strict=True):
        assert step() == 1.5  # the generator's loss, a number to wait for
        ((images, labels, latent, generated_labels),) = scheme.batches
        assert (images.shape, images.dtype) == ((500, 4, 4, 1), np.float32)
        assert set(images.ravel().tolist()) == {1.0}
        assert np.bincount(labels).tolist() == [50] * 10
        assert latent.shape == (500, loops.LATENT_DIM)
        assert generated_labels.shape == (500,)
        assert generated_labels.max() < loops.CLASSES
