import pytest

from callbacks.tensor_cores.wire_format import fields, varint


def test_fields_of_every_wire_type():
    encoded = b"\x08\x96\x01" + b"\x12\x02hi" + b"\x19" + b"8bytes.." + b"\x25" + b"4byt"
    assert list(fields(encoded)) == [(1, 150), (2, b"hi"), (3, b"8bytes.."), (4, b"4byt")]


def test_a_negative_number_takes_ten_bytes():
    assert varint(b"\xff" * 9 + b"\x01", 0) == (2**64 - 1, 10)


@pytest.mark.parametrize(
    "encoded", [b"\x08", b"\x08\x96", b"\x12\x05hi", b"\x19abc", b"\x0b", b"\x08" + b"\xff" * 11]
)
def test_what_is_cut_off_is_refused(encoded):
    with pytest.raises(ValueError, match=r"cut off|wire type|64 bits"):
        list(fields(encoded))
