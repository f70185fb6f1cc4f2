"""Where a run is kept, and whether to go on with one."""

from absl import flags

flags.DEFINE_string(
    "run_dir",
    None,
    "The run's folder; must be new. Default: runs/<date-time>-<dataset>-<policy>-b<batch>.",
)
flags.DEFINE_boolean(
    "resume",
    False,
    "Go on with the run in --run_dir, with its flags, from its newest checkpoint; from step 0 if "
    "there is none.",
)
flags.DEFINE_boolean(
    "allow_policy_change",
    False,
    "With --resume: go on in another --policy; the loss scale starts anew, and acgan.report leaves "
    "the run out.",
)
