import pytest
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.plugins.hparams import metadata
from tensorboard.util.tensor_util import make_ndarray

from acgan.sweeping.hparams import write_hparams

FIGURES = {
    "sweep/step_time_ms": 80.0,
    "sweep/images_per_second": 64 / 0.08,
    # 0.526 USD/h: a million images are 1e6 / 64 steps of 0.08 s.
    "sweep/usd_per_million_images": 1e6 / 64 * 0.08 * 0.526 / 3600,
    "sweep/tensor_cores_kernel_time_percent": 38.5,
    "sweep/class_accuracy": 0.1,
    "sweep/fid": 120.0,
}


@pytest.fixture
def plan(plan_of):
    return plan_of(batch_sizes=[8, 64], repeats=2)


@pytest.fixture
def measured(make_run):
    """A run of which everything is known."""
    return make_run(
        64,
        "mixed_float16",
        repeat=2,
        step_ms=80.0,
        history=[(7.0, 120.0)],
        **{"tensor_cores.kernel_time_percent": 38.5},
    )


@pytest.fixture
def log_dir(tmp_path):
    return tmp_path / "tensorboard"


class Board:
    """What TensorBoard finds in a folder."""

    def __init__(self, folder):
        self.events = EventMultiplexer().AddRunsFromDirectory(str(folder)).Reload()
        self.runs = set(self.events.Runs())
        self._contents = self.events.PluginRunToTagToContent(metadata.PLUGIN_NAME)

    def experiment(self):
        """What varies, with the values of each, and the tags of what was measured."""
        content = self._contents["sweep"][metadata.EXPERIMENT_TAG]
        found = metadata.parse_experiment_plugin_data(content)
        domains = {info.name: list(info.domain_discrete) for info in found.hparam_infos}
        return domains, [info.name.tag for info in found.metric_infos]

    def hparams(self, run):
        content = self._contents[run][metadata.SESSION_START_INFO_TAG]
        found = metadata.parse_session_start_info_plugin_data(content)
        return {
            name: value.number_value or value.string_value for name, value in found.hparams.items()
        }

    def figures(self, run):
        """{tag: value} of a run, each written once."""
        found = {}
        for tag in self.events.Runs()[run]["tensors"]:
            if tag != metadata.SESSION_START_INFO_TAG:
                (event,) = self.events.Tensors(run, tag)
                found[tag] = make_ndarray(event.tensor_proto).item()
        return found


def test_the_tab_says_what_varies_and_what_is_measured(plan, log_dir):
    write_hparams(plan, [], log_dir)
    board = Board(log_dir)
    assert board.runs == {"sweep"}
    domains, tags = board.experiment()
    assert {name: set(values) for name, values in domains.items()} == {
        "batch_size": {8, 64},
        "policy": {"float32", "mixed_float16"},
        "repeat": {1, 2},
    }
    assert tags == list(FIGURES)


def test_where_the_largest_batch_is_searched_any_batch_size_may_come(plan_of, log_dir):
    write_hparams(plan_of(find_max_batch=True), [], log_dir)
    domains, _ = Board(log_dir).experiment()
    assert domains["batch_size"] == []


def test_each_run_has_its_setting_and_its_figures(plan, measured, log_dir):
    write_hparams(plan, [measured], log_dir)
    board = Board(log_dir)
    name = "b00064-mixed_float16-2"
    assert board.runs == {"sweep", name}
    assert board.hparams(name) == {"batch_size": 64, "policy": "mixed_float16", "repeat": 2}
    assert board.figures(name) == pytest.approx(FIGURES, rel=1e-6)  # TensorBoard's are float32


def test_what_was_not_measured_is_absent(plan, make_run, log_dir):
    write_hparams(plan, [make_run(8, device="CPU", step_ms=20.0)], log_dir)
    assert Board(log_dir).figures("b00008-float32-1") == {
        "sweep/step_time_ms": 20.0,
        "sweep/images_per_second": 400.0,
    }


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_there_is_not_written_again(plan, measured, make_run, log_dir):
    write_hparams(plan, [measured], log_dir)
    before = files(log_dir)
    write_hparams(plan, [measured], log_dir)
    assert files(log_dir) == before
    write_hparams(plan, [measured, make_run(8)], log_dir)
    after = files(log_dir)
    assert before.items() <= after.items()
    assert len(after) == len(before) + 1 == 3


def test_a_process_killed_while_it_wrote_does_no_harm(plan, measured, log_dir, monkeypatch):
    def killed(self, target):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace", killed)
        with pytest.raises(KeyboardInterrupt):
            write_hparams(plan, [], log_dir)
    (left,) = files(log_dir)
    assert left.suffix == ".part"
    assert Board(log_dir).runs == set()  # TensorBoard sees nothing of it

    write_hparams(plan, [measured], log_dir)
    board = Board(log_dir)
    assert board.runs == {"sweep", "b00064-mixed_float16-2"}
    assert board.figures("b00064-mixed_float16-2").keys() == FIGURES.keys()
