import tensorflow as tf

from acgan.distribution import resolve
from acgan.running_mean import RunningMean


def test_it_is_the_mean_since_the_last_reset():
    mean = RunningMean("loss")
    assert mean.name == "loss"
    assert float(mean.result()) == 0
    for value in (1.0, 2.0, 6.0):
        mean.update_state(value)
    assert float(mean.result()) == (1 + 2 + 6) / 3
    mean.reset_state()
    mean.update_state(tf.constant(4.0))
    assert float(mean.result()) == 4
    assert [float(v.numpy()) for v in mean.variables] == [4, 1]


def test_every_replica_holds_the_same_numbers():
    strategy = resolve("mirrored", None, 2, devices=("CPU:0", "CPU:1")).strategy
    with strategy.scope():
        mean = RunningMean()
    step = tf.function(lambda: strategy.run(lambda: mean.update_state(3.0)))
    step()
    step()

    def copies():
        return [[copy.numpy() for copy in variable.value.values] for variable in mean.variables]

    assert copies() == [[3 + 3, 3 + 3], [2, 2]]
    for variable, value in zip(mean.variables, (10.0, 5.0), strict=True):
        variable.assign(value)  # as a checkpoint does
    assert copies() == [[10, 10], [5, 5]]
    assert float(mean.result()) == 10 / 5
    mean.reset_state()
    assert copies() == [[0, 0], [0, 0]]
