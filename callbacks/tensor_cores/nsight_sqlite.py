"""Reads Nsight Systems exports: `nsys export --type sqlite report.nsys-rep`."""

import pathlib
import sqlite3
import urllib.parse
from collections.abc import Callable, Iterator

from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.profile_file import ProfileError

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
NAME_COLUMNS = ("demangledName", "mangledName", "shortName", "name")
NS_PER_US = 1e3


def read(path: str | pathlib.Path, note: Callable[[str], None]) -> Iterator[Kernel]:
    """Yields the kernels of an export, added up by the database per name and GPU.

    The file is opened read only. An export records no framework ops. One without CUDA kernels,
    such as a recording of NVTX ranges alone, yields nothing and says so through `note`.

    Raises ProfileError if the file is no such database, or is damaged.
    """
    address = f"file:{urllib.parse.quote(str(pathlib.Path(path).resolve()))}?mode=ro&immutable=1"
    try:
        database = sqlite3.connect(address, uri=True)
    except sqlite3.Error as error:
        raise ProfileError(path, f"cannot be opened: {error}") from None
    database.text_factory = lambda encoded: encoded.decode("utf-8", "backslashreplace")
    try:
        yield from _kernels(path, database, note)
    except sqlite3.Error as error:
        raise ProfileError(
            path, f"is a damaged SQLite file ({error}); export the report again"
        ) from None
    finally:
        database.close()


def _kernels(path, database: sqlite3.Connection, note: Callable[[str], None]) -> Iterator[Kernel]:
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    if "StringIds" not in tables:
        raise ProfileError(
            path, "is an SQLite file, but no Nsight Systems export; use nsys export --type sqlite"
        )
    if KERNELS not in tables:
        note("it has no table of CUDA kernels; record with nsys profile --trace=cuda,nvtx")
        return
    columns = {row[1] for row in database.execute(f"PRAGMA table_info({KERNELS})")}
    named = [column for column in NAME_COLUMNS if column in columns]
    if not named or not {"start", "end"} <= columns:
        raise ProfileError(path, f"its table {KERNELS} lacks names or times; export it again")
    device_id = "deviceId" if "deviceId" in columns else "NULL"
    devices = _devices(database) if "TARGET_INFO_GPU" in tables else {}
    query = f"""
        SELECT strings.value, {device_id}, SUM("end" - start), COUNT(*)
        FROM {KERNELS} AS kernels LEFT JOIN StringIds AS strings ON strings.id = {named[0]}
        GROUP BY {named[0]}, {device_id}
    """
    for name, device, total_ns, launches in database.execute(query):
        name = name or "(kernel without a name)"
        yield Kernel(name, "", total_ns / NS_PER_US, launches, devices.get(device, Device()))


def _devices(database: sqlite3.Connection) -> dict[int, Device]:
    cursor = database.execute("SELECT * FROM TARGET_INFO_GPU")
    columns = [column[0] for column in cursor.description]
    devices = {}
    for row in cursor:
        gpu = dict(zip(columns, row, strict=True))
        major = gpu.get("computeMajor") or gpu.get("smMajor")
        minor = gpu.get("computeMinor") or gpu.get("smMinor") or 0
        capability = f"{major}.{minor}" if major else None
        devices[gpu.get("cuDevice", gpu.get("id"))] = Device(gpu.get("name"), capability, "Nvidia")
    return devices
