"""Callbacks that measure a training run, for any `keras.Model`."""
