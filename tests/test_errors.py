"""The tree of errors."""

import builtins
import copy
import pickle
import re

import pytest

from chatmemory import (
    ChatMemoryError,
    MessageDecodeError,
    MissingExtraError,
    OrphanToolResultError,
    UnsupportedContentError,
    WindowOverflowError,
    errors,
)


TREE = {
    name: value
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, ChatMemoryError)
}
CHILDREN = [error for error in TREE.values() if error is not ChatMemoryError]


@pytest.mark.parametrize("error", CHILDREN)
def test_each_is_also_a_builtin(error: type[Exception]):
    """Who has never heard of us catches it as a builtin."""
    builtin = [
        base
        for base in error.__mro__
        if base.__module__ == "builtins" and base not in (BaseException, Exception)
    ]
    assert builtin[0] in (ValueError, TypeError, LookupError, ImportError)


def shown_tree(error: type[Exception], indent: str = "") -> list[str]:
    """Write an error and its children as the docstring does."""
    children = [
        child for child in error.__subclasses__() if child.__module__ == errors.__name__
    ]
    lines = []
    for child in children:
        is_last = child is children[-1]
        builtin = child.__bases__[1:]
        suffix = f" ({builtin[0].__name__})" if builtin else ""
        lines.append(f"{indent}{'└── ' if is_last else '├── '}{child.__name__}{suffix}")
        lines += shown_tree(child, f"{indent}{'    ' if is_last else '│   '}")
    return lines


def test_the_docstring_shows_the_tree():
    """The module says which error is also which builtin, and it is true."""
    assert "\n".join(shown_tree(ChatMemoryError)) in errors.__doc__


def test_the_docstring_shows_nothing_else():
    """What the module names exists, here or among the builtins."""
    names = set(re.findall(r"\w+Error", errors.__doc__))
    assert names <= {*TREE, *dir(builtins)}
    assert set(TREE) <= names


OVERFLOW = WindowOverflowError(
    "too much", limit=3, need=4, largest_type="AiMessage", largest_cost=2
)
ORPHAN = OrphanToolResultError("no call", reason="evicted")
UNDECODABLE = MessageDecodeError("no JSON", memory_id="7", position=3)
UNSUPPORTED = UnsupportedContentError(
    "no form", client="openai", message_index=1, content_type="VideoContent"
)
DETAILS = [
    (OVERFLOW, {"limit": 3, "need": 4, "largest_type": "AiMessage", "largest_cost": 2}),
    (ORPHAN, {"reason": "evicted"}),
    (UNDECODABLE, {"path": "$", "memory_id": "7", "position": 3}),
    (
        UNSUPPORTED,
        {"client": "openai", "message_index": 1, "content_type": "VideoContent"},
    ),
    (MissingExtraError("pip install 'chatmemory-py[sql]'"), {}),
]


@pytest.mark.parametrize(("error", "details"), DETAILS)
def test_details(error: ChatMemoryError, details: dict[str, object]):
    """What an application may want to act on can be read, also in another process."""
    for each in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(error) is type(each)
        assert str(error) == str(each)
        assert details == vars(each)
