import numpy as np
import pytest

from acgan.losses import class_loss, source_loss


def test_source_loss_of_an_undecided_discriminator_is_log_2():
    logits = np.zeros((3, 1), np.float32)
    assert float(source_loss(logits, real=True)) == pytest.approx(np.log(2))
    assert float(source_loss(logits, real=False)) == pytest.approx(np.log(2))


def test_source_loss_is_the_mean_cross_entropy():
    # sigmoid(log 3) = 3/4 and sigmoid(-log 3) = 1/4
    logits = np.log([[3.0], [1 / 3]]).astype(np.float32)
    assert float(source_loss(logits, real=True)) == pytest.approx(
        (-np.log(3 / 4) - np.log(1 / 4)) / 2
    )


def test_source_loss_stays_finite_for_large_logits():
    logits = np.array([[-1e4]], np.float32)
    assert float(source_loss(logits, real=True)) == pytest.approx(1e4)
    assert float(source_loss(logits, real=False)) == 0


def test_class_loss_is_the_mean_cross_entropy():
    logits = np.log([[0.7, 0.2, 0.1], [0.25, 0.5, 0.25]]).astype(np.float32)
    labels = np.array([0, 2], np.int32)
    assert float(class_loss(labels, logits)) == pytest.approx((-np.log(0.7) - np.log(0.25)) / 2)
