"""How the processes of a run become one: each finds the others, and they get their devices."""

import json
from importlib.metadata import version

from acgan.workers.agreement import agree
from acgan.workers.heartbeat import Heartbeat
from acgan.workers.meeting import meet

# Flags that each machine has in its own way, and those by which processes find each other.
OWN = {"run_dir", "cache_dir", "resume", "heartbeat_port", "distribute"}
PATHS = {"dataset"}  # the chief's, unless given: the same data may lie elsewhere
PACKAGES = ("tensorflow", "keras", "numpy")


def join(cluster, values, given, say, news=None):
    """Meets the other processes of a cluster, before anything is loaded.

    Arguments:
        cluster: an `acgan.workers.cluster.Cluster`.
        values: this process's flags by name; the chief's count.
        given: names of those on the command line.
        say: called with a line now and then about who is waited for.
        news: the chief's line for the others if there is nothing to train; None if there is.

    Returns:
        (channels, values, news): those of `acgan.workers.meeting.Met`, the flags to train with,
        and the chief's `news`.

    Raises:
        UserError: the processes were started with different flags or packages.
    """
    terms = {name: version(name) for name in PACKAGES}
    terms |= {f"--{name}": values[name] for name in sorted(given - OWN - PATHS)}
    gift = json.dumps({"values": values, "news": news}).encode()
    met = meet(cluster, terms, gift, values["heartbeat_port"], say)
    chiefs = json.loads(met.gift)
    own = {name: values[name] for name in OWN | (PATHS & given)}
    return met.channels, chiefs["values"] | own, chiefs["news"]


def train_together(cluster, channels, terms, held, say, end):
    """Makes sure that the processes have the same, and begins to watch over all of them.

    Arguments:
        cluster: an `acgan.workers.cluster.Cluster`.
        channels: as `join` returned them.
        terms: what all must have alike, by name; anything that JSON can hold.
        held: a `contextlib.ExitStack`; the watch ends with it.
        say: called with a line now and then about who is waited for.
        end: as `lost` of `acgan.workers.heartbeat.Heartbeat`.

    Raises:
        UserError: they differ, or a process has ended.
    """
    agree(cluster, channels, terms, say)
    held.enter_context(Heartbeat(cluster, channels, end))
