"""Running a model over more examples than fit into one batch."""

import numpy as np


def in_batches(model, inputs, batch_size):
    """A model's outputs for any number of examples, without training.

    The model is called as it is: `predict` would compile with XLA on a GPU, anew for a last batch
    that is short.

    Arguments:
        model: a `keras.Model`.
        inputs: a list of arrays with the same number of rows, one for each input.
        batch_size: rows per call.

    Returns:
        A list of NumPy arrays, one for each output.
    """
    parts = []
    for begin in range(0, len(inputs[0]), batch_size):
        batch = [array[begin : begin + batch_size] for array in inputs]
        outputs = model(batch if len(batch) > 1 else batch[0], training=False)
        outputs = outputs if isinstance(outputs, list | tuple) else [outputs]
        parts.append([np.asarray(output) for output in outputs])
    return [np.concatenate(part) for part in zip(*parts, strict=True)]
