"""In which precision a run computes."""

from absl import flags

flags.DEFINE_enum(
    "policy",
    "auto",
    ["float32", "mixed_float16", "mixed_bfloat16", "auto"],
    "Dtype policy. auto: mixed_float16 on a GPU with Tensor Cores, else float32.",
)
flags.DEFINE_string(
    "loss_scale",
    "dynamic",
    "mixed_float16: dynamic, or a constant number of at least 1 (the article used 128).",
)
