"""Figure 4: samples by class after equal training time, policies side by side."""

import math
from functools import partial

import numpy as np

from acgan.reporting.amounts import number, percent_text, short_number
from acgan.reporting.figures.report_figure import Panel, ReportFigure
from acgan.reporting.figures.sample_picture import read_samples
from acgan.reporting.figures.titles import device_titles
from acgan.reporting.quality import equal_time_sets

ROWS, CLASSES = 5, 10  # shown at most
NAME_CHARACTERS = 12
LEFT = 0.05  # inches, beside the pictures
WIDTH = 3.41  # inches, of the pictures
NAMES = 0.55  # inches, above them
GAP = 2  # pixels between images
HOW_TO_GET = (
    "No two policies were trained for the same time and judged: `python -m acgan.sweep "
    "--batch_sizes=1024 --minutes=7 --dataset=quickdraw --out=sweeps/quality` does that."
)


def figure(group):
    """The `ReportFigure` of a `Group`; without panels where no policies had equal time."""
    titles, panels, most = device_titles(group.devices), [], 1
    sets = equal_time_sets(group)
    for judged_set in best_sets(sets):
        shown = [(judged, *_samples(judged)) for judged in judged_set.policies]
        most = max(most, len(shown))
        about = [titles[id(judged_set.device)], f"batch size {judged_set.batch_size}"]
        about += [f"{short_number(judged_set.minutes)} minutes"]
        about += [f"{name} {value}" for name, value in judged_set.differs.items()]
        for judged, images, names in shown:
            panels.append(
                Panel(
                    f"{judged.policy}: {', '.join(about)}",
                    f"generated images by class, {quality_in_words(judged)}",
                    partial(_draw, judged, images, names),
                    (_height(images),),
                    left=LEFT,
                )
            )
    return ReportFigure(
        number=4,
        title="Samples after equal training time",
        caption=(
            f"What the generators draw at the end, one column a class (the first {CLASSES} at "
            "most), from the same latent vectors; of repeats the first. Class accuracy is the "
            "share of generated images in which the judge sees the class that was asked for; of "
            "FID lower is better. Both are means, with the lowest and the highest repeat."
        ),
        panels=tuple(panels),
        notes=_notes(sets),
        columns=most,
    )


def best_sets(sets):
    """Of some `EqualTime`s those to show: for each device the one with the lowest FID."""
    best = {}
    for one in sorted(sets, key=_lowest_fid):
        best.setdefault(id(one.device), one)
    return [one for one in sets if one is best[id(one.device)]]


def _lowest_fid(judged_set):
    return min((judged.fid.mean for judged in judged_set.policies if judged.fid), default=math.inf)


def _notes(sets):
    if not sets:
        return (HOW_TO_GET,)
    more = len(sets) - len(best_sets(sets))
    if not more:
        return ()
    return (
        f"Of each device the batch size with the lowest FID is shown; {more} more had equal time, "
        "too: their figures are in `results.csv`.",
    )


def quality_in_words(judged):
    """Class accuracy and FID of a `Judged`, such as "class accuracy 97 %, FID 12.1 (11 to 13)"."""
    accuracy, fid = judged.class_accuracy, judged.fid
    parts = []
    if accuracy:
        ends = [percent_text(100 * end) for end in (accuracy.low, accuracy.high)]
        parts.append(f"class accuracy {percent_text(100 * accuracy.mean)}{_between(ends)}")
    if fid:
        ends = [number(end) for end in (fid.low, fid.high)]
        parts.append(f"FID {number(fid.mean)}{_between(ends)}")
    return ", ".join(parts) or "not judged"


def _between(ends):
    return "" if ends[0] == ends[1] else f" ({ends[0]} to {ends[1]})"


def _samples(judged):
    """Images [rows, classes, height, width, 3] of a `Judged`, None if none; names of classes."""
    result = judged.result
    images = judged.picture and read_samples(
        judged.picture, len(result.class_names), result.image_shape
    )
    if images is None:
        return None, ()
    images = images[:ROWS, :CLASSES]
    return images, result.class_names[: images.shape[1]]


def _height(images):
    if images is None:
        return 0.6
    rows, columns, height, width, _ = images.shape
    return WIDTH * (rows * height) / (columns * width) + NAMES


def _draw(judged, images, names, axes):
    axes.set_axis_off()
    words = quality_in_words(judged).replace(", FID", "\nFID")
    axes.text(0.0, -0.03, words, transform=axes.transAxes, va="top")
    if images is None:
        axes.text(0.0, 0.5, "no samples are in the run's folder", transform=axes.transAxes)
        return
    picture = _joined(images)
    axes.imshow(picture, interpolation="none", aspect="equal", resample=False)
    axes.set_anchor("SW")
    width = picture.shape[1] / len(names)
    for column, name in enumerate(names):
        short = name if len(name) <= NAME_CHARACTERS else f"{name[: NAME_CHARACTERS - 1]}…"
        axes.text(
            (column + 0.4) * width, -2, short, rotation=45, size=7.5, va="bottom",
            rotation_mode="anchor",
        )  # fmt: skip


def _joined(images):
    """One picture uint8 [height, width, 3] of images [rows, columns, height, width, 3]."""
    rows, columns, height, width, _ = images.shape
    sheet = np.full((rows * (height + GAP) - GAP, columns * (width + GAP) - GAP, 3), 255, np.uint8)
    for row in range(rows):
        for column in range(columns):
            top, left = row * (height + GAP), column * (width + GAP)
            sheet[top : top + height, left : left + width] = images[row, column]
    return sheet
