"""What a sweep measures."""

from absl import flags

flags.DEFINE_list(
    "policies",
    ["float32", "mixed_float16"],
    "Dtype policies to compare, separated by commas: float32, mixed_float16, mixed_bfloat16.",
)
flags.DEFINE_list(
    "batch_sizes", ["32", "128", "512", "1024", "2048"], "Batch sizes, separated by commas."
)
flags.DEFINE_integer(
    "repeats", 3, "Runs of each policy at each batch size, for the spread.", lower_bound=1
)
flags.DEFINE_enum(
    "objective",
    "images_per_second",
    ["images_per_second", "usd_per_million_images", "step_time_ms"],
    "What the best batch size is chosen by.",
)
flags.DEFINE_boolean(
    "find_max_batch", False, "Search for the largest batch size that fits into memory, too."
)
