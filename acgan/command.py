"""What all commands share: flags, one line for a user's mistake, exit statuses."""

import errno
import importlib
import os
import sys

from absl import app, logging
from absl import flags as absl_flags

from acgan.errors import UserError
from acgan.shadowing import check_packages

INTERRUPTED = 130  # exit status after Ctrl-C, as shells have it
# What the operating system says when a file or folder can't be used; the user can mend it.
USER_CAUSED = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.EEXIST,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
}


def run(main, flag_modules, takes=None):
    """Runs a command: parses its flags, calls `main(values)`, exits with its status.

    TensorFlow must not be imported before `main` runs, so that `--help` and a typo answer at once.

    Arguments:
        main: takes a dictionary of flag values by name, and with `takes` the list of other
            arguments; returns an exit status, None for 0.
        flag_modules: names of the modules in `flags/` whose flags this command has. They are shown
            by `--help`; no others can be given.
        takes: what the arguments that are no flags are, such as "RUN_OR_SWEEP"; None for none.
    """
    if sys.stdout is not None:
        sys.stdout.reconfigure(errors="replace")  # for terminals that can't show every character
    try:
        check_packages()
        names = import_flags(flag_modules)
    except UserError as error:
        _fail(error)
    registry = absl_flags.FLAGS
    for name in names:  # so that --help shows them
        registry.register_key_flag_for_module(sys.argv[0], registry[name])
    app.run(lambda argv: _call(main, argv[1:], names, takes))


def given(names):
    """Those of some flags that stand on the command line, as a set of names."""
    return {name for name in names if absl_flags.FLAGS[name].present}


def import_flags(flag_modules):
    """Imports modules of `flags/`; returns the names of the flags that they define."""
    for module in flag_modules:
        importlib.import_module(f"flags.{module}")
    defined = absl_flags.FLAGS.flags_by_module_dict()
    return [flag.name for module in flag_modules for flag in defined[f"flags.{module}"]]


def _call(main, arguments, names, takes):
    logging.set_verbosity(logging.WARNING)  # TensorFlow says much of variables on several machines
    try:
        if arguments and not takes:
            raise UserError(
                f"'{arguments[0]}' is not a flag: write --name=value (--help lists them)"
            )
        values = {name: absl_flags.FLAGS[name].value for name in names}
        return main(values, arguments) if takes else main(values)
    except UserError as error:
        _fail(error)
    except BrokenPipeError:  # the reader of the output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.errno not in USER_CAUSED:
            raise
        _fail(error)
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)


def _fail(message, status=1):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)
