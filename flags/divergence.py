"""What happens to a training that goes wrong."""

from absl import flags

flags.DEFINE_enum(
    "on_divergence",
    "stop",
    ["stop", "continue"],
    "If losses or weights are no longer finite, the loss scale can't fall further, or all images "
    "of a class become alike: end the run, or say it once and go on.",
)
