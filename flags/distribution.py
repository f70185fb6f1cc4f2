"""On which devices and machines a run trains."""

from absl import flags

flags.DEFINE_enum(
    "distribute",
    "auto",
    ["auto", "none", "mirrored", "multi_worker"],
    "Which devices share every batch. mirrored: all GPUs of this machine; multi_worker: all GPUs "
    "of the machines that the variable TF_CONFIG names; auto: multi_worker if it names several, "
    "mirrored if there are several GPUs, else none.",
)
flags.DEFINE_integer(
    "heartbeat_port",
    None,
    "multi_worker: port of the first machine by which the machines notice that one of them was "
    "lost. Default: its port in TF_CONFIG + 1000.",
    lower_bound=1,
    upper_bound=65_535,
)
