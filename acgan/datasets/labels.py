"""A user's own labels and names of classes."""

import numpy as np

from acgan.errors import UserError

_SHOWN = 5  # missing labels that an error lists at most


def to_labels(y, source):
    """Labels as int32 [count], 0..classes-1, each present.

    Arguments:
        y: integers [count] or [count, 1].
        source: file and array; errors begin with it.

    Raises:
        UserError: for other types and shapes, negative labels, gaps, and a single class.
    """
    if y.dtype.kind not in "iu":
        raise UserError(f"{source} is {y.dtype}: integer labels are needed, 0..classes-1")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 or not y.size:
        hint = " (one-hot? save y.argmax(1))" if y.ndim == 2 and y.shape[1] > 1 else ""
        raise UserError(f"{source} is {list(y.shape)}, not [count]{hint}")
    present = np.unique(y)
    if present[0] < 0:
        raise UserError(f"{source} has negative labels ({present[0]}): count from 0")
    if len(present) == 1:
        raise UserError(f"{source} has a single class ({present[0]}): an AC-GAN needs two or more")
    missing = int(present[-1]) + 1 - len(present)
    if missing:
        # The first gap lies within the first len(present) + 1 numbers, the next ones soon after.
        gaps = np.setdiff1d(np.arange(min(present[-1], len(present) + _SHOWN)), present)[:_SHOWN]
        more = f" and {missing - len(gaps)} more" if missing > len(gaps) else ""
        raise UserError(
            f"{source} has labels up to {present[-1]} but none of "
            f"{', '.join(map(str, gaps))}{more}: number the classes 0..{len(present) - 1}"
        )
    return y.astype(np.int32)


def to_class_names(names, classes, source, labels):
    """Names of classes as a tuple of texts; "0", "1", ... if there are none.

    Arguments:
        names: texts, one a class, or None.
        classes: how many there are.
        source: file and array; errors begin with it.
        labels: what the labels are called.

    Raises:
        UserError: for another number of names, or a name that is there twice.
    """
    if names is None:
        return tuple(str(number) for number in range(classes))
    if len(names) != classes:
        raise UserError(
            f"{source} holds {len(names)} names for the {classes} classes in {labels}: give one a "
            "class"
        )
    names = tuple(str(name) for name in names)
    if len(set(names)) < classes:
        raise UserError(f"{source} holds a name twice: {', '.join(names)}")
    return names
