"""Builders of small profiles, so that a plain clone can test every reader."""

import pathlib
import sqlite3

import pytest

REPOSITORY = pathlib.Path(__file__).parents[3]


def _varint(number):
    number &= (1 << 64) - 1
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def message(*fields):
    """Encodes (field number, int or bytes or str) pairs as a protobuf message."""
    encoded = b""
    for number, value in fields:
        value = value.encode() if isinstance(value, str) else value
        if isinstance(value, int):
            encoded += _varint(number << 3) + _varint(value)
        else:
            encoded += _varint(number << 3 | 2) + _varint(len(value)) + value
    return encoded


def xspace_plane(kernels, name="/device:GPU:0", plane_stats=(), line="Stream #7(Compute)"):
    """Encodes a plane; each kernel is (name, duration_ps, {stat: text, int or ("ref", text)})."""
    ids = {}

    def stat(key, value):
        metadata_id = ids.setdefault(key, len(ids) + 1)
        if isinstance(value, tuple):
            return message((1, metadata_id), (7, ids.setdefault(value[1], len(ids) + 1)))
        return message((1, metadata_id), (4 if isinstance(value, int) else 5, value))

    names = [kernel_name for kernel_name, _, _ in kernels]
    events = [
        message(
            (1, names.index(kernel_name) + 1),
            (2, 1000),
            (3, duration_ps),
            *((4, stat(key, value)) for key, value in stats.items()),
        )
        for kernel_name, duration_ps, stats in kernels
    ]
    stats = [(6, stat(key, value)) for key, value in plane_stats]
    lines = [(3, message((1, 7), (2, line), *((4, event) for event in events)))]
    metadata = [
        (4, message((1, names.index(n) + 1), (2, message((1, names.index(n) + 1), (2, n)))))
        for n in dict.fromkeys(names)
    ]
    stat_names = [(5, message((1, i), (2, message((1, i), (2, key))))) for key, i in ids.items()]
    return message((1, 1), (2, name), *lines, *metadata, *stat_names, *stats)


@pytest.fixture
def encode():
    return message


@pytest.fixture
def make_plane():
    return xspace_plane


@pytest.fixture
def make_xspace(tmp_path):
    """Writes an XSpace of encoded planes, with errors and warnings of the profiler."""

    def make(*planes, errors=(), name="host.xplane.pb"):
        path = tmp_path / name
        path.write_bytes(message(*((1, plane) for plane in planes), *((2, e) for e in errors)))
        return path

    return make


@pytest.fixture
def make_sqlite(tmp_path):
    """Writes an Nsight Systems export; kernels are (name, start, end, device id)."""

    def make(kernels, gpus=(), with_kernel_table=True):
        path = tmp_path / "report.sqlite"
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        database.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, text TEXT)")
        names = list(dict.fromkeys(name for name, *_ in kernels))
        for number, name in enumerate(names):
            value = "CAST(? AS TEXT)" if isinstance(name, bytes) else "?"
            database.execute(f"INSERT INTO StringIds VALUES (?, {value})", (number, name))
        if with_kernel_table:
            database.execute(
                'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER, '
                "deviceId INTEGER, demangledName INTEGER, shortName INTEGER)"
            )
            database.executemany(
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, 0)",
                [(start, end, device, names.index(n)) for n, start, end, device in kernels],
            )
        if gpus:
            database.execute(
                "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, computeMajor INTEGER, "
                "computeMinor INTEGER)"
            )
            database.executemany("INSERT INTO TARGET_INFO_GPU VALUES (?, ?, ?, ?)", gpus)
        database.commit()
        database.close()
        return path

    return make


@pytest.fixture
def shared_traces():
    """The folder of recorded profiles beside the checkout; a plain clone has none."""
    folder = REPOSITORY.parent / "shared" / "traces"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    return folder
