"""How long something is tried."""

from absl import flags

flags.DEFINE_integer("kills", 20, "How often the run is killed.", lower_bound=1)
flags.DEFINE_boolean(
    "leak", False, "Kill nothing: train for 10,000 steps and say how much the memory grew."
)
