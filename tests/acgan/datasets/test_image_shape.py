import pytest

from acgan.datasets.image_shape import check_image_shape
from acgan.errors import UserError


@pytest.mark.parametrize(
    "shape",
    [
        (5, 28, 28),
        (5, 28, 28, 1),
        (5, 28, 28, 3),
        (1, 4, 4, 3),
        (3, 3, 8, 3),  # three images, not square: of that the data set tells
        (5, 3, 4, 4),  # what is first may as well be the side
    ],
)
def test_what_may_be_images_passes(shape):
    assert check_image_shape(shape, "x") is None


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((60, 784), "x is [60, 784], not [count, side, side]: x.reshape(-1, 28, 28)"),
        ((60, 785), "x is [60, 785], not [count, side, side]"),
        ((60, 32 * 32 * 3), "x is [60, 3072], not [count, side, side]"),
    ],
)
def test_flat_images_are_refused_with_a_way_out_where_they_are_square(shape, message):
    with pytest.raises(UserError) as caught:
        check_image_shape(shape, "x")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "shape", [(), (5,), (0, 8, 8), (5, 0, 0), (5, 8, 8, 0), (5, 8, 8, 3, 1)], ids=str
)
def test_other_counts_of_axes_and_empty_ones_are_refused(shape):
    with pytest.raises(UserError) as caught:
        check_image_shape(shape, "x")
    assert str(caught.value) == (
        f"x is {list(shape)}, not [count, side, side] or [count, side, side, channels]"
    )


@pytest.mark.parametrize("shape", [(5, 3, 32, 32), (5, 1, 28, 28), (1, 3, 5, 5)])
def test_channels_that_come_first_are_refused_with_a_way_out(shape):
    with pytest.raises(UserError) as caught:
        check_image_shape(shape, "x")
    assert str(caught.value) == (f"x is {list(shape)}, channels first: save np.moveaxis(x, 1, -1)")
