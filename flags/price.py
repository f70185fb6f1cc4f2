"""What the machine costs."""

from absl import flags

from flags.checks import need_positive

flags.DEFINE_string(
    "provider", None, "Whose price counts, such as aws, azure, gcp or lambda. Default: any."
)
flags.DEFINE_boolean("spot", False, "The machine is a spot (preemptible) one.")
flags.DEFINE_float(
    "usd_per_hour",
    None,
    "Price of the machine, with several of each, in place of the one looked up.",
)
need_positive("usd_per_hour")
