"""What a report looks for."""

from absl import flags

from flags.checks import need_positive

flags.DEFINE_float(
    "target_fid",
    None,
    "FID whose price is looked up. Default: for each device the lowest that all settings reached.",
)
need_positive("target_fid")
