"""What happens to a training that goes wrong."""

from absl import flags

flags.DEFINE_enum(
    "on_divergence",
    "stop",
    ["stop", "rollback", "continue"],
    "If losses or weights are no longer finite, the loss scale can't fall further, or all images "
    "of a class become alike: end the run, go back to the last good checkpoint with lower learning "
    "rates, or say it once and go on.",
)
flags.DEFINE_float(
    "rollback_factor",
    0.5,
    "--on_divergence=rollback: what both learning rates are multiplied by each time, 0 to 1.",
)
flags.register_validator(
    "rollback_factor", lambda value: 0 < value < 1, "must be above 0 and below 1"
)
flags.DEFINE_integer(
    "max_rollbacks",
    3,
    "--on_divergence=rollback: how often to go back before the run ends.",
    lower_bound=1,
)
