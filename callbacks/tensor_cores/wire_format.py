"""Protobuf's wire format: just enough to walk through messages without compiled classes.

https://protobuf.dev/programming-guides/encoding/
"""

from collections.abc import Iterator

VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
_FIXED_SIZES = {EIGHT_BYTES: 8, FOUR_BYTES: 4}


def fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yields (field number, value) of an encoded message: an int for a varint, otherwise bytes.

    Raises ValueError if the message is cut off or is not protobuf.
    """
    position, end = 0, len(message)
    while position < end:
        tag, position = varint(message, position)
        wire_type = tag & 7
        if wire_type == VARINT:
            value, position = varint(message, position)
        else:
            if wire_type == LENGTH:
                size, position = varint(message, position)
            elif wire_type in _FIXED_SIZES:
                size = _FIXED_SIZES[wire_type]
            else:
                raise ValueError(f"a field has wire type {wire_type}")
            value = message[position : position + size]
            position += size
            if position > end:
                raise ValueError("a field is cut off")
        yield tag >> 3, value


def varint(message: bytes, position: int) -> tuple[int, int]:
    """Returns the unsigned integer at `position`, and the position behind it.

    Raises ValueError if it is cut off or longer than 64 bits.
    """
    value = shift = 0
    try:
        while True:
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, position
            shift += 7
            if shift > 63:
                raise ValueError("an integer is longer than 64 bits")
    except IndexError:
        raise ValueError("an integer is cut off") from None
