import os
import signal
import threading

import pytest

from acgan.interruption import Interruption


def send(number):
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_at_once(number):
    interruption = Interruption()
    with pytest.raises(KeyboardInterrupt), interruption:
        send(number)
    assert interruption.received == number.name
    assert interruption.exit_status() == 128 + number


def test_while_deferred_the_first_signal_is_noted_and_the_second_interrupts():
    interruption = Interruption()
    with interruption:
        interruption.deferred = True
        send(signal.SIGTERM)
        assert interruption.received == "SIGTERM"
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)
    assert interruption.received == "SIGTERM"
    assert interruption.exit_status() == 128 + 15


def test_nothing_received_is_success():
    with Interruption() as interruption:
        pass
    assert interruption.received is None
    assert interruption.exit_status() == 0


def test_the_handlers_before_are_put_back():
    received = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: received.append(number))
    try:
        with pytest.raises(RuntimeError), Interruption() as interruption:
            raise RuntimeError
        send(signal.SIGTERM)
        assert received == [signal.SIGTERM]
        assert interruption.received is None
    finally:
        signal.signal(signal.SIGTERM, before)


def test_in_another_thread_no_handler_is_set():
    found = []

    def enter():
        with Interruption():
            found.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert found == [before]
