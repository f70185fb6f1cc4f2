import numpy as np
import pytest
import tensorflow as tf

from acgan.datasets.stored_images import StoredImages
from acgan.gathering import gather

IMAGES = np.arange(5 * 16, dtype=np.uint8).reshape(5, 4, 4, 1)


@pytest.fixture(params=["memory", "disk"])
def images(request, tmp_path):
    IMAGES.tofile(tmp_path / "pixels")
    return IMAGES if request.param == "memory" else StoredImages(tmp_path / "pixels", IMAGES.shape)


def test_gives_the_images_at_once_and_in_a_graph(images):
    rows = tf.constant([3, 0, 3], tf.int64)
    assert np.array_equal(gather(images, rows), IMAGES[[3, 0, 3]])
    graph = tf.function(lambda rows: gather(images, rows))
    assert np.array_equal(graph(rows), IMAGES[[3, 0, 3]])
    assert graph.get_concrete_function(rows).output_shapes == (3, 4, 4, 1)


def test_images_are_not_copied_into_the_graph(images):
    graph = tf.function(lambda rows: gather(images, rows)).get_concrete_function(
        tf.constant([1], tf.int64)
    )
    assert len(graph.graph.as_graph_def().SerializeToString()) < 2000
