from acgan.reporting.grouping import group
from acgan.reporting.section import make_section
from acgan.result_reading import read_results


def test_a_section_holds_all_that_is_said_of_a_group(three_devices):
    (alone,) = group(read_results([three_devices]).runs)
    section = make_section(alone, 1)
    assert section.title.startswith("article network, cifar10, 32x32x3 images")
    assert [headline.device_name for headline in section.headlines] == [
        *("Tesla P100-PCIE-16GB", "Tesla T4", "Tesla V100-SXM2-16GB"),
    ]
    names = [(drawn.name, drawn.figure.number) for drawn in section.figures]
    assert names == [(f"figure-{number}", number) for number in range(1, 7)]
    panels = [len(drawn.drawings) for drawn in section.figures]
    assert panels == [3, 3, 3, 0, 0, 3]  # nothing was judged, so there are no figures 4 and 5
    assert len(section.settings) == 3
    assert section.published is not None
    assert section.fids is None


def test_further_groups_have_names_of_their_own(write_sweep, tmp_path):
    sweep = write_sweep(tmp_path / "sweep", {"float32": {8: [1.0]}}, history=[(1.0, 9.0)])
    (alone,) = group(read_results([sweep]).runs)
    section = make_section(alone, 2, ["width"], target_fid=9.5)
    assert section.anchor == "group-2"
    assert section.figures[0].name == "figure-1-group-2"
    assert "no width" in section.title
    assert section.fids.rows[0][3] == "9.50"
