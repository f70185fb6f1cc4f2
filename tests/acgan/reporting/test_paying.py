import pytest

from acgan.reporting.comparison import Change
from acgan.reporting.paying import paying_line
from acgan.reporting.recommendation import BreakEven

LESS = Change(-20.0, -22.0, -18.0, 3, True)
MORE = Change(5.0, 4.0, 6.0, 3, True)
ALIKE = Change(0.5, -1.0, 2.0, 3, True)
WILD = Change(-15.0, -60.0, 80.0, 3, True)
ONCE_LESS = Change(-20.0, None, None, 1, True)
ONCE_MORE = Change(5.0, None, None, 1, True)


def found(batch_size=None, below=None, reason=None, **changes):
    sizes = tuple((int(name[1:]), change) for name, change in changes.items())
    return BreakEven("mixed_float16", sizes, batch_size, below, reason)


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (
            found(128, 32, b32=MORE, b128=LESS),
            "mixed_float16 begins to pay at batch size 128; "
            "at 32 it takes 5 % more time (4 to 6 %)",
        ),
        (
            found(128, 32, b32=ALIKE, b128=LESS),
            "mixed_float16 begins to pay at batch size 128; "
            "at 32 it makes no difference (−1 to +2 %)",
        ),
        (
            found(128, 32, b32=WILD, b128=LESS),
            "mixed_float16 pays at the latest from batch size 128 on; "
            "at 32 the repeats differ too much to see a difference (−60 to +80 %)",
        ),
        (
            found(128, 32, b32=ONCE_MORE, b128=ONCE_LESS),
            "mixed_float16 begins to pay at batch size 128 (measured once); "
            "at 32 it takes 5 % more time (measured once: the spread is unknown)",
        ),
        (
            found(32, None, b32=LESS, b128=LESS),
            "mixed_float16 pays at every batch size measured, from 32 on",
        ),
        (
            found(32, None, b32=LESS),
            "from what batch size on mixed_float16 pays can't be told from one size (32): "
            "measure more with --batch_sizes",
        ),
        (
            found(None, None, "no Tensor Cores", b32=ALIKE, b128=MORE),
            "mixed_float16 does not pay: no Tensor Cores; "
            "at batch size 128 it takes 5 % more time (4 to 6 %)",
        ),
        (
            found(None, None, "no Tensor Cores", b32=ALIKE),
            "mixed_float16 does not pay: no Tensor Cores; "
            "at batch size 32 it makes no difference (−1 to +2 %)",
        ),
        (
            found(None, None, "no Tensor Cores", b32=LESS, b64=LESS, b128=MORE),
            "mixed_float16 pays at batch size 32, 64, but not at 128: "
            "there it takes 5 % more time (4 to 6 %)",
        ),
        (
            found(None, None, "no Tensor Cores", b32=WILD),
            "whether mixed_float16 pays can't be told: at batch size 32 the repeats differ too "
            "much to see a difference (−60 to +80 %); measure more repeats on a quiet machine",
        ),
        (None, "mixed_float16 and float32 were measured at no batch size in common"),
    ],
)
def test_what_is_said_of_a_policy(found, line):
    assert paying_line("mixed_float16", found) == line
