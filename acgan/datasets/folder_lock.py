"""One process at a time in a folder."""

import contextlib

from acgan.datasets.download import writing


@contextlib.contextmanager
def locked(folder):
    """Waits until no other process is in a `locked` block for this folder; makes it if need be.

    Where the system or the file system has no locks, nothing is waited for.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        fcntl = None
    path = folder / ".lock"
    with contextlib.ExitStack() as stack:
        with writing(path):
            folder.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(open(path, "w"))
        if fcntl:
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
