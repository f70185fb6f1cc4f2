"""The beginning of a file, or all of it, over HTTP."""

import base64
import contextlib
import http.client
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from acgan.errors import UserError

TIMEOUT_S = 30.0  # without a byte
_CHUNK_BYTES = 1 << 18
_MOST_TRIES = 20  # each of them must bring at least one byte


@dataclass(frozen=True)
class Partial:
    """What `fetch` has received.

    `path`: the `.part` file. `total_bytes`: size of the whole file at the server. `md5`: of that
    whole file, hexadecimal. Both are None where the server did not say, or was not asked.
    """

    path: Path
    total_bytes: int | None = None
    md5: str | None = None

    def discard(self):
        """Removes the file, so that the next `fetch` begins anew."""
        self.path.unlink(missing_ok=True)
        _version_path(self.path).unlink(missing_ok=True)


def fetch(url, target, size=None, timeout_s=TIMEOUT_S):
    """Receives the first bytes of a file into `<target>.part`; nothing is written to `target`.

    What an earlier call left there is continued, unless the file at the server has changed since,
    or the server cannot continue: then it begins anew. A connection that breaks off is taken up
    again as long as each try brings something. From a server that always sends the whole file, the
    rest is not read.

    Arguments:
        url: http or https address.
        target: `pathlib.Path` where the caller will put the file, once checked.
        size: bytes wanted, None for all. A shorter file is received as far as it goes.
        timeout_s: seconds without a byte after which the connection counts as broken.

    Returns:
        A `Partial`. Its contents are what the server sent, unchecked.

    Raises:
        UserError: names address and target; for errors of the server and the network, and for a
            folder that cannot be written. What has arrived is kept.
    """
    part = Path(f"{target}.part")
    with writing(part):
        part.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(_MOST_TRIES):
        held = _size(part)
        if size is not None and held >= size:
            return Partial(part)
        try:
            return _receive(url, part, held, size, timeout_s)
        except (OSError, http.client.HTTPException) as error:
            failure = error
            if _size(part) <= held:
                break
    raise by_hand(url, _reason(failure), target) from failure


def by_hand(url, reason, target):
    """A `UserError` that says what failed and how to do without: a download by other means."""
    return UserError(f"{url}: {reason}: try again, or put that file by hand at {target}")


@contextlib.contextmanager
def writing(path):
    """Turns what the operating system says when `path` can't be written into a `UserError`."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{path}: can't be written ({error.strerror}): choose another folder with --cache_dir"
        ) from error


class _BrokenOff(OSError):
    pass


def _receive(url, part, held, size, timeout_s):
    """One request; appends to `part`, or begins it anew."""
    version = _read_version(part) if held else None
    if not version:
        held = 0  # nothing tells whether what is there belongs to the same file
    with _open(url, held, size, version, timeout_s) as response:
        partial = Partial(part, _total_bytes(response), _md5(response))
        if response.status == 416 and held == partial.total_bytes:
            return partial
        if response.status == 200:
            held = 0
        elif held and not _is_continuation(response, held, version):
            partial.discard()
            return _receive(url, part, 0, size, timeout_s)
        elif not _is_continuation(response, held, version):
            raise _BrokenOff(f"an answer that was not asked for ({response.status})")
        if not held:
            _begin(part, response)
        _append(part, held, response, size, partial.total_bytes)
        return partial


def _open(url, held, size, version, timeout_s):
    last = "" if size is None else size - 1
    headers = {"Range": f"bytes={held}-{last}", "Accept-Encoding": "identity"}
    if held:
        headers["If-Range"] = version
    try:
        request = urllib.request.Request(url, headers=headers)
        if request.type not in ("http", "https"):
            raise ValueError(f"{request.type!r} is neither http nor https")
        return urllib.request.urlopen(request, timeout=timeout_s)
    except urllib.error.HTTPError as error:
        if error.code == 416:
            return error
        error.close()
        raise
    except ValueError as error:
        raise UserError(f"{url}: not an address to download from ({error})") from error


def _append(part, held, response, size, total):
    """Writes the answer's body behind the first `held` bytes, as far as it is wanted."""
    end = min((bound for bound in (size, total) if bound is not None), default=None)
    with open(part, "ab") as file:
        while end is None or held < end:
            chunk = response.read(_CHUNK_BYTES if end is None else min(_CHUNK_BYTES, end - held))
            if not chunk:
                break
            with writing(part):
                file.write(chunk)
                file.flush()
            held += len(chunk)
    if total is not None and held < end:
        raise _BrokenOff(f"the connection broke off after {held} of {end} bytes")


def _begin(part, response):
    """An empty `part`, and beside it which version of the file it will hold."""
    with writing(part):
        part.write_bytes(b"")
        _version_path(part).write_text(_version(response) or "")


def _version(response):
    """What identifies this version of the file in `If-Range`: a strong ETag or a date."""
    tag = response.headers.get("ETag", "")
    return tag if tag.startswith('"') else response.headers.get("Last-Modified")


def _is_continuation(response, held, version):
    start = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    same_file = not held or _version(response) == version
    return response.status == 206 and start and int(start[1]) == held and same_file


def _total_bytes(response):
    total = re.search(r"/(\d+)$", response.headers.get("Content-Range", ""))
    if total:
        return int(total[1])
    length = response.headers.get("Content-Length", "")
    return int(length) if response.status == 200 and length.isdecimal() else None


def _md5(response):
    """Google Cloud Storage's header, https://cloud.google.com/storage/docs/xml-api/reference-headers"""
    for value in response.headers.get_all("x-goog-hash", []):
        found = re.search(r"md5=([\w+/]{22}==)", value)
        if found:
            return base64.b64decode(found[1]).hex()
    return None


def _reason(error):
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code} {error.reason}"
    if isinstance(error, urllib.error.URLError):
        return f"no connection ({error.reason})"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error) or type(error).__name__


def _version_path(part):
    return Path(f"{part}.version")


def _read_version(part):
    try:
        return _version_path(part).read_text().strip()
    except OSError:
        return None


def _size(part):
    return part.stat().st_size if part.exists() else 0
