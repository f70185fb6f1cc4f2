"""The error for what a user can cause and mend."""


class UserError(ValueError):
    """What a user can cause: a wrong value, a missing or broken file, no network.

    The message is one line that names the argument or file, the value received and the way out.
    Commands print it without a traceback and exit with status 1. Line breaks in the message, such
    as a file name or another library's text may bring along, become spaces.

    Example:
        raise UserError(f"--minutes={minutes} is not positive: give a number above 0")
    """

    def __init__(self, message):
        super().__init__(" ".join(str(message).splitlines()))
