import itertools

import grpc
import pytest

from acgan.errors import UserError
from acgan.sweeping.machines import Part, part_of

ALL = {
    "KERASTUNER_ORACLE_IP": "10.0.0.1",
    "KERASTUNER_ORACLE_PORT": "8000",
    "KERASTUNER_TUNER_ID": "tuner3",
}
CHIEF = Part("chief", "10.0.0.1:8000")
WORKER = Part("tuner3", "10.0.0.1:8000")


def test_without_the_variables_a_process_is_alone():
    part = part_of({"HOME": "/root"})
    assert part == Part("tuner0", None)
    assert (part.is_chief, part.is_worker) == (False, False)


@pytest.mark.parametrize(
    ("name", "chief", "worker"),
    [("chief", True, False), ("chief-2", True, False), ("tuner3", False, True)],
)
def test_the_name_says_who_is_the_chief(name, chief, worker):
    part = part_of({**ALL, "KERASTUNER_TUNER_ID": name})
    assert part == Part(name, "10.0.0.1:8000")
    assert (part.is_chief, part.is_worker) == (chief, worker)


def test_nobody_is_the_chief_of_a_process_alone():
    assert not Part("chief", None).is_chief


@pytest.mark.parametrize("how", ["not set", "empty"])
@pytest.mark.parametrize(
    "lacking", [names for count in (1, 2) for names in itertools.combinations(ALL, count)]
)
def test_some_of_the_variables_are_not_enough(lacking, how):
    environment = dict(ALL)
    for name in lacking:
        environment[name] = ""
        if how == "not set":
            del environment[name]
    with pytest.raises(UserError, match=f"{lacking[0]} is {how}: set KERASTUNER_ORACLE_IP, .*none"):
        part_of(environment)


def test_variables_that_are_all_empty_are_refused_as_keras_tuner_would_use_them():
    with pytest.raises(UserError, match="KERASTUNER_ORACLE_IP is empty"):
        part_of(dict.fromkeys(ALL, ""))


@pytest.mark.parametrize("port", ["http", "0", "-1", "65536", "80.0"])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(UserError, match=f"KERASTUNER_ORACLE_PORT={port} is not a port, 1 to 65535"):
        part_of({**ALL, "KERASTUNER_ORACLE_PORT": port})


def test_the_largest_port():
    assert part_of({**ALL, "KERASTUNER_ORACLE_PORT": "65535"}).chief == "10.0.0.1:65535"


class Unavailable(grpc.RpcError):
    def code(self):
        return grpc.StatusCode.UNAVAILABLE


def test_a_chief_that_has_gone_is_one_line():
    with (
        pytest.raises(UserError) as refusal,
        WORKER.connected(),
    ):
        raise Unavailable("<_InactiveRpcError of RPC that terminated with:\n\tstatus = 14>")
    line = str(refusal.value)
    assert line.startswith("the chief at 10.0.0.1:8000 can't be reached (UNAVAILABLE): start it")
    assert "\n" not in line


def test_an_address_that_the_chief_cant_use_is_one_line():
    with (
        pytest.raises(UserError, match=r"ORACLE_IP, \w+_PORT: 10\.0\.0\.1:8000 can't be used: Fai"),
        CHIEF.connected(),
    ):
        raise RuntimeError("Failed to bind to address 10.0.0.1:8000")


@pytest.mark.parametrize(
    ("part", "error"),
    [
        (CHIEF, RuntimeError("a fault of our own")),
        (WORKER, RuntimeError("Failed to bind to address")),
        (WORKER, ValueError("bind")),
        (WORKER, KeyboardInterrupt()),
    ],
)
def test_other_errors_pass(part, error):
    with pytest.raises(type(error)) as raised, part.connected():
        raise error
    assert raised.value is error
