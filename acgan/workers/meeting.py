"""How the processes of a cluster find each other before they train."""

import contextlib
import json
import socket
import time
from dataclasses import dataclass

from acgan.errors import UserError
from acgan.workers.agreement import difference
from acgan.workers.channel import Channel

PORT_OFFSET = 1000  # from the chief's port in TF_CONFIG to the one where it is met
HELLO_SECONDS = 10.0  # that whoever connects has to say who it is
SAY_EVERY_SECONDS = 10.0
PAUSE_SECONDS = 0.5  # between two looks


@dataclass(frozen=True)
class Met:
    """What a process has after the meeting.

    Attributes:
        channels: a `Channel` by worker's index: the chief's to everyone, everyone's to the chief.
        gift: the chief's bytes.
    """

    channels: dict
    gift: bytes


def meet(cluster, terms, gift=b"", port=None, say=lambda line: None, clock=time.monotonic):
    """Waits until all processes of a cluster are there and agree.

    TensorFlow waits for its workers too, but without a word and deaf to Ctrl-C, and it does not
    notice that they were started with different flags. Connections are plain TCP, without a
    password, as TensorFlow's own are: they belong into a network that nobody else uses.

    Arguments:
        cluster: an `acgan.workers.cluster.Cluster`.
        terms: what all processes must have alike, by name; anything that JSON can hold.
        gift: bytes that the chief gives to everybody; others' are ignored.
        port: the chief's port for this; None for `PORT_OFFSET` above its port in TF_CONFIG.
        say: called with a line now and then about who is waited for.
        clock: seconds, monotonic.

    Returns:
        `Met`.

    Raises:
        UserError: the port can't be used, or the terms differ.
    """
    port = meeting_port(cluster, port)
    terms = json.loads(json.dumps(terms))  # as the others' will arrive: tuples become lists
    news = _News(say, clock)
    if cluster.is_chief:
        return _receive_all(cluster, terms, gift, port, news)
    return _join(cluster, terms, port, news)


def meeting_port(cluster, port=None):
    """The chief's port for the meeting.

    Raises:
        UserError: it is none, or another's already.
    """
    named = port is not None
    port = port if named else cluster.chief.port + PORT_OFFSET
    if port >= 2**16:
        raise UserError(
            f"the chief's port {cluster.chief.port} + {PORT_OFFSET} is no port: give one with "
            "--heartbeat_port"
        )
    for worker in cluster.workers:
        if (worker.host, worker.port) == (cluster.chief.host, port):
            what = f"--heartbeat_port={port}" if named else f"port {port}"
            raise UserError(f"{what} is TensorFlow's on {worker}: give another --heartbeat_port")
    return port


class _News:
    """Says who is waited for, as soon as that changes and every ten seconds."""

    def __init__(self, say, clock):
        self._say = say
        self._clock = clock
        self._said = None, None  # what and when

    def waiting_for(self, who):
        what, when = self._said
        if who != what or self._clock() - when >= SAY_EVERY_SECONDS:
            self._said = who, self._clock()
            self._say(f"waiting for {who}")


def _receive_all(cluster, terms, gift, port, news):
    """The chief's part."""
    try:
        listener = socket.create_server(("", port), backlog=len(cluster.workers))
    except OSError as error:
        raise UserError(
            f"port {port} can't be used ({error.strerror}): give another with --heartbeat_port"
        ) from error
    channels = {}
    with listener, _closed_on_error(channels):
        listener.settimeout(PAUSE_SECONDS)
        while missing := [
            worker
            for index, worker in enumerate(cluster.workers)
            if index != cluster.index and index not in channels
        ]:
            news.waiting_for(", ".join(map(str, missing)))
            with contextlib.suppress(OSError):  # nobody came, or somebody left
                connection, _ = listener.accept()
                _receive_one(Channel(connection), cluster, terms, channels)
        for channel in channels.values():
            with contextlib.suppress(OSError):  # the watch will notice
                channel.send("begin", gift)
    return Met(channels, gift)


def _receive_one(channel, cluster, terms, channels):
    """Takes whoever has connected into `channels`, if it is of this cluster."""
    try:
        hello = channel.receive(HELLO_SECONDS)
    except OSError:
        hello = None
    if hello is None or hello["kind"] != "hello" or hello.get("cluster") != _names(cluster):
        channel.close()
        return
    index = hello["index"]
    if index in channels:  # it was started anew in the meantime
        channels[index].close()
    channels[index] = channel
    if differing := difference(cluster, index, terms, hello["terms"]):
        for other in channels.values():
            with contextlib.suppress(OSError):
                other.send("refused", why=differing)
        raise UserError(differing)


def _join(cluster, terms, port, news):
    """Everybody else's part."""
    while True:
        news.waiting_for(f"{cluster.chief}, port {port}")
        try:
            connection = socket.create_connection((cluster.chief.host, port), HELLO_SECONDS)
        except OSError:
            time.sleep(PAUSE_SECONDS)
            continue
        connection.settimeout(None)
        channel = Channel(connection)
        try:
            channel.send("hello", cluster=_names(cluster), index=cluster.index, terms=terms)
            while (message := channel.receive(PAUSE_SECONDS)) is None:
                news.waiting_for("the other workers")
        except OSError:  # the chief has ended, and may be started anew
            channel.close()
            time.sleep(PAUSE_SECONDS)
            continue
        except BaseException:
            channel.close()
            raise
        if message["kind"] == "refused":
            channel.close()
            raise UserError(message["why"])
        return Met({0: channel}, message["payload"])


def _names(cluster):
    return [str(worker) for worker in cluster.workers]


@contextlib.contextmanager
def _closed_on_error(channels):
    try:
        yield
    except BaseException:
        for channel in channels.values():
            channel.close()
        raise
