from acgan.regularly import Regularly


def test_calls_are_as_far_apart_as_asked_for():
    readings = iter([0.0, 2.0, 5.0, 5.0, 8.0, 9.9, 11.0, 11.0])
    calls = []
    callback = Regularly(
        lambda: calls.append(step), every_seconds=5.0, clock=lambda: next(readings)
    )
    for step in range(5):  # at 2, 5, 8, 9.9 and 11 seconds
        callback.on_train_batch_end(step)
    assert calls == [1, 4]
