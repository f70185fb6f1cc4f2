from acgan.benchmarks import loops


def test_steps_fill_the_time_of_a_measurement_within_bounds():
    assert loops.steps_in(0.4, 0.1) == 4
    assert loops.steps_in(0.4, 1.0) == 1
    assert loops.steps_in(0.4, 1.0, fewest=5) == 5
    assert loops.steps_in(0.4, 1e-6) == loops.MOST_STEPS


def test_a_measurement_is_the_mean_of_steps_after_two_that_warm_up(monkeypatch):
    now, ran = [0.0], []

    def step():
        ran.append(now[0])
        now[0] += 30.0 if len(ran) == 1 else 0.1  # the first one traces
        return 1.0

    monkeypatch.setattr(loops.time, "perf_counter", lambda: now[0])
    measure = loops.timed(step)
    assert len(ran) == 2
    assert round(measure(), 6) == 0.1
    assert len(ran) == 2 + 4  # four of 0.1 s fill 0.4 s
