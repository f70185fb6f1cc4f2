import colorsys

from acgan.reporting.figures.style import OTHER, POLICIES, look_of


def test_policies_differ_in_colour_mark_and_dashes():
    compared = [look_of(name) for name in ("float32", "mixed_float16", "mixed_bfloat16")]
    for part in ("color", "marker", "dashes"):
        assert len({getattr(look, part) for look in compared}) == 3


def test_the_reference_stands_out_in_grey_print():
    def lightness(look):
        channels = (int(look.color[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return colorsys.rgb_to_hls(*channels)[1]

    others = [lightness(look) for name, look in POLICIES.items() if name != "float32"]
    assert lightness(look_of("float32")) == 0
    assert min(others) > 0.3


def test_a_policy_that_nobody_foresaw_has_a_look_of_its_own():
    assert look_of("float64") is OTHER
    assert OTHER not in POLICIES.values()
