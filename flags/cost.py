"""What a run costs."""

from absl import flags

from flags.checks import need_positive

flags.DEFINE_string(
    "provider", None, "Whose price counts, such as aws, azure, gcp or lambda. Default: any."
)
flags.DEFINE_boolean("spot", False, "The machine is a spot (preemptible) one.")
flags.DEFINE_float("usd_per_hour", None, "Price of the machine, in place of the one looked up.")
flags.DEFINE_float("max_usd", None, "End the run when it has cost this much.")
flags.DEFINE_boolean(
    "dry_run",
    False,
    "Train a few steps only and print an estimate of the time and price of the run.",
)
need_positive("usd_per_hour", "max_usd")
