"""Reads TensorFlow's and JAX's profiles: `plugins/profile/<time>/<host>.xplane.pb`.

The file is walked by its wire format instead of through TensorFlow's generated classes: no import,
no dependence on where TensorFlow keeps them, and a kernel name that is not UTF-8, for which
protobuf would refuse the whole file, costs nothing. Field numbers:
https://github.com/openxla/xla/blob/main/third_party/tsl/tsl/profiler/protobuf/xplane.proto
"""

import pathlib
from collections.abc import Callable, Iterator

from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.profile_file import ProfileError, load
from callbacks.tensor_cores.wire_format import fields

SPACE_PLANE, SPACE_ERROR, SPACE_WARNING = 1, 2, 3
PLANE_NAME, PLANE_LINE, PLANE_EVENT_METADATA, PLANE_STAT_METADATA, PLANE_STAT = 2, 3, 4, 5, 6
LINE_NAME, LINE_EVENT = 2, 4
EVENT_METADATA_ID, EVENT_DURATION_PS, EVENT_STAT, EVENT_OCCURRENCES = 1, 3, 4, 5
STAT_METADATA_ID, STAT_UINT64, STAT_INT64, STAT_TEXT, STAT_REFERENCE = 1, 3, 4, 5, 7
METADATA_NAME, METADATA_STAT = 2, 5
ENTRY_KEY, ENTRY_VALUE = 1, 2

# Lines the profiler derives from the streams: their events repeat what the streams already hold.
DERIVED_LINES = {
    b"Steps",
    b"TensorFlow Name Scope",
    b"TensorFlow Ops",
    b"Framework Name Scope",
    b"Framework Ops",
    b"XLA Modules",
    b"XLA Ops",
    b"XLA TraceMe",
    b"Source code",
    b"Launch Stats",
}
KERNEL_STAT = b"kernel_details"
# Stats that name a kernel's op, the most telling first; "level 0" is what 2020's profiler wrote.
OP_STATS = (b"tf_op", b"level 0", b"name", b"hlo_op")
WHOLE_PROGRAM = b"XlaModule:"
PS_PER_US = 1e6


def read(path: str | pathlib.Path, note: Callable[[str], None]) -> Iterator[Kernel]:
    """Yields the kernels of every GPU in the profile, added up per kernel and op.

    A kernel is an event with the stat `kernel_details` on a stream's own line. The profiler's
    errors and warnings go to `note`.

    Raises ProfileError if the file is cut off or is no XSpace.
    """
    data = load(path)
    try:
        planes = []
        for number, value in fields(data):
            if number == SPACE_PLANE:
                planes.append(_Plane(value))
            elif number in (SPACE_ERROR, SPACE_WARNING):
                note(f"the profiler reported: {_text(value)}")
        del data
        if not any(plane.name for plane in planes):
            raise ValueError("no plane has a name")
        for plane in planes:
            if plane.name.startswith(b"/device:GPU:"):
                yield from plane.kernels()
    except (ValueError, TypeError, AttributeError) as error:
        raise ProfileError(
            path, f"is no XSpace profile, or is cut off ({error}); copy it or record it again"
        ) from None


class _Plane:
    """One plane of an XSpace: a GPU's streams, or a host's threads."""

    def __init__(self, encoded: bytes):
        self.name = b""
        self.lines, self.stats = [], []
        self.events, self.stat_names = {}, {}
        for number, value in fields(encoded):
            if number == PLANE_NAME:
                self.name = value
            elif number == PLANE_LINE:
                self.lines.append(value)
            elif number == PLANE_EVENT_METADATA:
                entry = dict(fields(value))
                self.events[entry.get(ENTRY_KEY, 0)] = entry.get(ENTRY_VALUE, b"")
            elif number == PLANE_STAT_METADATA:
                entry = dict(fields(value))
                metadata = dict(fields(entry.get(ENTRY_VALUE, b"")))
                self.stat_names[entry.get(ENTRY_KEY, 0)] = metadata.get(METADATA_NAME, b"")
            elif number == PLANE_STAT:
                self.stats.append(value)

    def kernels(self) -> Iterator[Kernel]:
        device = self._device()
        totals = {}
        for line in self.lines:
            self._add_line(line, totals)
        for (event, stats), (total_ps, launches) in totals.items():
            metadata = list(fields(self.events.get(event, b"")))
            name = next((value for number, value in metadata if number == METADATA_NAME), b"")
            named = self._named_stats(
                [value for number, value in metadata if number == METADATA_STAT] + list(stats)
            )
            if KERNEL_STAT in named:
                name = _text(name) or f"(kernel {event}, without a name)"
                yield Kernel(name, _op(named), total_ps / PS_PER_US, launches, device)

    def _add_line(self, encoded: bytes, totals: dict) -> None:
        """Adds events to `totals`: (metadata id, encoded telling stats) -> [picoseconds, count].

        A stat is told apart by its bytes. They repeat from launch to launch, so the few that tell
        are decoded once each; those that differ every time, such as correlation ids, are dropped.
        """
        tells = self._telling_stats()
        events = []
        for number, value in fields(encoded):
            if number == LINE_NAME and value in DERIVED_LINES:
                return
            if number == LINE_EVENT:
                events.append(value)
        for event in events:
            metadata_id = duration_ps = 0
            launches = 1
            stats = []
            for number, value in fields(event):
                if number == EVENT_STAT:
                    if tells(value):
                        stats.append(value)
                elif number == EVENT_METADATA_ID:
                    metadata_id = value
                elif number == EVENT_DURATION_PS:
                    duration_ps = value
                elif number == EVENT_OCCURRENCES:
                    launches = value or 1
            total = totals.setdefault((metadata_id, tuple(stats)), [0, 0])
            total[0] += duration_ps
            total[1] += launches

    def _telling_stats(self) -> Callable[[bytes], bool]:
        telling = {KERNEL_STAT, *OP_STATS}
        ids = {key for key, name in self.stat_names.items() if name in telling}
        # Encoders write the metadata id first; its bytes tell without decoding the rest.
        prefixes = tuple(b"\x08" + _encoded(key) for key in ids)
        return lambda stat: stat.startswith(prefixes)

    def _named_stats(self, encoded: list[bytes]) -> dict[bytes, bytes]:
        named = {}
        for stat in encoded:
            values = dict(fields(stat))
            key = self.stat_names.get(values.get(STAT_METADATA_ID, 0))
            reference = values.get(STAT_REFERENCE)
            named[key] = (
                values.get(STAT_TEXT, b"")
                if reference is None
                else self.stat_names.get(reference, b"")
            )
        return named

    def _device(self) -> Device:
        numbers, texts = {}, {}
        for stat in self.stats:
            values = dict(fields(stat))
            key = self.stat_names.get(values.get(STAT_METADATA_ID, 0))
            numbers[key] = values.get(STAT_INT64, values.get(STAT_UINT64))
            texts[key] = values.get(STAT_TEXT)
        major = numbers.get(b"compute_cap_major")
        capability = f"{major}.{numbers.get(b'compute_cap_minor') or 0}" if major else None
        vendor = texts.get(b"device_vendor")
        name = _text(self.name.removeprefix(b"/device:"))
        return Device(name, capability, _text(vendor) if vendor else None)


def _op(named: dict[bytes, bytes]) -> str:
    """Returns the first text that names an op rather than a whole compiled program."""
    texts = [named[key] for key in OP_STATS if named.get(key)]
    telling = [text for text in texts if text != WHOLE_PROGRAM]
    return _text((telling or texts or [b""])[0])


def _encoded(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def _text(encoded: bytes) -> str:
    return encoded.decode("utf-8", "backslashreplace")
