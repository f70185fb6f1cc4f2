"""A watch that the processes of a cluster keep over each other while they train."""

import contextlib
import threading
import time

INTERVAL_SECONDS = 2.0
PATIENCE_SECONDS = 30.0
LAST_WORDS_SECONDS = 2.0  # for others to hear why this process ends
LONGEST_REASON = 300  # characters
# Errors of TensorFlow's that may be a lost worker's doing.
DOUBTFUL = (
    "AbortedError",
    "CancelledError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "UnavailableError",
)


class Heartbeat:
    """Notices within half a minute that a worker was lost.

    A worker that waits for another inside TensorFlow may wait for ever if that one is gone, deaf to
    exceptions and Ctrl-C; at best TensorFlow raises an error of its own. So every process sends a
    message to the chief, and the chief to every process, every few seconds, from threads of their
    own. A worker is lost if its connection breaks, if it is silent for too long, or if it says that
    it failed. The chief tells the others.

    Used as a context manager around the training. A block that ends without an exception says
    goodbye, and nobody takes that for a loss; one that ends with an exception tells the others
    which.

    Arguments:
        cluster: an `acgan.workers.cluster.Cluster`.
        channels: those of `acgan.workers.meeting.Met`.
        lost: called once, in a thread of the watch, with a line that names the worker. It must
            end the process with `os._exit`: the main thread may hang inside TensorFlow.
        interval_s: seconds between two messages.
        patience_s: seconds of silence after which a worker is lost.
        clock: seconds, monotonic.

    Example:
        def end(line):
            print(f"error: {line}", file=sys.stderr, flush=True)
            os._exit(1)

        met = meet(cluster, terms)
        with Heartbeat(cluster, met.channels, end):
            train()
    """

    def __init__(
        self,
        cluster,
        channels,
        lost,
        interval_s=INTERVAL_SECONDS,
        patience_s=PATIENCE_SECONDS,
        clock=time.monotonic,
    ):
        self._cluster = cluster
        self._channels = dict(channels)
        self._lost = lost
        self._interval_s = interval_s
        self._patience_s = patience_s
        self._clock = clock
        self._leaving = threading.Event()
        self._losing = threading.Lock()  # kept for good by the thread that notices a loss first
        self._noticed = threading.Event()
        self._told = threading.Event()
        self._threads = {
            index: threading.Thread(target=self._watch, args=(index,), daemon=True)
            for index in self._channels
        }

    def __enter__(self):
        for thread in self._threads.values():
            thread.start()
        return self

    def __exit__(self, _, error, __):
        if type(error).__name__ in DOUBTFUL:
            # TensorFlow may report an error before a silence has lasted long enough here.
            self._noticed.wait(self._patience_s + self._interval_s)
        if self._noticed.is_set():  # the process is about to end with a better line
            self._told.wait()
        self._leaving.set()
        last_words = {"kind": "failed", "why": _in_a_line(error)} if error else {"kind": "goodbye"}
        self._send_last(self._channels.values(), last_words)
        self._join(self._threads.values())

    def _watch(self, index):
        channel, worker = self._channels[index], self._cluster.workers[index]
        heard = sent = self._clock()
        try:
            while True:
                message = channel.receive(self._interval_s)
                now = self._clock()
                heard = now if message else heard
                kind = message and message["kind"]
                if kind == "goodbye":
                    return
                if kind == "failed":
                    return self._lose(f"{worker} failed: {message['why']}", index)
                if kind == "lost":
                    return self._lose(message["what"], index)
                if now - heard > self._patience_s:
                    return self._lose(f"{worker} was silent for {now - heard:.0f} s", index)
                if now - sent >= self._interval_s and not self._leaving.is_set():
                    channel.send("beat")
                    sent = now
        except OSError:
            self._lose(f"{worker} is lost: its process ended or the connection broke", index)
        finally:
            channel.close()

    def _lose(self, what, index):
        if self._leaving.is_set() or not self._losing.acquire(blocking=False):
            return
        self._noticed.set()
        others = [other for other in self._channels if other != index]
        self._send_last([self._channels[other] for other in others], {"kind": "lost", "what": what})
        self._join(self._threads[other] for other in others)
        self._lost(what)
        self._told.set()

    def _send_last(self, channels, message):
        for channel in channels:
            with contextlib.suppress(OSError):
                channel.send(**message)
                channel.end_sending()

    def _join(self, threads):
        """Gives threads the time to read on until the other end closes.

        A process that ends with unread messages resets the connection, and what it said last may
        not arrive.
        """
        until = time.monotonic() + LAST_WORDS_SECONDS
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))


def _in_a_line(error):
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    text = " ".join(str(error).split())
    name = type(error).__name__
    if len(text) > LONGEST_REASON:
        text = f"{text[:LONGEST_REASON]}..."
    return text if name == "UserError" else f"{name}: {text}" if text else name
