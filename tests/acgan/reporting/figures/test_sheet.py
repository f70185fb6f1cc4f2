from xml.etree import ElementTree

import numpy as np
from PIL import Image

from acgan.reporting.figures.rendering import Drawing
from acgan.reporting.figures.sheet import MARGIN, write_sheet

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 36" width="72pt" height="36pt"/>'


def drawing(grey):
    return Drawing(SVG, 72.0, 36.0, np.full((100, 200, 3), grey, np.uint8))


def test_panels_stand_side_by_side_and_wrap(tmp_path):
    write_sheet([drawing(grey) for grey in (10, 20, 30)], 2, tmp_path / "figure-1")
    width, height = 3 * MARGIN + 2 * 72, 3 * MARGIN + 2 * 36
    root = ElementTree.parse(tmp_path / "figure-1.svg").getroot()
    assert root.get("viewBox") == f"0 0 {width} {height}"
    panels = root.findall("{http://www.w3.org/2000/svg}svg")
    left, top = MARGIN, MARGIN
    right, below = MARGIN + 72 + MARGIN, MARGIN + 36 + MARGIN
    places = [(float(panel.get("x")), float(panel.get("y"))) for panel in panels]
    assert places == [(left, top), (right, top), (left, below)]
    assert {panel.get("width") for panel in panels} == {"72"}
    with Image.open(tmp_path / "figure-1.png") as image:
        assert image.size == (round(width * 200 / 72), round(height * 200 / 72))
        middle = [(x + 36, y + 18) for x, y in places]
        seen = [image.getpixel((round(x * 200 / 72), round(y * 200 / 72))) for x, y in middle]
        assert seen == [(10, 10, 10), (20, 20, 20), (30, 30, 30)]
        assert image.getpixel((0, 0)) == (255, 255, 255)


def test_few_panels_take_no_more_room_than_they_need(tmp_path):
    write_sheet([drawing(0)], 3, tmp_path / "figure-2")
    root = ElementTree.parse(tmp_path / "figure-2.svg").getroot()
    assert root.get("viewBox") == f"0 0 {2 * MARGIN + 72} {2 * MARGIN + 36}"
