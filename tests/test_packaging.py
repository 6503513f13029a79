"""What is installed: its names, its docstrings, and what its metadata says."""

import inspect
import re

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points, metadata, requires, version
from importlib.resources import files
from types import FunctionType, ModuleType

import pytest

import chatmemory
import chatmemory.errors

from installed import DISTRIBUTION, MODULES, PACKAGES, PUBLIC, distributions_of


# Names


def test_the_public_names_are_all_that_there_is():
    """What `import chatmemory` offers is in `__all__`, and the other way round."""
    names = [
        name
        for name, value in vars(chatmemory).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    ]
    assert chatmemory.__all__ == sorted(names)


@pytest.mark.parametrize("name", PUBLIC)
def test_all_is_sorted_and_holds(name: str):
    """Each `__all__` is sorted, without doubles, and names what the module has."""
    module = import_module(name)
    names = getattr(module, "__all__", [])
    assert names == sorted(set(names))
    assert [] == [name for name in names if not hasattr(module, name)]


def test_all_errors_are_public():
    """Whoever wants to catch an error finds it beside the memories."""
    raised = {
        name for name in vars(chatmemory.errors) if name.endswith(("Error", "Warning"))
    }
    assert raised <= set(chatmemory.__all__)
    assert all(
        issubclass(getattr(chatmemory, name), chatmemory.ChatMemoryError)
        for name in raised
    )


@pytest.mark.parametrize("name", MODULES)
def test_no_module_is_a_drawer(name: str):
    """A module is named after its one concept."""
    last = name.rpartition(".")[2].strip("_")
    assert last not in {"base_utils", "common", "helper", "helpers", "misc", "utils"}


# Docstrings


def public_things(name: str) -> Iterator[tuple[str, object]]:
    """Yield a module, what it defines or exports, and the verbs of its classes."""
    module = import_module(name)
    yield name, module
    exported = getattr(module, "__all__", ())
    for key, value in vars(module).items():
        is_own = getattr(value, "__module__", None) == name and not key.startswith("_")
        if not (is_own or key in exported):
            continue
        if isinstance(value, FunctionType):
            yield f"{name}.{key}", value
        elif inspect.isclass(value):
            yield f"{name}.{key}", value
            yield from verbs(f"{name}.{key}", value)


def verbs(name: str, kind: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties of a class, also inherited ones."""
    for base in kind.__mro__:
        if not base.__module__.startswith(PACKAGES):
            continue
        for key, value in vars(base).items():
            method = getattr(value, "__func__", value)
            if isinstance(method, property):
                method = method.fget
            if isinstance(method, FunctionType) and "_" not in (
                key[0],
                method.__name__[0],
            ):
                yield f"{name}.{key}", method


@pytest.mark.parametrize("name", PUBLIC)
def test_public_things_say_what_they_are(name: str):
    """A docstring begins with a line that is a whole sentence."""
    without = [
        thing
        for thing, value in public_things(name)
        if not first_line(value.__doc__).endswith(".")
    ]
    assert [] == without


def first_line(doc: str | None) -> str:
    """Return what tools show of a docstring."""
    return inspect.cleandoc(doc or "").partition("\n")[0]


# The distribution


def test_the_version_is_the_distributions():
    """There is one place for the version: the metadata."""
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.?(dev|rc)\d+)?", version(DISTRIBUTION))
    assert not hasattr(chatmemory, "__version__")


def test_the_core_needs_attrs_only():
    """Whatever else is needed is an extra."""
    needed = [line for line in requires(DISTRIBUTION) or [] if "extra ==" not in line]
    assert ["attrs"] == [re.split(r"[^\w-]", line)[0] for line in needed]


def test_all_is_every_extra():
    """The extra `all` brings what the others bring, but not what only tests need."""
    extras = set(metadata(DISTRIBUTION).get_all("Provides-Extra") or []) - {"testing"}
    wanted = set().union(*(distributions_of(extra) for extra in extras))
    assert wanted == distributions_of("all")


@pytest.mark.parametrize("package", PACKAGES)
def test_the_packages_are_typed(package: str):
    """Type checkers read the annotations of a package with this marker."""
    assert files(package).joinpath("py.typed").is_file()


def test_the_command_is_installed():
    """`chatmemory` runs the command line."""
    (command,) = entry_points(group="console_scripts", name="chatmemory")
    assert import_module("chatmemory.cli").main is command.load()
