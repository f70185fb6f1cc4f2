"""Measured numbers as text."""

import math


def number(value):
    """A number with the three digits that count: "0.0346", "16.0", "12,800"."""
    if not math.isfinite(value):
        return f"{value:g}"
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:,.{max(0, digits)}f}".replace("-", "−")


def short_number(value):
    """The same without zeros at the end of decimals: "0.0346", "16", "12,800"."""
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text else text
