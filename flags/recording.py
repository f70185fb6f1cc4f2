"""What a run writes, and how often."""

from absl import flags

flags.DEFINE_integer("log_every", 10, "Steps per point in TensorBoard.", lower_bound=1)
flags.DEFINE_integer(
    "sample_every", 250, "Steps between pictures of samples; 0: at the end only.", lower_bound=0
)
flags.DEFINE_boolean(
    "evaluate",
    None,
    "Judge the generator (class accuracy, FID) and keep the best one. Without it generator.keras "
    "is the last. Default: yes, but for a sweep without --minutes, which measures time alone.",
)
flags.DEFINE_integer(
    "evaluate_every", 500, "Steps between judgements; 0: at the end only.", lower_bound=0
)
