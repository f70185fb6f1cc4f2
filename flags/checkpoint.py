"""How a run is saved, so that it can go on after whatever ended it."""

from absl import flags

flags.DEFINE_integer(
    "checkpoint_every", 0, "Steps between checkpoints; 0: by time alone.", lower_bound=0
)
flags.DEFINE_float(
    "checkpoint_minutes",
    5.0,
    "Minutes between checkpoints; 0: by steps alone. With neither there are none at all.",
    lower_bound=0.0,
)
flags.DEFINE_integer("keep_checkpoints", 3, "Checkpoints that are kept.", lower_bound=1)
