import json
from types import SimpleNamespace

import pytest

from acgan import joining

CHIEFS = {
    "seed": 7,
    "dataset": "cifar10",
    "run_dir": "runs/a",
    "cache_dir": None,
    "resume": True,
    "heartbeat_port": None,
    "distribute": "auto",
}
OWN = {**CHIEFS, "seed": 0, "dataset": "mnist5k", "run_dir": None, "cache_dir": "/cache"}


@pytest.fixture
def join(monkeypatch):
    """Joins as the second process; returns (the flags to train with, the terms it named)."""
    terms = {}

    def meet(cluster, named, *_):
        terms.update(named)
        gift = json.dumps({"values": CHIEFS, "news": None}).encode()
        return SimpleNamespace(channels={}, gift=gift)

    monkeypatch.setattr(joining, "meet", meet)

    def run(given):
        return joining.join(None, OWN, given, print)[1], terms

    return run


def test_the_chiefs_flags_count_but_for_those_of_the_machine(join):
    # A run that goes on has its flags from the chief's folder alone.
    values, _ = join({"resume"})
    assert values == {**CHIEFS, "run_dir": None, "cache_dir": "/cache"}


def test_data_may_lie_elsewhere_on_this_machine(join):
    values, terms = join({"dataset", "seed"})
    assert values["dataset"] == "mnist5k"
    assert terms["--seed"] == 0
    assert "--dataset" not in terms
