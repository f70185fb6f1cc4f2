"""Whether an array may be a user's own images."""

from acgan.errors import UserError


def check_image_shape(shape, source):
    """Refuses arrays that can't be images, by their shape.

    Arguments:
        shape: of the array.
        source: file and array; errors begin with it.

    Raises:
        UserError: if it is not [count, side, side] or [count, side, side, channels], with a hint
            for flat images and for channels that come first.
    """
    if len(shape) == 2:
        side = int(shape[1] ** 0.5)
        example = f": x.reshape(-1, {side}, {side})" if side * side == shape[1] else ""
        raise UserError(f"{source} is {list(shape)}, not [count, side, side]{example}")
    if len(shape) not in (3, 4) or 0 in shape:
        raise UserError(
            f"{source} is {list(shape)}, not [count, side, side] or [count, side, side, channels]"
        )
    if len(shape) == 4 and shape[1] in (1, 3) and shape[2] == shape[3] > 4:
        raise UserError(f"{source} is {list(shape)}, channels first: save np.moveaxis(x, 1, -1)")
