"""Messages over a connection between two processes."""

import json
import select
import socket
import threading

LONGEST_HEAD = 1 << 20  # bytes; a stranger at the port may send anything


class Channel:
    """Sends and receives messages: a JSON object a line, with bytes after it if it says so.

    Several threads may send, one may receive.

    Arguments:
        connection: a connected `socket.socket`; the channel closes it.
    """

    def __init__(self, connection):
        self._connection = connection
        self._received = bytearray()
        self._sending = threading.Lock()

    def send(self, kind, payload=b"", **fields):
        """Sends a message of a kind with further fields.

        Raises:
            OSError: the connection is broken.
        """
        head = json.dumps({"kind": kind, "bytes": len(payload), **fields})
        with self._sending:
            self._connection.sendall(f"{head}\n".encode() + payload)

    def receive(self, timeout_s):
        """The next message, a dictionary, with its bytes as `payload`; None if none came in time.

        Raises:
            OSError: the connection is broken, closed, or carries something else.
        """
        while (message := self._take()) is None:
            if not self._has_data(timeout_s):
                return None
            data = self._connection.recv(1 << 16)
            if not data:
                raise ConnectionError("closed")
            self._received += data
        return message

    def end_sending(self):
        """Tells the other end that nothing more comes."""
        with self._sending:
            self._connection.shutdown(socket.SHUT_WR)

    def close(self):
        self._connection.close()

    def _has_data(self, timeout_s):
        try:
            return bool(select.select([self._connection], [], [], timeout_s)[0])
        except ValueError as error:  # another thread has closed it
            raise ConnectionError("closed") from error

    def _take(self):
        """A message out of what was received; None if it is not complete."""
        end = self._received.find(b"\n")
        if end < 0:
            if len(self._received) > LONGEST_HEAD:
                raise ConnectionError("no message")
            return None
        try:
            message = json.loads(self._received[:end])
            size = int(message["bytes"])
            message["kind"]
        except (ValueError, KeyError, TypeError) as error:
            raise ConnectionError("no message") from error
        if size < 0:
            raise ConnectionError("no message")
        if len(self._received) < end + 1 + size:
            return None
        message["payload"] = bytes(self._received[end + 1 : end + 1 + size])
        del self._received[: end + 1 + size]
        return message
