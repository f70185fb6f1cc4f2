import re
from html.parser import HTMLParser

import pytest

from acgan.reporting.grouping import differences, group
from acgan.reporting.page import render_page, unbroken, with_code
from acgan.reporting.section import make_section
from acgan.result_reading import Results, read_results

VOID = {"meta", "link", "br", "rect"}
HOSTILE = "</svg><script>alert('x')</script>&\"'\x00\x1b\ud800"


class Page(HTMLParser):
    """Collects what a page is made of, and checks that its elements are nested."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.labels, self.text = [], [], [], [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.ids += filter(None, [found.get("id")])
        self.links += [found[name] for name in ("src", "href", "xlink:href") if name in found]
        self.labels += filter(None, [found.get("aria-label")])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def page():
    """The text of the page of the runs in some folders."""

    def make(*folders, left_out=()):
        runs = read_results(folders).runs
        groups = group(runs)
        differing = differences(groups)
        sections = [make_section(one, n, differing) for n, one in enumerate(groups, 1)]
        return render_page(Results(runs, left_out), groups, sections)

    return make


def test_the_page_says_what_was_found_and_needs_nothing_else(page, three_devices):
    text = page(three_devices)
    found = Page(text)
    assert "90 runs of 2026-11-01 to 2026-11-03 on Tesla P100-PCIE-16GB" in found.text
    assert "train in mixed_float16 at batch size 2048" in found.text
    assert "no Tensor Cores" in found.text
    assert found.tags.count("svg") == 4 * 3  # four figures of three devices
    assert any(label.startswith("Tesla T4: time of a batch") for label in found.labels)
    assert "published" in found.text
    assert "time of a batch, ms" in found.text
    assert all(link.startswith(("#", "data:")) for link in found.links)
    assert not re.search(r"url\((?!#)", text)
    assert "@import" not in text
    assert len(text.encode()) < 500_000


def test_no_two_elements_have_the_same_id(page, three_devices, write_sweep, tmp_path):
    other = write_sweep(tmp_path / "other", {"float32": {8: [1.0], 16: [2.0]}}, network="dcgan")
    ids = Page(page(three_devices, other)).ids
    assert len(ids) == len(set(ids))
    assert {"figure-1", "figure-1-group-2", "group-2"} < set(ids)


def test_what_is_missing_has_its_line(page, write_sweep, tmp_path):
    found = Page(page(write_sweep(tmp_path / "cpu", {"float32": {8: [1.0]}}, device="CPU")))
    assert "no price is known for a machine without a GPU: give a price with" in found.text
    assert "--batch_sizes=1024 --minutes=7 --dataset=quickdraw" in found.text
    assert "No run was judged" in found.text
    assert "it needs a GPU" in found.text
    assert "1 run of 2026-11-01" in found.text


def test_groups_stand_apart_and_it_is_said_in_what_they_differ(page, write_sweep, tmp_path):
    times = {"float32": {8: [1.0]}}
    folders = [
        write_sweep(tmp_path / "a", times),
        write_sweep(tmp_path / "b", times, jit_compile=True),
    ]
    found = Page(page(*folders))
    assert "2 groups that can't be compared, since they differ in jit setting" in found.text
    assert "jit off, TensorFlow" in found.text
    assert "jit on, TensorFlow" in found.text
    assert "groups that can't be compared" not in Page(page(folders[0])).text


def test_runs_that_were_left_out_are_named(page, write_sweep, tmp_path):
    sweep = write_sweep(tmp_path / "sweep", {"float32": {8: [1.0]}})
    found = Page(page(sweep, left_out=("a/run.json is damaged: <b>",)))
    assert "a/run.json is damaged: <b>" in found.text


def test_texts_from_runs_are_escaped(page, write_run, tmp_path):
    run = write_run(
        tmp_path / "run",
        message=HOSTILE,
        dataset=HOSTILE,
        network=HOSTILE,
        gpu_name=HOSTILE,
        status=HOSTILE,
        policy=HOSTILE,
        history=[(1.0, 9.0)],
        **{"cost.price_source": HOSTILE, "resolved.class_names": [HOSTILE, "b"]},
    )
    text = page(run, left_out=(HOSTILE,))
    found = Page(text)
    assert "script" not in found.tags
    assert found.text.count("alert('x')") > 5


def test_names_of_commands_are_set_as_code():
    assert with_code("use `a --b` or <c>") == "use <code>a --b</code> or &lt;c&gt;"


def test_numbers_stay_with_their_units_and_flags_whole():
    assert unbroken("41 % of 12 ms, 3 USD & more") == "41\xa0% of 12\xa0ms, 3\xa0USD &amp; more"
    assert unbroken("give --usd_per_hour") == 'give <span class="flag">--usd_per_hour</span>'
