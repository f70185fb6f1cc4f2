"""What a run may cost."""

from absl import flags

from flags.checks import need_positive

flags.DEFINE_float("max_usd", None, "End the run when it has cost this much.")
flags.DEFINE_boolean(
    "dry_run",
    False,
    "Train a few steps only and print an estimate of the time and price of the run.",
)
need_positive("max_usd")
