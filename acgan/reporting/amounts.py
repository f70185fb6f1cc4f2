"""Numbers as a reader wants them: no more digits than the measurement carries."""

import math

_MUCH_PERCENT = 1000  # beyond it the number itself says nothing more


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


def percent_text(percent):
    """A percentage that is not negative, such as "41 %", "0.4 %" or "under 0.1 %"."""
    return f"{percent_digits(percent)} %"


def percent_digits(percent):
    """The same without the sign: whole from 1 on, one decimal below."""
    if percent < 0.05:
        return "under 0.1" if percent else "0"
    if percent > _MUCH_PERCENT:
        return f"over {_MUCH_PERCENT}"
    return f"{percent:.1f}" if round(percent, 1) < 1 else f"{percent:.0f}"


def signed_digits(percent):
    """With its sign, such as "−3", "+4" or "0", and without the percent sign."""
    if abs(percent) < 0.05:
        return "0"
    return f"{'−' if percent < 0 else '+'}{percent_digits(abs(percent))}"


def usd_digits(usd):
    """USD that are not negative: two decimals from 1 on, three digits that count below."""
    return number(usd) if 0 < usd < 1 else f"{usd:.2f}"
