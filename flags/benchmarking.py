"""What the benchmark measures, and how often."""

from absl import flags

flags.DEFINE_string("json", None, "File to write the measurements to, as JSON.")
flags.DEFINE_list("rows", [], "Numbers of the rows to measure, such as 1,2,3. Default: all.")
flags.DEFINE_integer(
    "pairs",
    5,
    "Pairs of every comparison. Rows that hold many, 4 and 6 to 9, take half as many, at least 3.",
    lower_bound=3,
)
