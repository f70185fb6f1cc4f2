from types import SimpleNamespace

import numpy as np
import pytest

from acgan.data_failure import DataFailure
from acgan.errors import UserError


def test_a_failed_read_is_raised_when_the_step_has_ended():
    images = SimpleNamespace(failure=None)
    callback = DataFailure(images)
    callback.set_params({"steps": None})
    callback.on_train_batch_begin(0)
    callback.on_train_batch_end(0, {})
    images.failure = UserError("gone")
    callback.on_train_batch_begin(1)
    with pytest.raises(UserError, match="gone"):
        callback.on_train_batch_end(1, {})
    assert callback.steps_done == 2
    assert not callback.in_step


def test_images_in_memory_never_fail():
    callback = DataFailure(np.zeros((2, 4, 4, 1), np.uint8))
    callback.set_params({"steps": None})
    callback.on_train_batch_begin(0)
    callback.on_train_batch_end(0, {})
    assert callback.steps_done == 1
