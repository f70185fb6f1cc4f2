"""Which images a run learns."""

from absl import flags

flags.DEFINE_string(
    "dataset",
    "mnist5k",
    "mnist5k (embedded), quickdraw, cifar10, fashion_mnist, or a path: an .npz file with x and y, "
    "a folder with images.npy and labels.npy, or a folder with one folder of images a class.",
)
flags.DEFINE_integer(
    "images_per_class",
    10_000,
    "quickdraw: drawings to download of each class; 0 takes whole files.",
    lower_bound=0,
    upper_bound=10_000_000,
)
flags.DEFINE_integer(
    "image_size",
    64,
    "Image folders: side in pixels that images are resized to, divisible by 4.",
    lower_bound=8,
    upper_bound=4096,
)
flags.DEFINE_enum(
    "channels", None, ["1", "3"], "1 turns images grey, 3 into colour. Default: as the data."
)
