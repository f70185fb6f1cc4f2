"""The bytes of a profile file, and the one error for files that cannot be read."""

import gzip
import pathlib
import zlib

GZIP_MAGIC = b"\x1f\x8b"
BLANK = b"\0 \r\n\t"  # a file of nothing else holds nothing


class ProfileError(ValueError):
    """A profile cannot be read: the message is one line with the file, the trouble, the way out."""

    def __init__(self, path: str | pathlib.Path, trouble: str):
        super().__init__(f"{path}: {trouble}")


def load(path: str | pathlib.Path) -> bytes:
    """Returns the file's content, unpacked if it is gzip.

    Raises ProfileError if the file is missing, empty, a folder, unreadable, or broken gzip.
    """
    try:
        data = pathlib.Path(path).read_bytes()
    except FileNotFoundError:
        raise ProfileError(path, "no such file; check the path") from None
    except IsADirectoryError:
        raise ProfileError(path, "is a folder; name the profile file in it") from None
    except OSError as error:
        raise ProfileError(path, f"cannot be read: {error.strerror}") from None
    if data.startswith(GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error):
            raise ProfileError(path, "its gzip data is broken off; copy the file again") from None
    if not data.strip(BLANK):
        raise ProfileError(
            path,
            "is empty; record it again, over fewer steps if it was large (TensorFlow writes "
            "a 0-byte file for a profile over 2 GB)",
        )
    return data
