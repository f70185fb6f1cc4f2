"""Generates images from a trained run: python -m acgan.generate --run=DIR --out=DIR [flags]

Writes one PNG file an image, <class>-<number>.png, and grid.png with one column a class.
"""

from pathlib import Path

from acgan import command
from acgan.errors import UserError
from acgan.new_folder import check_new, make_new
from acgan.quiet import import_tensorflow

FLAGS = ("classes", "generation", "output", "seed")


def main(values):
    from acgan.datasets.class_selection import class_numbers
    from acgan.runs import RunFolder, read_record

    for name in ("run", "out"):
        if not values[name]:
            raise UserError(f"--{name} is missing: give a folder with --{name}=DIR")
    folder, out = RunFolder(values["run"]), Path(values["out"])
    resolved = read_record(folder.record)["resolved"]
    if not resolved or not folder.generator.exists():
        raise UserError(f"--run={folder.path} has no trained generator (yet)")
    names = resolved["class_names"]
    chosen = class_numbers(values["classes"] or range(len(names)), names, f"--run={folder.path}")
    check_new(out)

    import_tensorflow()
    import keras
    import numpy as np

    from acgan.generation import generate_images
    from acgan.pipeline import latent_vectors
    from callbacks.pictures import save_png

    try:
        generator = keras.saving.load_model(folder.generator, compile=False)
    except Exception as error:  # Keras raises many kinds for a broken file
        raise UserError(
            f"{folder.generator} can't be read: try {folder.last_generator.name} in its place "
            f"({type(error).__name__}: {error})"
        ) from None
    labels = np.resize(np.array(chosen, np.int32), values["count"])  # every class in turn
    latent = latent_vectors(len(labels), generator.input_shape[0][1], values["seed"], 0)
    images = generate_images(generator, latent, labels)
    make_new(out)
    digits = len(str(len(images) - 1))
    for number, (image, label) in enumerate(zip(images, labels, strict=True)):
        save_png(image, out / f"{file_name(names[label])}-{number:0{digits}}.png")
    save_png(as_grid(images, [names[label] for label in chosen]), out / "grid.png")
    print(f"{len(images)} images and grid.png in {out}")


def as_grid(images, names):
    """A picture of images whose classes come in turn, one column a class.

    Arguments:
        images: uint8 [count, height, width, channels]; a last row that is short is filled up.
        names: a name for each column.
    """
    import numpy as np

    from callbacks.pictures import PAPER, class_columns

    rows = -(-len(images) // len(names))
    cells = np.full((rows * len(names), *images.shape[1:]), PAPER, np.uint8)
    cells[: len(images)] = images
    return class_columns(cells.reshape(rows, len(names), *images.shape[1:]), names)


def file_name(class_name):
    """A class's name as part of a file's name."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in class_name)[:80]


if __name__ == "__main__":
    command.run(main, FLAGS)
