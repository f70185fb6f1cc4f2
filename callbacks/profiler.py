"""TensorFlow's profiler: whether it is running."""


def profiler_is_running():
    """Whether a profile is being recorded in this process, whoever started it.

    TensorFlow (2.21) has no public question for this, only the module's own variable.
    """
    from tensorflow.python.profiler import profiler_v2

    return getattr(profiler_v2, "_profiler", None) is not None
