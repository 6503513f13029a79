"""What an import brings along, what may import what, and what says which extra it needs."""

import ast
import json
import re
import subprocess
import sys

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from installed import DISTRIBUTION, PACKAGES, PUBLIC, distributions_of, modules_of


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code in a Python of its own."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_core_is_light():
    """Importing the library loads no database, tokenizer, SDK or event loop."""
    code = "import sys, json, chatmemory; print(json.dumps(list(sys.modules)))"
    loaded = {name.partition(".")[0] for name in json.loads(run(code).stdout)}
    assert "chatmemory" in loaded
    heavy = {"asyncio", "openai", "pydantic", "redis", "rich", "sqlite3"}
    heavy |= {"chatmemory_stores", "sqlalchemy", "tiktoken", "typer"}
    assert set() == loaded & heavy


def tree_of(name: str) -> ast.Module:
    """Read the source of a module, wherever it is installed."""
    return ast.parse(Path(find_spec(name).origin).read_text("utf-8"))


def imports_in(tree: ast.AST) -> Iterator[str]:
    """Name the modules that are imported anywhere in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield node.module


@pytest.mark.parametrize("name", modules_of("chatmemory"))
def test_the_library_knows_nothing_of_the_stores(name: str):
    """Only the command line, an application on top of both, imports them."""
    if not name.startswith("chatmemory.cli"):
        roots = {module.partition(".")[0] for module in imports_in(tree_of(name))}
        assert "chatmemory_stores" not in roots


def test_the_border_can_be_seen():
    """The stores import the library, so the test above looks at what is there."""
    assert "chatmemory.store" in set(imports_in(tree_of("chatmemory_stores.sql")))


# Extras


ALONE = """
import json
import sys
from importlib import import_module

KNOWN = sys.stdlib_module_names | {"attr", "attrs", "chatmemory", "chatmemory_stores"}


class NothingElse:
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root not in KNOWN:
            raise ModuleNotFoundError(f"No module named {root!r}", name=root)


sys.meta_path.insert(0, NothingElse())
"""

IMPORT_EACH = """
failed = {}
for name in sys.argv[1:]:
    try:
        import_module(name)
    except ImportError as error:
        cause = error.__cause__ or error
        failed[name] = [type(error).__name__, str(error), cause.name]
print(json.dumps(failed))
"""


def failures(names: list[str]) -> dict[str, tuple[str, str, str]]:
    """Import modules where nothing but attrs is installed: error, text, what lacks."""
    return json.loads(run(ALONE + IMPORT_EACH, *names).stdout)


def test_a_missing_extra_is_named():
    """A public module imports with attrs alone, or says which extra it needs."""
    optional = [name for name in PUBLIC if not name.startswith("chatmemory.cli.")]
    failed = failures(optional)
    assert {"chatmemory.tiktoken", "chatmemory_stores.sql"} <= set(failed)
    for name, (error, text, missing) in failed.items():
        assert "MissingExtraError" == error, name
        extra = re.search(rf"pip install '{DISTRIBUTION}\[(\w+)\]'", text)
        assert extra is not None, text
        assert missing in distributions_of(extra[1])


def guarded(name: str) -> set[str]:
    """Name what a module imports under an `except ImportError`."""
    return {
        module.partition(".")[0]
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.Try)
        for module in imports_in(node)
    } - set(PACKAGES)


@pytest.mark.parametrize(
    ("name", "dependency"),
    [(name, root) for name in PUBLIC for root in sorted(guarded(name))],
)
def test_each_dependency_of_an_extra_is_guarded(
    name: str, dependency: str, monkeypatch
):
    """Of several dependencies any one may be what is missing."""
    monkeypatch.setitem(sys.modules, dependency, None)
    spec = find_spec(name)
    with pytest.raises(ImportError, match=r"pip install 'chatmemory-py\["):
        exec(spec.loader.get_code(name), {"__name__": name})


def test_the_command_names_its_extra():
    """Without its extra the command says in one line what to install."""
    done = run(f"{ALONE}\nfrom chatmemory.cli import main\nmain()")
    assert (2, "") == (done.returncode, done.stdout)
    (line,) = done.stderr.splitlines()
    assert line.endswith("pip install 'chatmemory-py[cli]'")
