"""Adam with one kernel a variable."""

import keras
import tensorflow as tf
from keras import ops


@keras.saving.register_keras_serializable("acgan")
class FusedAdam(keras.optimizers.Adam):
    """Keras' Adam, whose update of a variable is one kernel in place of a dozen.

    Keras (3.15) spells the update out in products, sums and assignments, each of which reads and
    writes a whole variable, and on a GPU is a launch of its own; TensorFlow has a kernel for all of
    it. Arguments, variables and update are those of `keras.optimizers.Adam` (Kingma and Ba 2014,
    arXiv:1412.6980, in the form before section 2.1, where epsilon is added to the root of the
    uncorrected mean), so that checkpoints of one are good for the other.

    Two things differ. Rows that a sparse gradient holds several times, as of a label that an
    embedding looked up twice, are added up before they are squared; Keras adds up their squares.
    And `amsgrad=True` is refused: TensorFlow has no kernel for it.

    Raises:
        ValueError: `amsgrad=True`.

    Example:
        optimizer = FusedAdam(2e-4, beta_1=0.5)
        optimizer.build(model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.amsgrad:
            raise ValueError("FusedAdam has no amsgrad=True: use keras.optimizers.Adam for it.")

    def update_step(self, gradient, variable, learning_rate):
        """Updates a variable and its two means.

        Arguments:
            gradient: a tensor of the variable's shape, or `tf.IndexedSlices` of rows of it.
            variable: a `tf.Variable`; under a distribution strategy one device's.
            learning_rate: float scalar.
        """
        dtype = variable.dtype
        step = ops.cast(self.iterations + 1, dtype)
        beta_1, beta_2 = ops.cast(self.beta_1, dtype), ops.cast(self.beta_2, dtype)
        index = self._get_variable_index(variable)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[index].value.handle,
            v=self._velocities[index].value.handle,
            beta1_power=ops.power(beta_1, step),
            beta2_power=ops.power(beta_2, step),
            lr=ops.cast(learning_rate, dtype),
            beta1=beta_1,
            beta2=beta_2,
            epsilon=ops.cast(self.epsilon, dtype),
            grad=ops.cast(tf.convert_to_tensor(gradient), dtype),
        )
