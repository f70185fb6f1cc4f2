"""Samples of a generator, by class, while it trains."""

from pathlib import Path

from callbacks.pictures import class_columns, save_png
from callbacks.steps import StepCallback

TAG = "samples/by_class"


class Samples(StepCallback):
    """Draws the same samples again and again, as PNG files and in TensorBoard.

    | tag | value |
    |---|---|
    | `samples/by_class` | picture: one column a class, `rows` images each |

    Also writes `<folder>/step-<steps>.png`. Draws every `interval` steps and at the end.

    Arguments:
        generate: `generate(model)` gives uint8 images [rows, classes, height, width, channels];
            for the same images of a better model hand in the same latent vectors every time.
        class_names: a name for each column.
        folder: where the PNG files go; None writes none.
        board: a `callbacks.board.Board`; None writes nothing to TensorBoard.
        interval: steps between two pictures; 0 draws at the end only.
        first_step: as for `StepCallback`.

    Example:
        Samples(lambda model: draw(model, latent), ["cat", "dog"], "samples", Board("logs"), 500)
    """

    def __init__(self, generate, class_names, folder=None, board=None, interval=500, first_step=0):
        super().__init__(first_step)
        self.generate = generate
        self.class_names = tuple(class_names)
        self.folder = folder
        self.board = board
        self.interval = interval
        self._drawn_at = None

    def on_train_begin(self, logs=None):
        if self.folder is not None and self._path().exists():  # by the run that goes on here
            self._drawn_at = self.steps_done

    def on_steps_end(self, executed, logs):
        if self.interval and self.passed_multiple_of(self.interval, executed):
            self.draw()

    def on_train_end(self, logs=None):
        if self._drawn_at != self.steps_done:
            self.draw()

    def draw(self):
        """Draws the samples of the model as it is now."""
        picture = class_columns(self.generate(self.model), self.class_names)
        if self.folder is not None:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
            save_png(picture, self._path())
        if self.board is not None:
            self.board.image(TAG, picture, self.steps_done)
        self._drawn_at = self.steps_done

    def _path(self):
        return Path(self.folder) / f"step-{self.steps_done:06d}.png"
