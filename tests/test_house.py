"""The house rules that a reader of the sources could check: who imports what, who prints."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("acgan", "callbacks", "flags")
SOURCES = {
    str(path.relative_to(ROOT)): ast.parse(path.read_text(), path)
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


def in_package(*packages):
    return [name for name in SOURCES if name.split("/")[0] in packages]


def imports(name):
    """Full names of the modules that a source imports anywhere, in functions too."""
    package = name.split("/")[:-1]
    found = set()
    for node in ast.walk(SOURCES[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


def imports_any_of(name, *modules):
    return [
        found
        for found in sorted(imports(name))
        if any(found == module or found.startswith(module + ".") for module in modules)
    ]


def is_command(name):
    """Whether a source is run with `python -m`."""
    return any(
        isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"
        for node in SOURCES[name].body
    )


def calls_of(name, function):
    return [
        node.lineno
        for node in ast.walk(SOURCES[name])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == function
    ]


def test_the_sources_are_found():
    assert {"acgan/train.py", "acgan/datasets/npz.py", "callbacks/board.py"} < set(SOURCES)
    assert {"acgan/train.py", "acgan/generate.py"} < set(filter(is_command, SOURCES))
    assert "acgan.quiet.import_tensorflow" in imports("acgan/train.py")
    assert "callbacks.hardware" in imports("acgan/train.py")  # within a function


@pytest.mark.parametrize("name", in_package("callbacks"))
def test_callbacks_import_nothing_of_the_other_packages(name):
    assert imports_any_of(name, "acgan", "flags") == []


@pytest.mark.parametrize("name", in_package("flags"))
def test_flags_import_nothing_but_absl_and_each_other(name):
    assert {found.split(".")[0] for found in imports(name)} <= {"absl", "flags"}


@pytest.mark.parametrize("name", in_package("acgan"))
def test_only_commands_know_flags_and_commands(name):
    commands = [c.removesuffix(".py").replace("/", ".") for c in SOURCES if is_command(c)]
    if not is_command(name) and name != "acgan/command.py":
        assert imports_any_of(name, "absl", "flags", "acgan.command", *commands) == []


@pytest.mark.parametrize("name", ["acgan/networks.py", "acgan/losses.py"])
def test_networks_and_losses_are_written_with_keras_alone(name):
    assert imports_any_of(name, "tensorflow") == []
    assert {found.split(".")[0] for found in imports(name)} == {"keras"}


@pytest.mark.parametrize("name", list(filter(is_command, SOURCES)))
def test_commands_import_tensorflow_only_within_functions(name):
    heavy = {"tensorflow", "keras", "numpy", "mlxtend", "scipy", "rich", "PIL"}
    at_import = [node for node in SOURCES[name].body if isinstance(node, ast.Import)]
    modules = [node.module for node in SOURCES[name].body if isinstance(node, ast.ImportFrom)]
    modules += [alias.name for node in at_import for alias in node.names]
    assert heavy.isdisjoint(module.split(".")[0] for module in modules)


@pytest.mark.parametrize("name", list(SOURCES))
def test_every_file_is_named_after_its_job(name):
    words = name.removesuffix(".py").split("/")
    assert not {"utils", "util", "helpers", "helper", "misc", "common"}.intersection(words)


@pytest.mark.parametrize("name", list(SOURCES))
def test_nothing_but_a_command_prints(name):
    # `acgan.datasets.load` says on standard error what it downloads, unless told otherwise.
    allowed = is_command(name) or name in ("acgan/command.py", "acgan/datasets/registry.py")
    assert allowed or calls_of(name, "print") == []


@pytest.mark.parametrize("name", list(SOURCES))
def test_errors_are_raised_and_not_asserted(name):
    assert [n.lineno for n in ast.walk(SOURCES[name]) if isinstance(n, ast.Assert)] == []


@pytest.mark.parametrize("name", list(SOURCES))
def test_every_file_says_what_it_is(name):
    assert ast.get_docstring(SOURCES[name])
