"""One TensorBoard writer and one step axis for all callbacks of a run."""


class Board:
    """Writes a run's numbers, texts and pictures for TensorBoard.

    Holds plain values until the first write, so that it can be copied and pickled before training.
    Callbacks that share one board share one event file. The step is the number of training steps
    attempted since the run began.

    Raises:
        OSError: at the first write, naming the folder, if it can't be written.

    Arguments:
        log_dir: folder of the event file; made at the first write.
        flush_seconds: how long a number may wait before it is on disk.

    Example:
        board = Board("runs/1/tensorboard")
        board.scalars({"loss/generator": 0.7}, step=10)
        board.close()
    """

    def __init__(self, log_dir, flush_seconds=5):
        self.log_dir = log_dir
        self.flush_seconds = flush_seconds
        self._open_writer = None

    def scalars(self, values, step):
        """Writes `{tag: number}`; a tag whose number is None was not measured and is left out."""
        import tensorflow as tf
        from tensorboard.plugins.scalar.summary_v2 import scalar_pb

        # One event for all of them, since this runs between two steps; `tf.summary.scalar` writes
        # one each. Protocol buffers that follow one another are one.
        summary = b"".join(
            scalar_pb(tag, value).SerializeToString()
            for tag, value in values.items()
            if value is not None
        )
        with self._writer().as_default(step=step):
            tf.summary.experimental.write_raw_pb(summary, step)

    def image(self, tag, pixels, step):
        """Writes one picture, uint8 [height, width, channels] with 1, 3 or 4 channels."""
        import tensorflow as tf

        with self._writer().as_default(step=step):
            tf.summary.image(tag, pixels[None])

    def histogram(self, tag, buckets, step):
        """Writes a histogram that was counted already, as `tf.summary.histogram` would store it.

        That one takes the values themselves and needs 240 bytes for each of them.

        Arguments:
            tag: as for `scalars`.
            buckets: float64 [buckets, 3]: left edge, right edge, count; None was not measured.
            step: as for `scalars`.
        """
        import tensorflow as tf
        from tensorboard.plugins.histogram import metadata

        if buckets is None:
            return
        description = metadata.create_summary_metadata(display_name=None, description=None)
        with self._writer().as_default(step=step):
            tf.summary.write(tag, tf.constant(buckets, tf.float64), metadata=description)

    def text(self, tag, markdown, step):
        """Writes a text that TensorBoard shows as Markdown."""
        import tensorflow as tf

        with self._writer().as_default(step=step):
            tf.summary.text(tag, markdown)

    def flush(self):
        """Puts on disk what was written."""
        if self._open_writer is not None:
            self._open_writer.flush()

    def close(self):
        """Flushes and closes the event file; a later write opens a new one.

        Raises:
            OSError: what was written can't be put on disk.
        """
        import tensorflow as tf

        writer, self._open_writer = self._open_writer, None
        if writer is not None:
            try:
                writer.close()
            except tf.errors.OpError as error:
                raise OSError(f"log_dir={self.log_dir} can't be written: {error.message}") from None

    def _writer(self):
        import tensorflow as tf

        if self._open_writer is None:
            try:
                self._open_writer = tf.summary.create_file_writer(
                    str(self.log_dir), flush_millis=int(self.flush_seconds * 1000)
                )
            except tf.errors.OpError as error:
                raise OSError(f"log_dir={self.log_dir} can't be written: {error.message}") from None
        return self._open_writer
