"""The benchmark's rows."""

import importlib
from dataclasses import dataclass

from acgan.errors import UserError


@dataclass(frozen=True)
class Row:
    """A row by its number, and the module that measures it.

    The module has `rows(pairs)`, which gives a list of
    `acgan.benchmarks.measurement.Measurement`, or of texts in place of what can't be measured; and
    perhaps `unavailable()`, which gives a line why the row can't be measured here, or None.
    """

    number: int
    title: str
    module: str

    def measure(self, pairs):
        """The row's measurements, and lines about what was left out."""
        try:
            module = importlib.import_module(f"acgan.benchmarks.{self.module}")
        except ModuleNotFoundError as error:  # of a package that only this row needs
            return [], [str(error)]
        unavailable = getattr(module, "unavailable", None)
        if reason := unavailable() if unavailable else None:
            return [], [reason]
        found = module.rows(pairs)
        left_out = [each for each in found if isinstance(each, str)]
        return [each for each in found if not isinstance(each, str)], left_out


# In the order in which they are measured: processes of their own come first, while this one holds
# no memory of a GPU.
ROWS = (
    Row(8, "start-up", "startup"),
    Row(9, "peak memory", "memory"),
    Row(1, "fit / bare loop", "overhead"),
    Row(2, "step / textbook's step", "against_textbook"),
    Row(3, "step / article's scheme", "against_article"),
    Row(4, "reduced precision / float32", "precision"),
    Row(5, "step / the same in PyTorch", "pytorch_steps"),
    Row(6, "FLOP/s / matrix product", "yardstick"),
    Row(7, "input pipeline / training", "input_rate"),
)


def chosen(numbers):
    """The rows of some numbers, in the order in which they are measured; all for none.

    Arguments:
        numbers: a list of texts.

    Raises:
        UserError: for anything but the number of a row.
    """
    known = {str(row.number): row for row in ROWS}
    for number in numbers:
        if number.strip() not in known:
            listed = ", ".join(f"{n} ({known[n].title})" for n in sorted(known))
            raise UserError(f"--rows={','.join(numbers)}: there is no row {number!r}: {listed}")
    wanted = {number.strip() for number in numbers} or set(known)
    return [row for number, row in known.items() if number in wanted]
