"""Finds a user's own file that hides a package of this project."""

import importlib.util
from pathlib import Path

from acgan.errors import UserError

PACKAGES = ("callbacks", "flags")


def check_packages():
    """Checks that `callbacks` and `flags` are this project's.

    Python looks in the working folder first, so that a `flags.py` there is imported in place of the
    package.

    Raises:
        UserError: naming the file in the way, or the package that is missing.
    """
    home = Path(__file__).resolve().parents[1]
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise UserError(
                f"the package '{name}' is missing beside {home / 'acgan'}: install again"
            )
        found = Path(spec.origin or next(iter(spec.submodule_search_locations))).resolve()
        if home / name not in (found, found.parent):
            raise UserError(
                f"{found} hides this project's package '{name}': rename it or start the command "
                "in another folder"
            )
