"""Which networks are trained."""

from absl import flags

flags.DEFINE_enum(
    "network",
    "dcgan",
    ["dcgan", "article"],
    "dcgan gives the best samples; article has the layer shapes of the article.",
)
flags.DEFINE_integer(
    "width",
    None,
    "dcgan: base channel count, a multiple of 8. Default: 32. article has fixed widths.",
    lower_bound=8,
    upper_bound=4096,
)
flags.DEFINE_integer(
    "latent_dim",
    None,
    "Length of the generator's latent vector. Default: 128 for dcgan, 100 for article.",
    lower_bound=1,
    upper_bound=65_536,
)
