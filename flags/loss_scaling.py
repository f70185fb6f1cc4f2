"""How gradients are kept within float16's range."""

from absl import flags

flags.DEFINE_string(
    "loss_scale",
    "dynamic",
    "mixed_float16: dynamic, or a constant number of at least 1 (the article used 128).",
)
