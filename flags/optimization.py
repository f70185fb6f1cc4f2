"""How the networks are updated."""

from absl import flags

from flags.checks import need_positive

flags.DEFINE_float("learning_rate", 2e-4, "Adam's learning rate.")
flags.DEFINE_float(
    "generator_learning_rate",
    None,
    "The generator's own. Default: 3 times learning_rate for dcgan, the same for article.",
)
flags.DEFINE_float("beta_1", 0.5, "Adam's decay of the gradients' mean, 0 <= beta_1 < 1.")
need_positive("learning_rate", "generator_learning_rate")
flags.register_validator(
    "beta_1", lambda value: 0 <= value < 1, message="a number of 0 or more, below 1, is needed"
)
