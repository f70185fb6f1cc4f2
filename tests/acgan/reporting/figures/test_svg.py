from acgan.reporting.figures.svg import as_element

FILE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="10pt" height="20pt" viewBox="0 0 10 20"
 xmlns="http://www.w3.org/2000/svg" version="1.1">
 <metadata><title>made by</title></metadata>
 <defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
 <g id="figure_1">
  <g id="line_2"><path id="m1" d="M 0.123456 2
L 3 4.5" style="fill: none; stroke: #000000"/></g>
  <g clip-path="url(#c1)"><use xlink:href="#m1" x="1.98765"/></g>
  <text style="font-size: 8px; font-family: 'A', 'B', serif; fill: #111" x="1"
   transform="rotate(-0 1 2)">0.123456 &lt; b</text>
  <text transform="rotate(-90 1 2)">up</text>
 </g>
 <defs><clipPath id="c1"><rect width="3"/></clipPath></defs>
</svg>
"""


def test_an_element_for_a_page_holds_what_is_drawn_and_nothing_else():
    assert as_element(FILE, 'T4 & "co"') == (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'viewBox="0 0 10 20" width="10pt" height="20pt" role="img" '
        'aria-label="T4 &amp; &quot;co&quot;" '
        "style=\"stroke-linejoin:round;font-family:'DejaVu Sans',Verdana,sans-serif\">"
        '<path id="m1" d="M 0.12 2 L 3 4.5" style="fill:none;stroke:#000000" />'
        '<g clip-path="url(#c1)"><use xlink:href="#m1" x="1.98" /></g>'
        '<text style="font-size:8px;fill:#111" x="1">0.123456 &lt; b</text>'
        '<text transform="rotate(-90 1 2)">up</text>'
        '<defs><clipPath id="c1"><rect width="3" /></clipPath></defs></svg>'
    )
