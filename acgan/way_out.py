"""What a user can do about an error that ended a run."""

import re

import tensorflow as tf

from acgan.errors import UserError

# How TensorFlow passes on what was raised while it made a batch.
_FROM_DATA = re.compile(r"\bUserError: (.+)")
_FILE_TROUBLE = re.compile("No space|quota|Read-only|Permission denied|can't be written", re.I)


def way_out(error, folder, batch_size):
    """One line, or None for faults of the project's own.

    Arguments:
        error: what was raised.
        folder: the run's folder.
        batch_size: the run's.
    """
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, tf.errors.OpError) and (found := _FROM_DATA.search(error.message)):
        return found[1]
    if isinstance(error, FileNotFoundError) and not folder.exists():
        return f"{folder} was removed while the run was writing into it: start the run again"
    if _is_file_trouble(error):
        return f"{folder} can't be written ({error}): free space, then go on with --resume"
    if is_out_of_memory(error):
        return (
            f"--batch_size={batch_size} does not fit into the device's memory: choose a smaller "
            "one, or smaller images, --width or --latent_dim"
        )
    return None


def is_out_of_memory(error):
    """Whether the device's or the machine's memory was too small, however TensorFlow puts it."""
    if _is_file_trouble(error):  # a full disk is a ResourceExhaustedError, too
        return False
    if isinstance(error, tf.errors.ResourceExhaustedError | MemoryError):
        return True
    return isinstance(error, tf.errors.InternalError) and "out of memory" in str(error).lower()


def _is_file_trouble(error):
    return isinstance(error, OSError | tf.errors.OpError) and _FILE_TROUBLE.search(str(error))
