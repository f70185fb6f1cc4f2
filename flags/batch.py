"""How many images a training step takes."""

from absl import flags

flags.DEFINE_integer("batch_size", 64, "Real images per training step.", lower_bound=1)
