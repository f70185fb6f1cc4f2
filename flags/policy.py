"""In which precision a run computes."""

from absl import flags

flags.DEFINE_enum(
    "policy",
    "auto",
    ["float32", "mixed_float16", "mixed_bfloat16", "auto"],
    "Dtype policy. auto: mixed_float16 on a GPU with Tensor Cores, else float32.",
)
