"""Where a command writes."""

from absl import flags

flags.DEFINE_string(
    "out",
    None,
    "Folder for what the command writes; must be new or empty. A sweep goes on with its own.",
)
