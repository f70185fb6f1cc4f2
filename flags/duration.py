"""How long a run trains; whichever comes first ends it."""

from absl import flags

flags.DEFINE_integer("steps", None, "Training steps.", lower_bound=1)
flags.DEFINE_float("epochs", None, "Passes over the images.")
flags.DEFINE_float(
    "minutes",
    None,
    "Minutes of training alone: without start-up, evaluation and samples. With neither --steps nor "
    "--epochs nor --minutes a run trains for 3 minutes.",
)
for _name in ("epochs", "minutes"):
    flags.register_validator(
        _name,
        lambda value: value is None or 0 < value < float("inf"),
        message="a positive number is needed",
    )
