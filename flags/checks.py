"""Checks of flag values that several themes need."""

from absl import flags


def need_positive(*names):
    """Refuses values of these number flags that are not positive, or 1e300 and more; None stays."""
    for name in names:
        flags.register_validator(
            name,
            lambda value: value is None or 0 < value < 1e300,
            message="a positive number is needed",
        )
