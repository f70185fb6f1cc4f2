"""Where a run is kept."""

from absl import flags

flags.DEFINE_string(
    "run_dir",
    None,
    "The run's folder; must be new. Default: runs/<date-time>-<dataset>-<policy>-b<batch>.",
)
