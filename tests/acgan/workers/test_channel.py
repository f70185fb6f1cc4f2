import socket

import pytest

from acgan.workers.channel import LONGEST_HEAD, Channel


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    with one, other:
        yield Channel(one), Channel(other), one


def test_messages_arrive_one_by_one_with_fields_and_bytes(ends):
    one, other, _ = ends
    one.send("hello", index=1, terms={"a": [1, None]})
    one.send("begin", b"\x00\nbytes")
    assert other.receive(10) == {
        "kind": "hello",
        "bytes": 0,
        "index": 1,
        "terms": {"a": [1, None]},
        "payload": b"",
    }
    assert other.receive(10)["payload"] == b"\x00\nbytes"


def test_a_message_in_pieces_is_put_together(ends):
    _, other, raw = ends
    raw.sendall(b'{"kind": "be')
    assert other.receive(0) is None
    raw.sendall(b'gin", "bytes": 3}\nab')
    assert other.receive(0) is None
    raw.sendall(b"c")
    assert other.receive(10)["payload"] == b"abc"


def test_what_was_sent_before_the_end_still_arrives(ends):
    one, other, _ = ends
    one.send("goodbye")
    one.end_sending()
    assert other.receive(10)["kind"] == "goodbye"
    with pytest.raises(OSError, match="closed"):
        other.receive(10)


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n",
        b"\xff\xfe\n",
        b"[1]\n",
        b'{"bytes": 0}\n',
        b'{"kind": "x", "bytes": "many"}\n',
        b'{"kind": "x", "bytes": -1}\n',
    ],
)
def test_something_else_is_refused(ends, sent):
    _, other, raw = ends
    raw.sendall(sent)
    with pytest.raises(OSError, match="no message"):
        other.receive(10)


def test_an_endless_line_is_refused():
    class Flood:
        def recv(self, count):
            return b"x" * count

        def fileno(self):
            return readable.fileno()

    readable, writer = socket.socketpair()
    with readable, writer:
        writer.sendall(b"x")
        with pytest.raises(OSError, match="no message"):
            Channel(Flood()).receive(10)
    assert LONGEST_HEAD < 2**21


def test_one_that_was_closed_here_is_broken(ends):
    one, _, _ = ends
    one.close()
    with pytest.raises(ConnectionError, match="closed"):
        one.receive(0.01)
