"""The images that a run's settings ask for."""

from acgan import datasets
from acgan.errors import UserError

FEWEST_TO_JUDGE = 4  # two halves need two images each


def load_dataset(settings, flag="batch_size"):
    """The settings' images.

    Arguments:
        settings: an `acgan.settings.Settings`.
        flag: name of the flag that the batch size was given with.

    Raises:
        UserError: there are too few for a batch or to be judged, or they can't be loaded.
    """
    dataset = datasets.load(
        settings.dataset,
        classes=settings.classes,
        images_per_class=settings.images_per_class,
        image_size=settings.image_size,
        channels=settings.channels,
        cache_dir=settings.cache_dir,
    )
    count = len(dataset)
    if settings.evaluate and count < FEWEST_TO_JUDGE:
        raise UserError(
            f"--dataset={settings.dataset} has {count} images, and fewer than {FEWEST_TO_JUDGE} "
            "can't be judged: give more, or --noevaluate"
        )
    if settings.batch_size > count:
        raise UserError(
            f"--{flag}={settings.batch_size} is more than the {count} images of "
            f"--dataset={settings.dataset}: choose {count} or less"
        )
    return dataset
