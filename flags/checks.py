"""Checks of flag values that several themes need."""

from absl import flags


def need_positive(*names):
    """Refuses values of these number flags that are not positive and finite; None stays allowed."""
    for name in names:
        flags.register_validator(
            name,
            lambda value: value is None or 0 < value < float("inf"),
            message="a positive number is needed",
        )
