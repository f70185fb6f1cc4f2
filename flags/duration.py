"""How long a run trains; whichever comes first ends it."""

from absl import flags

from flags.checks import need_positive

flags.DEFINE_integer("steps", None, "Training steps.", lower_bound=1)
flags.DEFINE_float("epochs", None, "Passes over the images.")
flags.DEFINE_float(
    "minutes",
    None,
    "Minutes of training alone: without start-up, evaluation and samples. With neither --steps nor "
    "--epochs nor --minutes a run trains for 3 minutes, a run of a sweep for 60 steps.",
)
need_positive("epochs", "minutes")
