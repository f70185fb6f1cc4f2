"""A real HTTP server on this machine, and drawings for it."""

import contextlib
import functools
import io
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest


class FileServer:
    """Serves files over HTTP.

    Attributes:
        files: name -> bytes.
        mode: "range" honours Range and If-Range; "no_range" always sends everything;
            "ignore_if_range" continues even a file that has changed.
        hang_ups: how many answers break off half-way, with the length of the whole announced.
        status: sent instead of any file.
        silent: no answer at all.
        answers: (status, range asked for) of each answer so far.
    """

    def __init__(self):
        self.files, self.mode, self.hang_ups, self.status = {}, "range", 0, None
        self.headers, self.answers, self.silent = {"ETag": '"1"'}, [], False
        handler = functools.partial(_Handler, self)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.released = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, owner, *arguments):
        self.owner = owner
        super().__init__(*arguments)

    def do_GET(self):
        owner, wanted = self.owner, self.headers.get("Range")
        if owner.silent:
            owner.released.wait(5)
            return
        body = owner.files.get(self.path.lstrip("/"))
        status = owner.status or (200 if body is not None else 404)
        extra, total = dict(owner.headers), len(body or b"")
        if status == 200 and wanted and owner.mode != "no_range":
            changed = self.headers.get("If-Range", owner.headers.get("ETag")) != owner.headers.get(
                "ETag"
            )
            if not changed or owner.mode == "ignore_if_range":
                first, last = re.fullmatch(r"bytes=(\d+)-(\d*)", wanted).groups()
                first, last = int(first), min(int(last or total), total - 1)
                status = 206 if first < total else 416
                span = f"{first}-{last}" if status == 206 else "*"
                extra["Content-Range"] = f"bytes {span}/{total}"
                body = body[first : last + 1]
        owner.answers.append((status, wanted))
        body = body if status in (200, 206) else b"<html>sorry</html>"
        self.send_response(status)
        for name, value in extra.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if owner.hang_ups:
            owner.hang_ups -= 1
            body = body[: len(body) // 2]
        with contextlib.suppress(OSError):  # the client may have what it wanted
            self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    owner = FileServer()
    thread = threading.Thread(target=owner.server.serve_forever, args=(0.01,))
    thread.start()
    yield owner
    owner.released.set()
    owner.server.shutdown()
    thread.join()
    owner.server.server_close()


@pytest.fixture
def closed_url(monkeypatch):
    """An address on this machine where nobody listens."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as bound:  # but not listening
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture
def make_drawings():
    """drawings(count, first) -> uint8 [count, 784]: drawing i is all (first + i) % 256."""

    def make(count, first=0):
        return np.repeat(((first + np.arange(count)) % 256).astype(np.uint8)[:, None], 784, axis=1)

    return make


@pytest.fixture
def npy_bytes():
    """The bytes of a `.npy` file with the given array."""

    def to_bytes(array):
        file = io.BytesIO()
        np.save(file, array)
        return file.getvalue()

    return to_bytes


@pytest.fixture
def shared_data():
    """Real images outside the project; tests that need them are skipped where they are absent."""
    folder = Path(__file__).parents[4] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no shared data here")
    return folder
