"""How long something is tried."""

from absl import flags

flags.DEFINE_integer("kills", 20, "How often the run is killed.", lower_bound=1)
