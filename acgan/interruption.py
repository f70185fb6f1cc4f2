"""Ctrl-C and SIGTERM during a run."""

import signal
import threading


class Interruption:
    """Notes the first Ctrl-C or SIGTERM, so that a run can end in good order.

    Within the `with` block a signal raises `KeyboardInterrupt`, but while `deferred` is true the
    first one is only noted in `received`, for the training loop to see after its step.

    Attributes:
        received: the first signal's name, such as "SIGTERM", or None.
        deferred: set this while somebody looks at `received` regularly.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self):
        self.received = None
        self.deferred = False
        self._handlers = {}

    def exit_status(self):
        """0, or what shells report of a process that a signal ended: 128 plus its number."""
        return 128 + signal.Signals[self.received] if self.received else 0

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():  # Python allows it nowhere else
            self._handlers = {n: signal.signal(n, self._receive) for n in self.SIGNALS}
        return self

    def __exit__(self, *_):
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _receive(self, number, frame):
        first = self.received is None
        self.received = self.received or signal.Signals(number).name
        if not (first and self.deferred):
            raise KeyboardInterrupt
