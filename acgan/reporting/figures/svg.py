"""matplotlib's SVG files as small elements for a page."""

import re
from html import escape
from xml.etree import ElementTree

NAMESPACE = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_FONTS = "'DejaVu Sans',Verdana,sans-serif"
_LONG_NUMBER = re.compile(r"(\d\.\d\d)\d+")
_NO_ROTATION = re.compile(r"rotate\(-?0 [^)]*\)")


def as_element(file, label):
    """An SVG file of matplotlib's as an element, at about a third of the size.

    What holds for a whole page is gone: its style sheet, and the ids that nothing refers to. So are
    metadata, groups that do nothing, and digits below a hundredth of a point.

    Arguments:
        file: the file's text.
        label: what it shows, in words.
    """
    ElementTree.register_namespace("", NAMESPACE)
    ElementTree.register_namespace("xlink", _XLINK)
    root = ElementTree.fromstring(file)
    _slim(root, _references(root))
    *_, width, height = root.get("viewBox").split()
    content = "".join(
        ElementTree.tostring(child, "unicode")
        .replace(f' xmlns="{NAMESPACE}"', "")
        .replace(f' xmlns:xlink="{_XLINK}"', "")
        for child in root
    )
    return (
        f'<svg xmlns="{NAMESPACE}" xmlns:xlink="{_XLINK}" viewBox="0 0 {width} {height}" '
        f'width="{width}pt" height="{height}pt" role="img" aria-label="{escape(label)}" '
        f'style="stroke-linejoin:round;font-family:{_FONTS}">{content}</svg>'
    )


def _references(root):
    """Ids that are referred to."""
    found = set()
    for element in root.iter():
        found.add(element.get(_HREF, "")[1:])
        for value in element.attrib.values():
            found.update(re.findall(r"url\(#([^)]*)\)", value))
    return found


def _slim(element, referred):
    for name, value in list(element.attrib.items()):
        short = _shortened(name, value, referred)
        if short:
            element.set(name, short)
        else:
            del element.attrib[name]
    children = []
    for child in element:
        if child.tag in (f"{{{NAMESPACE}}}metadata", f"{{{NAMESPACE}}}style"):
            continue
        _slim(child, referred)
        child.tail = None
        if child.tag == f"{{{NAMESPACE}}}g" and not child.attrib:
            children += child
        elif len(child) or child.attrib:
            children.append(child)
    element[:] = children
    if element.tag != f"{{{NAMESPACE}}}text":
        element.text = None


def _shortened(name, value, referred):
    """An attribute's value, None if it says nothing."""
    if name == "id":
        return value if value in referred else None
    if name == _HREF:
        return value
    value = _LONG_NUMBER.sub(r"\1", " ".join(value.split()))
    if name == "style":
        value = re.sub(r"font-family:[^;]*;? ?", "", value).replace("; ", ";").replace(": ", ":")
    return _NO_ROTATION.sub("", value).strip() or None
