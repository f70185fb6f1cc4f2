"""Which classes a user means by names and numbers."""

import difflib
import operator

from acgan.errors import UserError

_LISTED = 20  # known names that an error shows at most


def class_numbers(selection, class_names, source):
    """Looks up classes given by name or number.

    A name counts before a number: where classes are called "7" and "3", "3" is the second. Upper
    and lower case are the same where no name fits exactly.

    Arguments:
        selection: names or numbers 0..classes-1, also numbers as text ("3").
        class_names: names by class number.
        source: what has these classes; errors begin with it.

    Returns:
        A list of class numbers in the order of the selection.

    Raises:
        UserError: for an unknown class, with the nearest names, and for one chosen twice.

    Example:
        class_numbers(["dog", 0], ("cat", "cow", "dog"), "pets")  # [2, 0]
    """
    numbers = {name: number for number, name in enumerate(class_names)}
    folded = {name.casefold(): number for name, number in reversed(numbers.items())}
    chosen = []
    for item in selection:
        number = _number(item, numbers, folded)
        if number is None:
            raise UserError(f"{source} has no class {str(item)!r}: {_ways_out(item, class_names)}")
        if number in chosen:
            raise UserError(f"{source}: class {class_names[number]!r} is chosen twice")
        chosen.append(number)
    return chosen


def near_misses(name, names):
    """The names, three at most, that look like a misspelt one; best first."""
    by_folded = {candidate.casefold(): candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.6)
    return [by_folded[folded] for folded in close]


def _number(item, numbers, folded):
    if isinstance(item, str):
        name = item.strip()
        number = numbers.get(name, folded.get(name.casefold()))
        if number is not None or not (name.isascii() and name.isdecimal()):
            return number
        item = int(name)
    try:
        number = operator.index(item)
    except TypeError:
        return None
    return number if 0 <= number < len(numbers) else None


def _ways_out(item, class_names):
    close = near_misses(str(item), class_names)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    if len(class_names) <= _LISTED:
        return f"{hint}It has {', '.join(class_names)} (or 0..{len(class_names) - 1})"
    shown = ", ".join(class_names[:3])
    return f"{hint}It has {len(class_names)}, {shown} ... {class_names[-1]}"
