"""What is measured beside the time of a step."""

from absl import flags

flags.DEFINE_boolean(
    "profile", True, "On a GPU: profile five early steps for their Tensor Core use."
)
flags.DEFINE_integer(
    "gradient_range_every",
    0,
    "Steps between measurements of how much of the gradients float16 can hold; 0: none.",
    lower_bound=0,
)
