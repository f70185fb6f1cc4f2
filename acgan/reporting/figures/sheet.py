"""Puts a figure's panels side by side into files."""

from PIL import Image

from acgan.reporting.figures.style import PNG_DPI

MARGIN = 14  # points around and between panels


def write_sheet(drawings, columns, path):
    """Writes `path`.svg and `path`.png.

    Arguments:
        drawings: `Drawing`s of `acgan.reporting.figures.rendering`, at least one.
        columns: panels side by side.
        path: the files without their suffix, in an existing folder.
    """
    columns = min(columns, len(drawings))
    width = max(drawing.width for drawing in drawings)
    height = max(drawing.height for drawing in drawings)
    places = [
        (
            MARGIN + number % columns * (width + MARGIN),
            MARGIN + number // columns * (height + MARGIN),
        )
        for number in range(len(drawings))
    ]
    rows = -(-len(drawings) // columns)
    size = (
        MARGIN + columns * (width + MARGIN),
        MARGIN + rows * (height + MARGIN),
    )
    path.with_suffix(".svg").write_text(_as_svg(drawings, places, size), encoding="utf-8")
    _as_image(drawings, places, size).save(path.with_suffix(".png"), dpi=(PNG_DPI, PNG_DPI))


def _as_svg(drawings, places, size):
    width, height = size
    panels = "\n".join(
        drawing.svg.replace("<svg ", f'<svg x="{x:g}" y="{y:g}" ', 1).replace('pt"', '"', 2)
        for drawing, (x, y) in zip(drawings, places, strict=True)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}pt" height="{height:g}pt">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{panels}\n</svg>\n'
    )


def _as_image(drawings, places, size):
    scale = PNG_DPI / 72
    sheet = Image.new("RGB", tuple(round(length * scale) for length in size), "white")
    for drawing, place in zip(drawings, places, strict=True):
        sheet.paste(Image.fromarray(drawing.pixels), tuple(round(x * scale) for x in place))
    return sheet
