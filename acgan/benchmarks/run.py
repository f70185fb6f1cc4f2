"""Measures this project against its references: scripts/benchmark

Ratios are medians over interleaved pairs, with their quartiles; below 1 this project is faster.
"arithmetic" is the ratio of matrix FLOPs, which is what a step can gain by computing less.
"""

import sys
import tempfile

from acgan import command
from acgan.quiet import import_tensorflow


def main(values):
    import_tensorflow()
    from acgan.benchmarks import steps, truth
    from callbacks import hardware

    device = hardware.detect()
    print(f"on {device['gpu_name'] or device['cpu_name']}, TensorFlow {device['tensorflow']}\n")
    for steps_per_execution in (1, 4):
        read, empty = truth.read_ms(steps_per_execution)
        print(
            f"{truth.DELAY_MS} ms in a step, {steps_per_execution} steps an execution: {read:.2f} "
            f"ms read, of an empty step {empty:.2f}, difference {read - empty:.2f}"
        )
    print(f"\n{'':<32} {'median':>7} {'low':>7} {'high':>7}  arithmetic")
    with tempfile.TemporaryDirectory() as log_dir:
        _row("fit / bare loop, dcgan", steps.overhead_of_fit(log_dir))
    for network in ("dcgan", "article"):
        ratio = steps.step_against_textbook(network)
        arithmetic = steps.flops_against_textbook(network)
        _row(f"step / textbook step, {network}", ratio, f"{arithmetic:11.3f}")


def _row(name, ratio, arithmetic=""):
    print(f"{name:<32} {ratio.median:>7.3f} {ratio.low:>7.3f} {ratio.high:>7.3f} {arithmetic}")
    sys.stdout.flush()


if __name__ == "__main__":
    command.run(main, ())
