"""What is generated from a trained run."""

from absl import flags

flags.DEFINE_string("run", None, "Folder of a trained run.")
flags.DEFINE_integer(
    "count",
    64,
    "Images in all, spread evenly over the classes.",
    lower_bound=1,
    upper_bound=1_000_000,
)
