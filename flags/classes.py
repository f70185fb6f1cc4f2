"""Which classes a command works on."""

from absl import flags

flags.DEFINE_list(
    "classes",
    [],
    "Classes to use, names or numbers, separated by commas. Default: all of them; for quickdraw "
    "the article's ten of 345.",
)
