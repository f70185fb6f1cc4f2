import json

import pytest

from acgan.errors import UserError
from acgan.workers.cluster import Worker, find_cluster

TWO = {"worker": ["one:2222", "two:3333"]}


def environment(cluster, job="worker", index=0):
    return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})}


def test_workers_and_the_place_among_them():
    cluster = find_cluster("multi_worker", environment(TWO, index=1))
    assert cluster.workers == (Worker("worker", 0, "one", 2222), Worker("worker", 1, "two", 3333))
    assert cluster.index == 1
    assert not cluster.is_chief
    assert str(cluster.chief) == "worker 0 (one:2222)"


def test_a_chief_comes_first_and_workers_are_numbered_from_0_as_in_the_variable():
    both = {"worker": ["two:1", "three:1"], "chief": ["one:1"]}
    chief = find_cluster("auto", environment(both, "chief"))
    last = find_cluster("auto", environment(both, "worker", "1"))
    assert chief.is_chief
    assert (last.index, str(last.workers[2])) == (2, "worker 1 (three:1)")
    assert str(last.chief) == "chief 0 (one:1)"


@pytest.mark.parametrize("variables", [{}, {"TF_CONFIG": ""}, environment({"worker": ["one:1"]})])
def test_a_process_without_others_has_no_cluster(variables):
    assert find_cluster("auto", variables) is None


def test_other_ways_to_distribute_have_no_cluster():
    assert find_cluster("none", {"TF_CONFIG": "{"}) is None
    assert find_cluster("mirrored", environment(TWO)) is None
    with pytest.raises(UserError, match=r"TF_CONFIG=\{ is not JSON"):  # TensorFlow reads it
        find_cluster("mirrored", {"TF_CONFIG": "{"})


def test_several_machines_need_the_variable():
    with pytest.raises(UserError, match=r"--distribute=multi_worker needs .*TF_CONFIG: {"):
        find_cluster("multi_worker", {})


@pytest.mark.parametrize(
    ("config", "what"),
    [
        ("{'cluster': 1}", "={'cluster': 1} is not JSON"),
        ("[]", " names no cluster"),
        ('{"task": {"type": "worker", "index": 0}}', " names no cluster"),
        ({"cluster": TWO}, " names no task with a type and an index"),
        ({"cluster": TWO, "task": {"type": "worker"}}, " names no task with a type and an index"),
        ({"cluster": TWO, "task": {"type": "worker", "index": 2}}, "its cluster has no worker 2"),
        ({"cluster": TWO, "task": {"type": "chief", "index": 0}}, "its cluster has no chief 0"),
        ({"cluster": {**TWO, "ps": ["a:1"]}}, " names the job 'ps', and only chief and worker"),
        ({"cluster": {"worker": "one:1"}}, "worker is no list"),
        ({"cluster": {"worker": ["one:1", "one:1"]}}, " names one:1 twice"),
        ({"cluster": {"chief": ["one:1", "two:1"]}}, " names more than one chief"),
        ({"cluster": {"worker": ["one"]}}, "'one' is no address HOST:PORT"),
        ({"cluster": {"worker": [":80"]}}, "':80' is no address HOST:PORT"),
        ({"cluster": {"worker": ["one:65536"]}}, "'one:65536' is no address HOST:PORT"),
    ],
)
def test_a_variable_that_cant_be_used_is_refused(config, what):
    text = config if isinstance(config, str) else json.dumps(config)
    with pytest.raises(UserError) as refused:
        find_cluster("auto", {"TF_CONFIG": text})
    assert what in str(refused.value)
    assert str(refused.value).startswith("TF_CONFIG")
    assert str(refused.value).endswith("or unset it")
