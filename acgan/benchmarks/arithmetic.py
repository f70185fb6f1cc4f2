"""What a step can gain by computing less: matrix FLOPs of two steps, counted from layer shapes."""

from callbacks.flops import step_flops


def arithmetic(own, reference, batch_size):
    """The ratio of two steps' FLOPs, which is the ratio of times that arithmetic alone allows.

    Arguments:
        own, reference: what says by `training_passes()` what its step runs.
        batch_size: real images in a step.
    """
    return step_flops(own, batch_size) / step_flops(reference, batch_size)


def flops_note(own, reference, batch_size):
    """The FLOPs of both steps in words."""
    counts = [step_flops(step, batch_size) / 1e9 for step in (own, reference)]
    return "matrix GFLOP a step: {:.2f} / {:.2f}".format(*counts)
