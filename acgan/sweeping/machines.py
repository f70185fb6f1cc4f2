"""Which part a process has in a sweep that several machines share, from keras-tuner's variables."""

import contextlib
import re
from dataclasses import dataclass

from acgan.errors import UserError

ADDRESS, PORT, TUNER_ID = (
    f"KERASTUNER_{name}" for name in ("ORACLE_IP", "ORACLE_PORT", "TUNER_ID")
)


@dataclass(frozen=True)
class Part:
    """What a process is: `name`, unique in the sweep; `chief`'s address, None if it is alone."""

    name: str
    chief: str | None

    @property
    def is_chief(self):
        """Whether it hands out the trials, and does none itself."""
        return self.chief is not None and "chief" in self.name

    @property
    def is_worker(self):
        return self.chief is not None and not self.is_chief

    @contextlib.contextmanager
    def connected(self):
        """Says in one line what is wrong with the connection within the block.

        Raises:
            UserError: the chief can't be reached, or the chief's address can't be used.
        """
        import grpc

        try:
            yield
        except grpc.RpcError as error:
            if error.code() not in (
                grpc.StatusCode.UNAVAILABLE,
                grpc.StatusCode.DEADLINE_EXCEEDED,
                grpc.StatusCode.CANCELLED,
            ):
                raise
            raise UserError(
                f"the chief at {self.chief} can't be reached ({error.code().name}): start it with "
                "the same command and workers go on"
            ) from error
        except RuntimeError as error:
            if not self.is_chief or "bind" not in str(error).lower():
                raise
            raise UserError(f"{ADDRESS}, {PORT}: {self.chief} can't be used: {error}") from error


def part_of(environment):
    """The `Part` that the environment's `KERASTUNER_*` variables give this process.

    Raises:
        UserError: some are set and others are not or are empty, or the port is none.
    """
    names = (ADDRESS, PORT, TUNER_ID)
    if not any(name in environment for name in names):
        return Part("tuner0", None)
    for name in names:
        if not environment.get(name):
            how = "empty" if name in environment else "not set"
            raise UserError(f"{name} is {how}: set {', '.join(names)}, or none of them")
    if not re.fullmatch(r"[\w.-]+", environment[TUNER_ID]):
        raise UserError(f"{TUNER_ID}={environment[TUNER_ID]} is not a name of letters and digits")
    port = environment[PORT]
    if not port.isdecimal() or not 0 < int(port) < 2**16:
        raise UserError(f"{PORT}={port} is not a port, 1 to 65535")
    return Part(environment[TUNER_ID], f"{environment[ADDRESS]}:{port}")
