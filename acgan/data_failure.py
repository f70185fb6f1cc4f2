"""Images that can't be read any more, noticed between two steps."""

from callbacks.steps import StepCallback


class DataFailure(StepCallback):
    """Raises what went wrong when batches were read ahead, as soon as a step has ended.

    Later, the error would come up within a step that waits for the batch, where nobody can say
    whether the weights are whole: between two steps they can be saved.

    Arguments:
        images: a data set's images; those that stay on disk have a `failure`.
        first_step: as for `StepCallback`.
    """

    def __init__(self, images, first_step=0):
        super().__init__(first_step)
        self.images = images

    def on_steps_end(self, executed, logs):
        if failure := getattr(self.images, "failure", None):
            raise failure
