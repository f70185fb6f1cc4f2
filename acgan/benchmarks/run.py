"""Measures this project against its references and the machine: scripts/benchmark [--json=FILE]

Medians over interleaved pairs, with their quartiles; "ratio" below 1: this project is faster, in
row 4 the reduced precision, while in rows 6 and 7 more is better. "arithmetic" is the ratio of
matrix FLOPs, which is what a step can gain by computing less.
"""

import sys
import time

from acgan import command
from acgan.quiet import import_tensorflow

FLAGS = ("benchmarking",)


def main(values):
    from acgan.benchmarks import catalogue, table

    rows = catalogue.chosen(values["rows"])
    if values["json"]:
        table.check_writable(values["json"])
    import_tensorflow()
    from acgan.benchmarks import loops
    from callbacks import hardware

    loops.share_gpu_memory()  # with the processes of rows 8 and 9 and with row 5's PyTorch
    measurements, begin = [], time.monotonic()
    for row in rows:
        say(f"{time.monotonic() - begin:4.0f} s  row {row.number}: {row.title}")
        measured, left_out = row.measure(values["pairs"])
        for line in left_out:
            print(f"row {row.number} ({row.title}), left out: {line}", flush=True)
        measurements += measured
    say(f"{time.monotonic() - begin:4.0f} s  done")
    device = hardware.detect()
    print(f"on {device['gpu_name'] or device['cpu_name']}, TensorFlow {device['tensorflow']}\n")
    print(table.table(measurements))
    if values["json"]:
        table.write_json(values["json"], measurements)


def say(line):
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    command.run(main, FLAGS)
