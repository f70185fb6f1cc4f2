import socket
import threading

import pytest

from acgan.errors import UserError
from acgan.workers.agreement import agree
from acgan.workers.channel import Channel
from acgan.workers.cluster import Cluster, Worker

WORKERS = tuple(Worker("worker", index, "host", index + 1) for index in range(3))


@pytest.fixture
def all_agree():
    """What came of `agree` in each of three processes that have these terms: None or an error."""
    sockets = []

    def run(*terms):
        chiefs, others = {}, {}
        for index in (1, 2):
            pair = socket.socketpair()
            sockets.extend(pair)
            chiefs[index], others[index] = (Channel(end) for end in pair)
        channels = [chiefs, {0: others[1]}, {0: others[2]}]
        outcomes = [None] * 3

        def one(index):
            try:
                if terms[index] is None:
                    channels[index][0].close()  # as if its process had ended
                else:
                    agree(Cluster(WORKERS, index), channels[index], terms[index])
            except UserError as error:
                outcomes[index] = str(error)
                for channel in channels[index].values():  # its process ends, too
                    channel.close()

        threads = [threading.Thread(target=one, args=(index,), daemon=True) for index in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        return outcomes

    yield run
    for each in sockets:
        each.close()


def test_those_that_have_the_same_go_on(all_agree):
    assert all_agree(*[{"data": "abc", "shape": (28, 28)}] * 3) == [None, None, None]


def test_a_difference_is_named_in_every_process(all_agree):
    same, other = {"data": "abc", "GPU": "T4"}, {"data": "abc", "GPU": None}
    line = (
        "GPU is None on worker 2 (host:3) and T4 on worker 0 (host:1): start all workers with the "
        "same code, data and flags"
    )
    assert all_agree(same, same, other) == [line, line, line]


def test_a_process_that_has_ended_is_named(all_agree):
    chief, _, other = all_agree({"data": 1}, None, {"data": 1})
    assert chief == "worker 1 (host:2) has ended before the training began: see what it printed"
    assert other == "worker 0 (host:1) has ended before the training began: see what it printed"
