"""Dtype policies and the loss scaling that float16 needs."""

import keras
from keras import ops

from callbacks.hardware import has_fast_bfloat16, has_fast_float16, has_tensor_cores


@keras.saving.register_keras_serializable("acgan")
class LossScaleOptimizer(keras.optimizers.LossScaleOptimizer):
    """Keras' loss-scaling optimizer with four faults mended.

    The scale doubles after `dynamic_growth_steps` finite steps in a row; a step with a gradient
    that is not finite is skipped and halves it. Beyond what Keras does:

    - the values of sparse gradients (`IndexedSlices`, from an `Embedding`) are checked before rows
      with the same index are merged, so that a finite row cannot hide an inf;
    - under a distribution strategy a bad gradient on any replica makes every replica skip;
    - the scale stays within `minimum_scale..maximum_scale`. Below 1 it would shrink gradients that
      are already too small; without an upper end it grows to inf, which halving cannot mend.

    A constant scale is a range of one number: `LossScaleOptimizer(adam, 128, minimum_scale=128,
    maximum_scale=128)`. Bad steps are skipped then, too.

    Arguments:
        inner_optimizer: the `keras.optimizers.Optimizer` that does the update.
        initial_scale: first scale; 2**15 is the highest power of two below float16's 65504.
        dynamic_growth_steps: finite steps in a row before the scale doubles.
        minimum_scale: the scale never falls below this.
        maximum_scale: the scale never grows beyond this. Gradients that need more than 2**24 are
            below 2**-24 / 2**24, far outside float32's useful range beside any weight.

    Raises:
        ValueError: if the scales are not `0 < minimum <= initial <= maximum < inf`.

    Example:
        optimizer = LossScaleOptimizer(keras.optimizers.Adam(2e-4, beta_1=0.5))
        optimizer.build(model.trainable_variables)
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(compute_loss())
        optimizer.apply(tape.gradient(loss, model.trainable_variables))
    """

    def __init__(
        self,
        inner_optimizer,
        initial_scale=2.0**15,
        dynamic_growth_steps=2000,
        minimum_scale=1.0,
        maximum_scale=2.0**24,
        name=None,
        **kwargs,
    ):
        if not 0 < minimum_scale <= initial_scale <= maximum_scale < float("inf"):
            raise ValueError(
                "LossScaleOptimizer needs 0 < minimum_scale <= initial_scale <= maximum_scale < "
                f"inf; received {minimum_scale=}, {initial_scale=}, {maximum_scale=}."
            )
        super().__init__(inner_optimizer, initial_scale, dynamic_growth_steps, name=name, **kwargs)
        self.minimum_scale = minimum_scale
        self.maximum_scale = maximum_scale

    def check_finite(self, grads):
        """Whether every value of every gradient is finite, a bool scalar.

        Arguments:
            grads: tensors, `IndexedSlices` or None, of any shape. Nothing but None is finite.
        """
        values = [getattr(grad, "values", grad) for grad in grads if grad is not None]
        return ops.all(ops.stack([ops.all(ops.isfinite(value)) for value in values] or [True]))

    def _tf_apply(self, grads, trainable_variables=None):
        import tensorflow as tf

        if tf.distribute.in_cross_replica_context():
            raise ValueError("apply() must be called in a replica context.")
        context = tf.distribute.get_replica_context()
        finite = self.check_finite(grads)
        if context.num_replicas_in_sync > 1:
            bad_replicas = context.all_reduce(
                tf.distribute.ReduceOp.SUM, tf.cast(tf.logical_not(finite), tf.float32)
            )
            finite = tf.equal(bad_replicas, 0)
        if tf.__internal__.distribute.strategy_supports_no_merge_call():
            self._apply_if(finite, grads, trainable_variables)
        else:
            context.merge_call(self._apply_in_every_replica, (finite, grads, trainable_variables))

    def _common_apply(self, grads, trainable_variables=None):
        self._apply_if(self.check_finite(grads), grads, trainable_variables)

    def _apply_if(self, finite, grads, trainable_variables):
        ops.cond(
            finite,
            lambda: self._stateful_handle_finite_grads(grads, trainable_variables),
            self._stateful_handle_non_finite_grads,
        )

    def _apply_in_every_replica(self, distribution, finite, grads, trainable_variables):
        # The condition stands outside the replicas because a branch may not call `merge_call`,
        # as the inner optimizer does. `finite` was reduced, so any replica's copy will do.
        ops.cond(
            distribution.experimental_local_results(finite)[0],
            lambda: distribution.extended.call_for_each_replica(
                self._stateful_handle_finite_grads, args=(grads, trainable_variables)
            ),
            self._stateful_handle_non_finite_grads,
        )

    def _stateful_handle_finite_grads(self, grads, trainable_variables):
        super()._stateful_handle_finite_grads(grads, trainable_variables)
        self._keep_scale_in_range()

    def _stateful_handle_non_finite_grads(self):
        super()._stateful_handle_non_finite_grads()
        self._keep_scale_in_range()

    def _keep_scale_in_range(self):
        self.dynamic_scale.assign(
            ops.clip(self.dynamic_scale, self.minimum_scale, self.maximum_scale)
        )

    def get_config(self):
        return {
            **super().get_config(),
            "minimum_scale": self.minimum_scale,
            "maximum_scale": self.maximum_scale,
        }


def resolve_policy(name, hardware):
    """The dtype policy that a run trains in.

    Arguments:
        name: "float32", "mixed_float16", "mixed_bfloat16", or "auto": mixed_float16 where there are
            Tensor Cores, else float32.
        hardware: as `callbacks.hardware.detect` returns it.
    """
    if name != "auto":
        return name
    capability, gpu_name = hardware["compute_capability"], hardware["gpu_name"]
    return "mixed_float16" if has_tensor_cores(capability, gpu_name) else "float32"


def advice(policy, hardware):
    """A line on what to expect where the hardware is no faster in this policy, else None."""
    device = hardware["gpu_name"] or hardware["cpu_name"]
    float16, bfloat16 = has_fast_float16(hardware), has_fast_bfloat16(hardware)
    if policy == "mixed_float16" and not float16:
        if hardware["device"] == "GPU":
            return (
                f"warning: {device} has no Tensor Cores: expect no gain from --policy="
                "mixed_float16; --policy=float32 is the simpler choice"
            )
        faster = "mixed_bfloat16" if bfloat16 else "float32"
        return (
            f"warning: {device} has no fast float16 arithmetic: --policy=mixed_float16 trains "
            f"here, but several times slower than float32; --policy={faster} is the faster choice"
        )
    if policy == "mixed_bfloat16" and not bfloat16:
        faster = "mixed_float16" if float16 else "float32"
        return (
            f"warning: {device} has no fast bfloat16 arithmetic: --policy=mixed_bfloat16 trains "
            f"here, but expect no gain; --policy={faster} is the faster choice"
        )
    return None


def scaled_optimizer(optimizer, policy, loss_scale="dynamic"):
    """The optimizer, wrapped in a `LossScaleOptimizer` if the policy needs loss scaling.

    Arguments:
        optimizer: a `keras.optimizers.Optimizer`.
        policy: name of a dtype policy; only mixed_float16 needs loss scaling, since bfloat16 has
            float32's range.
        loss_scale: "dynamic", or a constant.
    """
    if policy != "mixed_float16":
        return optimizer
    if loss_scale == "dynamic":
        return LossScaleOptimizer(optimizer)
    return LossScaleOptimizer(
        optimizer, loss_scale, minimum_scale=loss_scale, maximum_scale=loss_scale
    )
