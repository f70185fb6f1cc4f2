import numpy as np
import pytest

from acgan.datasets.pixels import to_uint8
from acgan.errors import UserError


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([0, 7, 255], np.uint8, [0, 7, 255]),
        ([0, 7, 255], np.int64, [0, 7, 255]),
        ([0, 7, 255], np.uint16, [0, 7, 255]),
        ([False, True], bool, [0, 255]),
        ([0.0, 0.1, 1.0], np.float64, [0, 26, 255]),  # 255 * 0.1 = 25.5, a little more in float64
        ([0.0, 0.2, 1.0], np.float16, [0, 51, 255]),
        ([0.0, 0.5, 1.0005], np.float32, [0, 128, 255]),
        ([0.0, 1.0, 254.6], np.float32, [0, 1, 255]),
    ],
)
def test_becomes_bytes(values, dtype, expected):
    pixels = to_uint8(np.array(values, dtype), "x")
    assert pixels.dtype == np.uint8
    assert pixels.tolist() == expected


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        ([-1.0, 1.0], np.float32, r"x: float32 pixels of -1\.\.1: scale them to 0\.\.1 or"),
        ([0, 256.0], np.float64, r"of 0\.\.256"),
        ([-1, 3], np.int32, r"int32 pixels of -1\.\.3: scale them to 0\.\.255"),
        ([0, 65535], np.uint16, r"of 0\.\.65535"),
        ([0.0, np.nan], np.float32, "NaN"),
        ([0.0, np.inf], np.float32, "infinite"),
        ([1j], np.complex64, "type complex64"),
        (["a"], str, "type <U1"),
    ],
)
def test_refuses_with_the_range_found(values, dtype, message):
    with pytest.raises(UserError, match=message):
        to_uint8(np.array(values, dtype), "x")
