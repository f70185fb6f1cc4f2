"""PyTorch's steps in a process of their own, which sleeps while this project's are measured.

TensorFlow and PyTorch in one process would share the cores: each has a pool of threads that may
still be looking for work while the other's step is timed.
"""

import contextlib
import functools
import multiprocessing
import time

PATIENCE_SECONDS = 10  # for the process to end by itself


class Failed(Exception):
    """PyTorch's process could not run a step; says why in one line."""


@contextlib.contextmanager
def started(images, labels, device):
    """Starts the process; ends it with the context.

    Arguments:
        images: uint8 [count, height, width, channels], the training data.
        labels: int32 [count].
        device: "cpu" or "cuda".

    Yields:
        `ask(steps, batch_size, **arguments)`: trains the model of these
        `acgan.benchmarks.pytorch_model.PyTorchACGAN` arguments for some steps and returns the mean
        seconds of one. The first time for new arguments builds and compiles, too. Raises `Failed`.
    """
    context = multiprocessing.get_context("spawn")  # TensorFlow does not survive a fork
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, images, labels, device), daemon=True)
    process.start()
    there.close()

    def ask(steps, batch_size, **arguments):
        try:
            here.send((steps, batch_size, arguments))
            seconds, reason = here.recv()
        except (EOFError, OSError) as error:
            process.join(PATIENCE_SECONDS)
            raise Failed(f"its process ended with status {process.exitcode}") from error
        if reason:
            raise Failed(reason)
        return seconds

    try:
        yield ask
    finally:
        here.close()
        process.join(PATIENCE_SECONDS)
        process.terminate()
        process.join()


def _serve(connection, images, labels, device):
    """Answers requests with (seconds, None) or (None, why not), until the other end is closed."""

    @functools.lru_cache(maxsize=2)  # the models that are being compared
    def runner(batch_size, **arguments):
        return _runner(images, labels, device, batch_size, arguments)

    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            steps, batch_size, arguments = connection.recv()
            try:
                answer = runner(batch_size, **arguments)(steps), None
            except Exception as error:
                answer = None, _in_a_line(error)
            connection.send(answer)


def _runner(images, labels, device, batch_size, arguments):
    import torch

    from acgan.benchmarks.pytorch_model import PyTorchACGAN, batches

    # On a GPU as TensorFlow does: float32 by TF32 where there is TF32, kernels chosen by trial.
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    if arguments["compiled"]:
        torch.compiler.reset()  # it keeps no more than some graphs of one function
    model = PyTorchACGAN(device=device, **arguments)
    stream = batches(
        images, labels, arguments["classes"], batch_size, arguments["latent_dim"], device
    )

    def run(steps):
        begin = time.perf_counter()
        for _ in range(steps):
            losses = model.train_step(next(stream))
        float(losses[0])  # waits for the device
        return (time.perf_counter() - begin) / steps

    return run


def _in_a_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else 'nothing was said'}"
