"""The folder that a command writes into, which must be new."""

from pathlib import Path

from acgan.errors import UserError


def check_new(folder):
    """Raises `UserError` if something is at `--out=folder` already: nothing is overwritten."""
    folder = Path(folder)
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UserError(f"--out={folder} exists and is not an empty folder: choose another one")


def make_new(folder):
    """Makes the folder of `--out`, and those above it.

    Raises:
        UserError: it can't be made, or it isn't new.
    """
    check_new(folder)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"--out={folder} can't be written ({error.strerror}): choose another folder"
        ) from error
