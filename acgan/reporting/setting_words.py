"""A group's setting in plain words."""

_NAMES = {
    "network": "network",
    "width": "width",
    "latent_dim": "length of the latent vector",
    "dataset": "data",
    "class_names": "classes",
    "image_shape": "shape of the images",
    "jit_compile": "jit setting",
    "deterministic": "determinism",
    "tensor_float_32": "TF32 setting",
    "tensorflow": "TensorFlow version",
}
_ALWAYS = ("network", "dataset", "image_shape", "jit_compile", "tensorflow")
MOST_CLASSES = 12  # whose names are listed


def setting_in_words(setting, differing=()):
    """Such as "article network, cifar10, 32x32x3 images, jit off, TensorFlow 2.21.0".

    Arguments:
        setting: a `Group`'s.
        differing: names of what else is to be said, as `differences` returns them.
    """
    words = {
        "network": f"{setting['network']} network",
        "width": "no width" if setting["width"] is None else f"width {setting['width']}",
        "latent_dim": f"latent vector of {setting['latent_dim']}",
        "dataset": setting["dataset"],
        "class_names": _classes(setting["class_names"]),
        "image_shape": f"{'x'.join(map(str, setting['image_shape']))} images",
        "jit_compile": f"jit {_switch(setting['jit_compile'])}",
        "deterministic": f"deterministic ops {_switch(setting['deterministic'])}",
        "tensor_float_32": f"TF32 {_switch(setting['tensor_float_32'])}",
        "tensorflow": f"TensorFlow {setting['tensorflow']}",
    }
    shown = {*_ALWAYS, *_telling(differing)}
    return ", ".join(words[name] for name in _NAMES if name in shown)


def differences_in_words(differing):
    """Such as "network, data and jit setting"."""
    *others, last = (_NAMES[name] for name in _telling(differing))
    return f"{', '.join(others)} and {last}" if others else last


def _telling(differing):
    """Without what follows from other data."""
    implied = ("class_names", "image_shape") if "dataset" in differing else ()
    return [name for name in differing if name not in implied]


def _classes(names):
    listed = ", ".join(names[:MOST_CLASSES]) + (", …" if len(names) > MOST_CLASSES else "")
    return f"{len(names)} classes ({listed})"


def _switch(value):
    return "unknown" if value is None else "on" if value else "off"
