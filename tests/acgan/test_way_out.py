import itertools
import os

import numpy as np
import pytest
import tensorflow as tf

from acgan.datasets.stored_images import StoredImages
from acgan.pipeline import batches
from acgan.way_out import is_out_of_memory, way_out


def test_images_that_vanish_during_training_are_one_line(tmp_path):
    np.zeros((100, 8, 8, 1), np.uint8).tofile(tmp_path / "pixels")
    images = StoredImages(tmp_path / "pixels", (100, 8, 8, 1))
    stream = iter(batches(images, np.arange(100, dtype=np.int32) % 2, 2, 16, 8, seed=0))
    next(stream)
    os.truncate(tmp_path / "pixels", 0)
    with pytest.raises(tf.errors.OpError) as caught:
        list(itertools.islice(stream, 20))  # some batches were read ahead
    assert way_out(caught.value, tmp_path, 16) == (
        f"{tmp_path}/pixels: can't be read any more (it has become shorter): put it back as it "
        "was, then a run goes on with --resume"
    )
    assert not is_out_of_memory(caught.value)
