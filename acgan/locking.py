"""One process at a time in a folder that a run or a sweep writes."""

import contextlib
from pathlib import Path

from acgan.errors import UserError


@contextlib.contextmanager
def alone(path, refusal):
    """Refuses a second process in this block; the lock dies with its process, however that ends.

    Where the system or the file system has no locks, nothing is refused.

    Arguments:
        path: the lock's file, in an existing folder.
        refusal: what a second process is told.

    Raises:
        UserError: another process is in this block.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        fcntl = None
    with open(Path(path), "w") as file:
        if fcntl:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(refusal) from None
            except OSError:  # a file system without locks
                pass
        yield
