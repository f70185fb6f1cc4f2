import re
from xml.etree import ElementTree

import matplotlib

from acgan.reporting.figures.rendering import draw_panels, drawable
from acgan.reporting.figures.report_figure import Panel, ReportFigure


def one_line(axes):
    axes.plot([1, 2], [3, 4], marker="o")
    axes.set_ylabel("time, ms")


def figure(*titles, draw=one_line, heights=(2.0,)):
    panels = tuple(Panel(title, "a line", draw, heights) for title in titles)
    return ReportFigure(1, "Lines", "They rise.", panels)


def texts(svg):
    return ["".join(e.itertext()) for e in ElementTree.fromstring(svg).iter() if "text" in e.tag]


def test_a_panel_is_an_element_with_words_and_a_picture_of_the_same_form():
    (drawing,) = draw_panels(figure("Tesla T4"), "figure-1")
    assert {"Tesla T4", "time, ms"} <= set(texts(drawing.svg))
    assert 'role="img" aria-label="Tesla T4: a line"' in drawing.svg
    # 3.6 inches wide; title 0.19, gap 0.1, axes 2.0, labels 0.5 inches high; 200 pixels an inch
    assert drawing.width == 3.6 * 72
    assert round(drawing.height, 6) == round((0.19 + 0.1 + 2.0 + 0.5) * 72, 6)
    assert drawing.pixels.shape == (558, 720, 3)
    assert drawing.pixels.min() < 100 < drawing.pixels.max()


def test_the_same_figure_gives_the_same_bytes():
    first, second = (draw_panels(figure("a"), "figure-1")[0] for _ in range(2))
    assert first.svg == second.svg
    assert (first.pixels == second.pixels).all()


def test_ids_differ_between_panels_and_figures():
    drawings = [*draw_panels(figure("a", "b"), "figure-1"), *draw_panels(figure("a"), "figure-2")]
    ids = [set(re.findall(r' id="([^"]*)"', drawing.svg)) for drawing in drawings]
    assert all(ids)
    assert len(ids[0] | ids[1] | ids[2]) == sum(map(len, ids))


def test_long_titles_take_two_lines_and_all_axes_stay_aligned():
    title = "AMD EPYC 9124 16-Core Processor with a very long name indeed (128 CPUs), 12.5 USD/h"
    short, long = draw_panels(figure("T4", title), "figure-1")
    assert short.height == long.height
    words = " ".join(texts(long.svg)[-2:])
    assert "AMD EPYC 9124" in words
    assert words.endswith("…")  # it has a third line


def test_several_axes_stand_below_each_other():
    places = []

    def draw(upper, lower):
        places.extend((upper.get_position(), lower.get_position()))

    draw_panels(figure("a", draw=draw, heights=(1.5, 0.5)), "figure-1")
    upper, lower = places
    assert round(upper.height / lower.height, 6) == 3
    assert lower.y1 < upper.y0
    assert lower.x0 == upper.x0


def test_hostile_texts_are_drawn_as_they_are_and_harm_nothing():
    def draw(axes):
        axes.text(0, 0, "$x^2$ </svg><script>alert(1)</script>\x1b\x00\ud800 猫")

    (drawing,) = draw_panels(figure("<b>&", draw=draw), "figure-1")
    assert "$x^2$ </svg><script>alert(1)</script>??? 猫" in texts(drawing.svg)
    assert "<script>" not in drawing.svg
    assert "<b>" not in drawing.svg


def test_texts_without_end_are_cut():
    assert drawable("a" * 200) == "a" * 79 + "…"


def test_nothing_global_is_changed():
    before = dict(matplotlib.rcParams)
    draw_panels(figure("a"), "figure-1")
    assert dict(matplotlib.rcParams) == before
