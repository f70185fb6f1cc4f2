"""Whether a generator draws the same image whatever its latent vector is.

Everything is measured in grey levels, 0..255, and compared with real images of the class: 10 grey
levels between two images are little for photographs and much for thin strokes on white.
"""

from dataclasses import dataclass

import numpy as np

REAL_IMAGES = 64  # of a class, at most, that generated ones are compared with
MID_GREY = 127.5  # what an untrained generator draws, sigmoid(0)
ALIKE = 0.05  # images that differ by less than this share of what real ones do
VARIED = 0.25  # images that differ by this share have learned to differ
LEFT_GREY = 0.5  # share of the real images' distance from mid-grey that a trained generator has
TIMES_TO_LEARN = 4  # the steps it took to leave mid-grey, until images must differ
LASTING_STEPS = 500  # over which images must be alike; a few steps may be chance


@dataclass(frozen=True, eq=False)
class Spread:
    """How images of each class are spread, in grey levels.

    Attributes:
        variety: float [classes], mean absolute difference between the pixels of two images; NaN
            for a class with a single image.
        from_grey: float [classes], mean absolute difference between a pixel and mid-grey.
    """

    variety: np.ndarray
    from_grey: np.ndarray


def real_spread(images, labels, classes):
    """The `Spread` of a data set, from the first 64 images of each class.

    Arguments:
        images: uint8 [count, height, width, channels].
        labels: int [count], values 0..classes-1, every class present.
        classes: number of classes.
    """
    return _spread(
        images[np.flatnonzero(labels == number)[:REAL_IMAGES]] for number in range(classes)
    )


def generated_spread(images):
    """The `Spread` of samples.

    Arguments:
        images: uint8 [rows, classes, height, width, channels], each row from a latent vector of
            its own.
    """
    return _spread(images[:, number] for number in range(images.shape[1]))


def variety(images):
    """Mean absolute difference between the pixels of two images, over all pairs of images.

    Of n sorted numbers the differences of all pairs add up to the sum of (2 i - n + 1) x_i, i
    counted from 0: x_i is the larger one in i pairs and the smaller one in n - 1 - i.

    Arguments:
        images: uint8 [count, ...].

    Returns:
        A float, 0..255; NaN for a single image.
    """
    count = len(images)
    if count < 2:
        return np.nan
    ordered = np.sort(images, axis=0).reshape(count, -1)
    weights = 2 * np.arange(count) - count + 1
    difference = weights @ ordered.sum(axis=1, dtype=np.int64)  # exact, and so never below 0
    return float(difference / (count * (count - 1) / 2) / ordered.shape[1])


def _spread(images_by_class):
    measured = [(variety(images), np.abs(images - MID_GREY).mean()) for images in images_by_class]
    return Spread(*np.array(measured, float).T)


class CollapseWatch:
    """Looks at samples from time to time and tells which classes have collapsed.

    A class is suspect at a look if its images are alike although it has been learned: either they
    were varied at an earlier look; or they left mid-grey long ago, at most a quarter of the steps
    done. (Generators draw mid-grey at first, then the same for every latent vector, then images
    that differ. How many steps that takes depends on the learning rate, but the second phase took
    no longer than the first in any run that was measured.) A class that is suspect at every look
    over 500 steps has collapsed. One whose real images are alike or single never is suspect.

    Arguments:
        real: the data set's `Spread`.
        state: what `state` gave in a run that goes on.

    Attributes:
        suspects: numbers of the classes that were suspect at the latest look.
        latest: the `Spread` at the latest look, None before the first.
    """

    def __init__(self, real, state=None):
        classes = len(real.variety)
        self.real = real
        self.latest = None
        self.suspects = ()
        state = state or {}
        self._was_varied = list(state.get("was_varied", [False] * classes))
        self._left_grey_at = list(state.get("left_grey_at", [None] * classes))  # steps
        self._suspect_since = list(state.get("suspect_since", [None] * classes))  # steps

    def state(self):
        """What was seen so far, as JSON can hold it."""
        return {
            "was_varied": list(self._was_varied),
            "left_grey_at": list(self._left_grey_at),
            "suspect_since": list(self._suspect_since),
        }

    def look(self, step, images):
        """Looks at the samples of a step, not before those of the last look.

        Arguments:
            step: training steps done.
            images: as for `generated_spread`.

        Returns:
            Numbers of the classes that have collapsed, ascending.
        """
        self.latest = now = generated_spread(images)
        is_alike = now.variety < ALIKE * self.real.variety
        is_varied = now.variety >= VARIED * self.real.variety
        is_off_grey = now.from_grey >= LEFT_GREY * self.real.from_grey
        for number, since in enumerate(self._suspect_since):
            is_suspect = is_alike[number] and self._is_learned(number, step)
            self._suspect_since[number] = (step if since is None else since) if is_suspect else None
            self._was_varied[number] |= bool(is_varied[number])
            if is_off_grey[number] and self._left_grey_at[number] is None:
                self._left_grey_at[number] = step
        since = {n: step for n, step in enumerate(self._suspect_since) if step is not None}
        self.suspects = tuple(since)
        return tuple(number for number in since if step - since[number] >= LASTING_STEPS)

    def _is_learned(self, number, step):
        left_at = self._left_grey_at[number]
        had_time = left_at is not None and step >= TIMES_TO_LEARN * left_at
        return self._was_varied[number] or had_time
