"""How cost grows with the work: everything that `scripts/soak --scale` measures."""

from acgan import growing_data, growing_steps
from acgan.benchmarks import loops
from acgan.made_up_images import check_room


def prepare(folder):
    """Leaves room for other processes, and sees whether the data will fit into a folder.

    Raises:
        UserError: they don't fit there.
    """
    check_room(folder, growing_data.COUNTS, loops.IMAGE_SHAPE)
    loops.share_gpu_memory()


# What is measured, in words, and `measure(folder)`, which returns `acgan.growth_table.Point`s.
SERIES = (
    ("steps by batch size", lambda folder: growing_steps.by_batch_size()),
    ("steps by width", lambda folder: growing_steps.by_width()),
    ("steps by size of the images", lambda folder: growing_steps.by_side()),
    ("starts by number of images", growing_data.by_count),
    ("images on disk against images in memory", growing_data.disk_against_memory),
)
