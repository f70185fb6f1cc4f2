"""How TensorFlow executes the training step."""

from absl import flags

flags.DEFINE_boolean("jit_compile", False, "Compile the training step with XLA.")
flags.DEFINE_boolean(
    "deterministic",
    False,
    "On a GPU: use only kernels that give the same result every time, which are slower. On a CPU "
    "results are the same in any case.",
)
