"""The page as a browser shows it, on a telephone and on a desk."""

import html
import json
import re
import shutil
import subprocess

import pytest

from acgan.reporting.report_folder import write_report
from acgan.result_reading import read_results

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
SECONDS = 120  # after which a browser that does not answer is given up

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: apt install chromium"),
]
# A page in a frame of a telephone's width: no window of the browser's can be that narrow.
FRAME = """<!DOCTYPE html><body><iframe id="frame" width="{width}" height="800" srcdoc="{page}">
</iframe><pre id="found"></pre><script>
addEventListener("load", () => {{
  const page = document.getElementById("frame").contentDocument, root = page.documentElement;
  const drawings = [...page.querySelectorAll("svg")].map(svg => {{
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    const sizes = [...svg.querySelectorAll("text")].map(t => parseFloat(t.style.fontSize) * scale);
    return {{left: box.left, right: box.right, height: box.height, text: Math.min(...sizes)}};
  }});
  const found = {{width: root.clientWidth, content: root.scrollWidth, drawings: drawings}};
  document.getElementById("found").textContent = JSON.stringify(found);
}});
</script></body>"""


@pytest.fixture
def browse(tmp_path):
    """Opens a file in the browser; returns the document as it is then, and the console's lines."""

    def browse(path, width):
        done = subprocess.run(
            [
                *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu"),
                *("--disable-dev-shm-usage", "--enable-logging=stderr", "--dump-dom"),
                f"--user-data-dir={tmp_path / 'profile'}",
                *(f"--window-size={width},900", path.as_uri()),
            ],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    return browse


@pytest.fixture
def measure(browse, tmp_path):
    """Measures a page in a frame of a width in pixels."""

    def measure(page, width):
        frame = tmp_path / f"frame-{width}.html"
        frame.write_text(FRAME.format(width=width, page=html.escape(page)))
        document, _ = browse(frame, max(width, 500))
        found = re.search(r'<pre id="found">(.*?)</pre>', document, re.DOTALL)
        return json.loads(html.unescape(found[1]))

    return measure


@pytest.fixture
def report(three_devices, write_sweep, tmp_path):
    """The report of three devices and of runs that were judged."""
    times = {"float32": {64: [10.0]}, "mixed_float16": {64: [8.0]}}
    history = [(10.0 * number, 100.0 / number) for number in range(1, 9)]
    write_sweep(
        tmp_path / "judged", times, dataset="mnist5k", minutes=7.0, history=history,
        gpu_name="NVIDIA GeForce RTX 4090 with a name that takes more than one line",
    )  # fmt: skip
    write_report(read_results([three_devices, tmp_path / "judged"]), tmp_path / "report")
    return tmp_path / "report" / "index.html"


def test_the_page_opens_without_a_word_on_the_console(report, browse):
    document, console = browse(report, 1440)
    assert "Which precision to train in" in document
    assert console == []


@pytest.mark.parametrize("width", [360, 1440])
def test_all_figures_are_visible_and_nothing_scrolls_sideways(report, measure, width):
    found = measure(report.read_text(), width)
    assert found["content"] <= found["width"] <= width
    # Figures 1, 2, 3 and 6 of three devices; 1, 2, 3, of the other group, two panels in 4 and 5.
    assert len(found["drawings"]) == 4 * 3 + 3 + 2 + 2
    for drawing in found["drawings"]:
        assert 0 <= drawing["left"] < drawing["right"] <= found["width"]
        assert drawing["height"] > 100
        assert drawing["text"] > 7


def test_panels_stand_below_each_other_on_a_telephone_and_side_by_side_on_a_desk(report, measure):
    page = report.read_text()
    lefts = [
        [round(drawing["left"]) for drawing in measure(page, width)["drawings"][:3]]
        for width in (360, 1440)
    ]
    assert len(set(lefts[0])) == 1
    assert len(set(lefts[1])) == 3


def test_a_fault_in_a_page_would_be_seen(browse, measure, tmp_path):
    path = tmp_path / "faulty.html"
    path.write_text('<!DOCTYPE html><div style="width: 900px">wide</div><script>fail()</script>')
    _, console = browse(path, 1440)
    assert any("fail is not defined" in line for line in console)
    assert measure(path.read_text(), 360)["content"] >= 900
