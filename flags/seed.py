"""What randomness follows from."""

from absl import flags

flags.DEFINE_integer(
    "seed",
    0,
    "Non-negative number from which all randomness follows.",
    lower_bound=0,
    upper_bound=2**31 - 1,
)
