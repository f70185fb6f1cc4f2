"""Which processes train together, from the variable TF_CONFIG."""

import json
from dataclasses import dataclass

from acgan.errors import UserError

VARIABLE = "TF_CONFIG"
EXAMPLE = (
    '{"cluster": {"worker": ["HOST:PORT", "HOST:PORT"]}, "task": {"type": "worker", "index": 0}}'
)
JOBS = ("chief", "worker")  # that train, in the order in which TensorFlow counts them
SHOWN = 60  # characters of a value in a message


@dataclass(frozen=True)
class Worker:
    """One process of a cluster, as TF_CONFIG names it: the `index`-th of a `job`, at host:port."""

    job: str
    index: int
    host: str
    port: int

    def __str__(self):
        return f"{self.job} {self.index} ({self.host}:{self.port})"


@dataclass(frozen=True)
class Cluster:
    """The processes that train together.

    Attributes:
        workers: every `Worker`, the chief first.
        index: which of them this process is.
    """

    workers: tuple
    index: int

    @property
    def is_chief(self):
        return self.index == 0

    @property
    def chief(self):
        return self.workers[0]


def find_cluster(distribute, environment):
    """The `Cluster` that this process belongs to, None if it trains without others.

    Arguments:
        distribute: the flag's value. With "none" the variable is not looked at; with "mirrored" it
            is only checked, since TensorFlow reads it then, too.
        environment: such as `os.environ`.

    Raises:
        UserError: the variable is needed and not set, or can't be used.
    """
    text = environment.get(VARIABLE, "").strip()
    if distribute == "multi_worker" and not text:
        raise UserError(f"--distribute=multi_worker needs the variable {VARIABLE}: {EXAMPLE}")
    if distribute == "none" or not text:
        return None
    try:
        config = json.loads(text)
    except ValueError:
        raise _unusable(f"={_short(text)} is not JSON") from None
    workers = _workers(config)
    cluster = Cluster(workers, _place(config, workers))
    return cluster if len(workers) > 1 and distribute != "mirrored" else None


def _workers(config):
    cluster = config.get("cluster") if isinstance(config, dict) else None
    if not isinstance(cluster, dict) or not cluster:
        raise _unusable(" names no cluster")
    if others := set(cluster) - set(JOBS):
        raise _unusable(f" names the job '{min(others)}', and only {' and '.join(JOBS)} train")
    workers = []
    for job in JOBS:
        addresses = cluster.get(job, [])
        if not isinstance(addresses, list):
            raise _unusable(f": {job} is no list of addresses")
        for index, address in enumerate(addresses):
            workers.append(Worker(job, index, *_host_and_port(address)))
    places = [(worker.host, worker.port) for worker in workers]
    for place in places:
        if places.count(place) > 1:
            raise _unusable(f" names {place[0]}:{place[1]} twice")
    if len(cluster.get("chief", [])) > 1:
        raise _unusable(" names more than one chief")
    return tuple(workers)


def _host_and_port(address):
    host, _, port = str(address).rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise _unusable(f": '{_short(address)}' is no address HOST:PORT")
    return host, int(port)


def _place(config, workers):
    """Which worker the task in TF_CONFIG is."""
    task = config.get("task")
    if not isinstance(task, dict) or not {"type", "index"} <= set(task):
        raise _unusable(" names no task with a type and an index")
    places = [(worker.job, str(worker.index)) for worker in workers]
    place = (task["type"], str(task["index"]))
    if place not in places:
        raise _unusable(f": its cluster has no {_short(place[0])} {_short(place[1])}")
    return places.index(place)


def _unusable(what):
    return UserError(f"{VARIABLE}{what}: set it to {EXAMPLE}, or unset it")


def _short(value):
    text = str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
