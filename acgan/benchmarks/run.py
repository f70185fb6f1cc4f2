"""Measures this project against its references: scripts/benchmark

Ratios are medians over interleaved pairs, with their quartiles; below 1 this project is faster.
"""

import sys
import tempfile

from acgan import command
from acgan.quiet import import_tensorflow


def main(values):
    import_tensorflow()
    from acgan.benchmarks import steps
    from callbacks import hardware

    device = hardware.detect()
    print(f"on {device['gpu_name'] or device['cpu_name']}, TensorFlow {device['tensorflow']}")
    with tempfile.TemporaryDirectory() as log_dir:
        rows = {
            "fit / bare loop, dcgan": lambda: steps.overhead_of_fit(log_dir),
            "step / textbook step, dcgan": lambda: steps.step_against_textbook("dcgan"),
            "step / textbook step, article": lambda: steps.step_against_textbook("article"),
        }
        print(f"{'':<32} median   low  high")
        for name, measure in rows.items():
            ratio = measure()
            print(f"{name:<32} {ratio.median:>6.3f} {ratio.low:>5.3f} {ratio.high:>5.3f}")
            sys.stdout.flush()


if __name__ == "__main__":
    command.run(main, ())
