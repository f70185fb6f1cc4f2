import contextlib
import queue
import socket
import threading

import pytest

from acgan.errors import UserError
from acgan.workers import meeting
from acgan.workers.channel import Channel
from acgan.workers.cluster import Cluster, Worker
from acgan.workers.meeting import meet, meeting_port

THREE = tuple(Worker("worker", index, "127.0.0.1", 20_000 + index) for index in range(3))


@pytest.fixture(autouse=True)
def channels(monkeypatch):
    """Short pauses, and an end to every connection of a test."""
    made = []

    class Kept(Channel):
        def __init__(self, connection):
            super().__init__(connection)
            made.append(self)

    monkeypatch.setattr(meeting, "Channel", Kept)
    monkeypatch.setattr(meeting, "PAUSE_SECONDS", 0.01)
    yield
    for channel in made:
        channel.close()


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Elsewhere:
    """A worker in a thread: what came of its `meet`, and what it said."""

    def __init__(self, index, terms, port, workers=THREE):
        self.said = queue.Queue()
        self._outcome = queue.Queue()
        arguments = (Cluster(workers, index), terms, port)
        threading.Thread(target=self._meet, args=arguments, daemon=True).start()

    def _meet(self, cluster, terms, port):
        try:
            self._outcome.put(meet(cluster, terms, b"mine", port, self.said.put))
        except UserError as error:
            self._outcome.put(error)

    def outcome(self):
        return self._outcome.get(timeout=20)


def test_all_meet_whoever_comes_first_and_have_the_chiefs_gift(port):
    before = Elsewhere(2, {"seed": (1, 2)}, port)
    assert before.said.get(timeout=20) == f"waiting for worker 0 (127.0.0.1:20000), port {port}"
    others = [Elsewhere(1, {"seed": (1, 2)}, port), before]
    said = []
    met = meet(Cluster(THREE, 0), {"seed": (1, 2)}, b"gift", port, said.append)
    assert said[0] == "waiting for worker 1 (127.0.0.1:20001), worker 2 (127.0.0.1:20002)"
    assert sorted(met.channels) == [1, 2]
    for index, other in enumerate(others, 1):
        theirs = other.outcome()
        assert theirs.gift == b"gift"
        theirs.channels[0].send("beat", me=index)
        assert met.channels[index].receive(20)["me"] == index


def test_different_terms_are_named_everywhere(port):
    chief = Elsewhere(0, {"batch_size": 64, "seed": 1}, port)
    same = Elsewhere(2, {"batch_size": 64, "seed": 1}, port)
    assert "waiting for worker 0" in same.said.get(timeout=20)
    assert same.said.get(timeout=20) == "waiting for the other workers"
    other = Elsewhere(1, {"batch_size": 32, "seed": 1}, port)
    line = (
        "batch_size is 32 on worker 1 (127.0.0.1:20001) and 64 on worker 0 (127.0.0.1:20000): "
        "start all workers with the same code, data and flags"
    )
    assert [str(worker.outcome()) for worker in (chief, same, other)] == [line] * 3


def test_a_term_that_the_chief_lacks_differs(port):
    chief, other = Elsewhere(0, {}, port, THREE[:2]), Elsewhere(1, {"new": 1}, port, THREE[:2])
    for worker in (chief, other):
        assert "new is 1 on worker 1 (127.0.0.1:20001) and None on" in str(worker.outcome())


def test_strangers_and_other_clusters_are_not_let_in(port):
    two = THREE[:2]
    chief = Elsewhere(0, {}, port, two)
    with connected(port) as stranger, connected(port) as lost:
        stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert stranger.recv(1) == b""
        Channel(lost).send("hello", cluster=["worker 0 (elsewhere:1)"], index=1, terms={})
        assert lost.recv(1) == b""
    assert meet(Cluster(two, 1), {}, port=port).gift == b"mine"
    assert list(chief.outcome().channels) == [1]


def test_a_worker_that_was_started_anew_takes_its_place(port):
    chief = Elsewhere(0, {}, port)
    with connected(port) as first:
        Channel(first).send("hello", cluster=[str(w) for w in THREE], index=1, terms={})
        second = Elsewhere(1, {}, port)
        assert first.recv(1) == b""
    Elsewhere(2, {}, port)
    met = chief.outcome()
    assert sorted(met.channels) == [1, 2]
    second.outcome().channels[0].send("beat", me="second")
    assert met.channels[1].receive(20)["me"] == "second"


def test_a_port_in_use_is_named():
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=rf"port {port} can't be used .*--heartbeat_port"):
            meet(Cluster(THREE, 0), {}, port=port)


def test_the_port_follows_from_the_chiefs():
    assert meeting_port(Cluster(THREE, 1)) == 20_000 + 1000
    assert meeting_port(Cluster(THREE, 1), 5) == 5
    high = (Worker("worker", 0, "one", 65_000), Worker("worker", 1, "two", 1))
    with pytest.raises(UserError, match=r"65000 \+ 1000 is no port: .*--heartbeat_port"):
        meeting_port(Cluster(high, 0))


def test_a_port_of_tensorflows_is_refused():
    close = (Worker("worker", 0, "one", 2000), Worker("worker", 1, "one", 3000))
    with pytest.raises(UserError, match=r"port 3000 is TensorFlow's on worker 1 \(one:3000\)"):
        meeting_port(Cluster(close, 0))
    with pytest.raises(UserError, match="--heartbeat_port=2000 is TensorFlow's on worker 0"):
        meeting_port(Cluster(close, 0), 2000)


def test_who_is_waited_for_is_said_again_every_ten_seconds():
    said, now = [], [0.0]
    news = meeting._News(said.append, lambda: now[0])
    for now[0], who in ((0, "a"), (9.9, "a"), (10, "a"), (11, "b"), (20, "b"), (21, "b")):
        news.waiting_for(who)
    assert said == [f"waiting for {who}" for who in "aabb"]


def connected(port):
    """A connection to the port, as soon as somebody listens there."""
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port), timeout=20)
