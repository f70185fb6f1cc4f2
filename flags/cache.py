"""Where things are kept that several runs need."""

from absl import flags

flags.DEFINE_string(
    "cache_dir",
    None,
    "Folder for downloads and judges. Default: $XDG_CACHE_HOME/acgan or ~/.cache/acgan.",
)
