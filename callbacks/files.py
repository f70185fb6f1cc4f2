"""Files that are whole or not there."""

import contextlib
import os
import secrets
from pathlib import Path


@contextlib.contextmanager
def replacing(path):
    """Gives a name to write to; after the block the file there takes the place of `path`.

    If the block fails, what stood at `path` stays and what was written is removed. The name keeps
    the suffix, which Keras goes by.

    Example:
        with replacing(folder / "generator.keras") as partial:
            model.save(partial)
    """
    path = Path(path)
    # Processes of several machines or containers may have the same number.
    unique = f"{os.getpid()}-{secrets.token_hex(4)}"
    partial = path.with_name(f".{path.stem}-{unique}.part{path.suffix}")
    try:
        yield partial
        os.replace(partial, path)
    except OSError as error:
        error.filename = error.filename or str(path)  # so that its message names the file
        raise
    finally:
        partial.unlink(missing_ok=True)
