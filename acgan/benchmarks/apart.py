"""Steps in a process of their own, for a policy that needs TensorFlow set up in another way."""

import contextlib
import functools
import multiprocessing

from acgan.quiet import import_tensorflow


@contextlib.contextmanager
def measures(policy, sizes):
    """As `acgan.benchmarks.precision.measures`, measured in another process, which waits between.

    Raises:
        RuntimeError: the process ended, such as for want of memory.
    """
    context = multiprocessing.get_context("spawn")  # TensorFlow does not survive a fork
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, policy, sizes), daemon=True)
    process.start()
    there.close()

    def ask(setting=None):
        try:
            here.send(setting)
            return here.recv()
        except (EOFError, OSError) as error:
            process.join()
            raise RuntimeError(
                f"the process of {policy} ended with status {process.exitcode}"
            ) from error

    try:
        settings = ask()  # built and warm when it answers
        yield {setting: functools.partial(ask, setting) for setting in settings}
    finally:
        here.close()
        process.terminate()
        process.join()


def _serve(connection, policy, sizes):
    """Says what it can measure, then answers each of these with seconds, until its parent ends."""
    import_tensorflow(policy)
    from acgan.benchmarks import precision

    measures = precision.measures(policy, sizes)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            setting = connection.recv()
            connection.send(measures[setting]() if setting else list(measures))
