"""How long something is tried."""

from absl import flags

flags.DEFINE_integer("kills", 20, "How often the run is killed.", lower_bound=1)
flags.DEFINE_boolean(
    "leak", False, "Kill nothing: train for 10,000 steps and say how much the memory grew."
)
flags.DEFINE_boolean(
    "scale",
    False,
    "Kill nothing: measure how a step, the start and the memory grow with the batch, the network, "
    "the images and their number. Needs 1 GB in the folder for a while.",
)
