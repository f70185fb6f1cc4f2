"""A model's logs in TensorBoard."""

from callbacks.steps import StepCallback


class Losses(StepCallback):
    """Logs the mean of a model's metrics over every `interval` steps.

    Writes the tags that `tags` names, at the last step of each interval, and resets the model's
    metrics so that the next mean starts anew. Keras resets them as an epoch begins, too: the first
    point of an epoch is about the steps of that epoch alone.

    | tag | value |
    |---|---|
    | `tags[name]` | mean of metric `name` over the last `interval` steps |

    Arguments:
        board: a `callbacks.board.Board`, or None to log nothing.
        tags: the model's metric names and the tag for each.
        interval: steps per point.
        first_step: as for `StepCallback`.

    Example:
        model.fit(data, callbacks=[Losses(Board("logs"), {"loss": "loss/total"})])
    """

    def __init__(self, board, tags, interval=10, first_step=0):
        super().__init__(first_step)
        self.board = board
        self.tags = tags
        self.interval = interval
        self.latest = {}

    def on_steps_end(self, executed, logs):
        if not self.passed_multiple_of(self.interval, executed):
            return
        self.latest = {name: logs[name] for name in self.tags}
        if self.board is not None:
            self.board.scalars(
                {tag: logs[name] for name, tag in self.tags.items()}, step=self.steps_done
            )
        self.model.reset_metrics()

    def on_train_end(self, logs=None):
        if self.board is not None:
            self.board.flush()
