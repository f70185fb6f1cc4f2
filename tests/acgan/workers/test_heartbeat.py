import itertools
import queue
import socket

import pytest

from acgan.errors import UserError
from acgan.workers.channel import Channel
from acgan.workers.cluster import Cluster, Worker
from acgan.workers.heartbeat import Heartbeat

WORKERS = tuple(Worker("worker", index, "host", 1 + index) for index in range(3))
SOON = 20  # seconds until a test gives up


class Side:
    """One process' watch: `lost` holds the lines with which it would have ended."""

    def __init__(self, index, channels, **kwargs):
        self.lost = queue.Queue()
        kwargs = {"interval_s": 0.01, "patience_s": SOON, **kwargs}
        self.watch = Heartbeat(Cluster(WORKERS, index), channels, self.lost.put, **kwargs)


@pytest.fixture
def pairs():
    """Connections of the chief and workers 1 and 2: ({1: channel, 2: channel}, [channel, ...])."""
    pairs = [socket.socketpair() for _ in range(2)]
    yield (
        {index: Channel(ours) for index, (ours, _) in enumerate(pairs, 1)},
        [Channel(theirs) for _, theirs in pairs],
    )
    for one, other in pairs:
        one.close()
        other.close()


def test_a_normal_end_alarms_nobody(pairs):
    of_chief, of_others = pairs
    chief = Side(0, of_chief)
    others = [Side(index, {0: channel}) for index, channel in enumerate(of_others, 1)]
    with chief.watch:
        for other in others:
            with other.watch:
                pass
    for side in (chief, *others):
        assert side.lost.empty()


def test_the_chief_may_leave_first(pairs):
    of_chief, of_others = pairs
    others = [Side(index, {0: channel}) for index, channel in enumerate(of_others, 1)]
    with others[0].watch, others[1].watch, Side(0, of_chief).watch:
        pass
    assert others[0].lost.empty()
    assert others[1].lost.empty()


def test_messages_go_both_ways(pairs):
    of_chief, (first, second) = pairs
    with Side(0, {1: of_chief[1]}).watch:
        assert first.receive(SOON)["kind"] == "beat"
        assert first.receive(SOON)["kind"] == "beat"
        first.close()
    with Side(2, {0: second}).watch:
        assert of_chief[2].receive(SOON)["kind"] == "beat"


def test_everybody_hears_who_is_lost(pairs):
    of_chief, (first, second) = pairs
    chief, other = Side(0, of_chief), Side(2, {0: second})
    line = "worker 1 (host:2) is lost: its process ended or the connection broke"
    with chief.watch, other.watch:
        first.close()  # as the system does for a process that was killed
        assert other.lost.get(timeout=SOON) == line
        assert chief.lost.get(timeout=SOON) == line
    assert chief.lost.empty()  # told once
    assert other.lost.empty()


def test_a_lost_chief_is_named(pairs):
    of_chief, (first, _) = pairs
    other = Side(1, {0: first})
    with other.watch:
        of_chief[1].close()
        assert other.lost.get(timeout=SOON).startswith("worker 0 (host:1) is lost")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (UserError("--batch_size=64 does not fit"), "--batch_size=64 does not fit"),
        (ValueError("two\nlines"), "ValueError: two lines"),
        (KeyboardInterrupt(), "interrupted"),
        (ValueError("x" * 400), "ValueError: " + "x" * 300 + "..."),
    ],
)
def test_a_worker_that_fails_says_why(pairs, error, why):
    of_chief, (first, second) = pairs
    chief, failing, other = Side(0, of_chief), Side(1, {0: first}), Side(2, {0: second})
    with chief.watch, other.watch:
        with pytest.raises(type(error)), failing.watch:
            raise error
        for side in (chief, other):
            assert side.lost.get(timeout=SOON) == f"worker 1 (host:2) failed: {why}"
    assert failing.lost.empty()


def test_silence_is_a_loss(pairs):
    of_chief, (first, _) = pairs
    hours = itertools.count(step=7)  # every look at the clock is 7 seconds after the last
    other = Side(1, {0: first}, patience_s=30, clock=lambda: next(hours))
    with other.watch:
        # Begun at 0; looks at 7, 14, 21, 28 and 35.
        assert other.lost.get(timeout=SOON) == "worker 0 (host:1) was silent for 35 s"
    assert of_chief[1].receive(SOON)["kind"] == "beat"  # it had spoken itself all the time


def test_who_speaks_is_not_silent(pairs):
    of_chief, (first, _) = pairs
    hours = itertools.count(step=7)
    for _ in range(20):
        of_chief[1].send("beat")
    of_chief[1].send("failed", why="the end")
    other = Side(1, {0: first}, patience_s=30, clock=lambda: next(hours))
    with other.watch:  # 20 looks are 140 seconds
        assert other.lost.get(timeout=SOON) == "worker 0 (host:1) failed: the end"


def test_an_error_of_tensorflows_waits_for_the_better_line(pairs):
    of_chief, (first, _) = pairs
    other = Side(1, {0: first})

    class UnavailableError(Exception):
        pass

    with pytest.raises(UnavailableError), other.watch:
        of_chief[1].close()
        raise UnavailableError
    assert other.lost.get(timeout=0).startswith("worker 0 (host:1) is lost")


def test_an_error_of_tensorflows_that_nobody_explains_is_told(pairs):
    of_chief, (first, _) = pairs
    chief = Side(0, {1: of_chief[1]}, patience_s=SOON)
    other = Side(1, {0: first}, patience_s=0.1)

    class AbortedError(Exception):
        pass

    with chief.watch:
        with pytest.raises(AbortedError), other.watch:
            raise AbortedError("by itself")
        assert chief.lost.get(timeout=SOON) == "worker 1 (host:2) failed: AbortedError: by itself"
    assert other.lost.empty()
