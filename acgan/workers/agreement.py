"""Whether the processes of a cluster have the same before they train."""

import json

from acgan.errors import UserError

SAY_EVERY_SECONDS = 10.0


def agree(cluster, channels, terms, say=lambda line: None):
    """Waits until all processes of a cluster have said what they have, and compares it.

    Arguments:
        cluster: an `acgan.workers.cluster.Cluster`.
        channels: those of `acgan.workers.meeting.Met`.
        terms: what all must have alike, by name; anything that JSON can hold.
        say: called with a line now and then about who is waited for.

    Raises:
        UserError: they differ, or a process has ended.
    """
    terms = json.loads(json.dumps(terms))  # as the others' will arrive: tuples become lists
    compare = _compare if cluster.is_chief else _ask
    if differing := compare(cluster, channels, terms, say):
        raise UserError(differing)


def _compare(cluster, channels, terms, say):
    """The chief's part; returns the first difference as a line, None without one."""
    differing = None
    for index, channel in channels.items():
        theirs = _wait(channel, cluster.workers[index], say)["terms"]
        differing = differing or difference(cluster, index, terms, theirs)
    for index, channel in channels.items():
        _send(channel, cluster.workers[index], "agreed", differing=differing)
    return differing


def _ask(cluster, channels, terms, say):
    _send(channels[0], cluster.chief, "terms", terms=terms)
    return _wait(channels[0], cluster.chief, say)["differing"]


def difference(cluster, index, terms, theirs):
    """A line on the first of the terms that another process has otherwise; None if none is.

    Arguments:
        cluster: an `acgan.workers.cluster.Cluster`.
        index: the other's.
        terms: the chief's.
        theirs: the other's.
    """
    for name in {**terms, **theirs}:
        here, there = terms.get(name), theirs.get(name)
        if here != there:
            return (
                f"{name} is {there} on {cluster.workers[index]} and {here} on {cluster.chief}: "
                "start all workers with the same code, data and flags"
            )
    return None


def _send(channel, worker, kind, **fields):
    try:
        channel.send(kind, **fields)
    except OSError as error:
        raise _ended(worker) from error


def _wait(channel, worker, say):
    while True:
        try:
            message = channel.receive(SAY_EVERY_SECONDS)
        except OSError as error:
            raise _ended(worker) from error
        if message is not None:
            return message
        say(f"waiting for {worker}")


def _ended(worker):
    return UserError(f"{worker} has ended before the training began: see what it printed")
