"""Where in a JSON document a problem is, told from the inside out."""

import re

from collections.abc import Callable, Iterable
from json import dumps
from typing import TypeVar

from chatmemory._values import SHOWN_CHARACTERS


Item = TypeVar("Item")
Result = TypeVar("Result")

_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class LocatedError(Exception):
    """
    A problem and the path to it.

    Whoever finds it knows the last step, whoever called for it the one before: so
    nobody builds a path while all is well. It never leaves the JSON modules.
    """

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path

    def __str__(self) -> str:
        return f"${self.path}: {self.problem}"

    def prepend(self, step: str) -> None:
        """Put a step before the path."""
        self.path = step + self.path


def each(
    items: Iterable[Item], path: str, convert: Callable[[Item], Result]
) -> list[Result]:
    """Convert every item; a problem of one is within its index under *path*."""
    results: list[Result] = []
    try:
        for item in items:
            results.append(convert(item))  # noqa: PERF401 - its length is the index
    except LocatedError as error:
        error.prepend(f"{path}[{len(results)}]")
        raise
    return results


def within(path: str, convert: Callable[[Item], Result], item: Item) -> Result:
    """Convert one item; its problem is within *path*."""
    try:
        return convert(item)
    except LocatedError as error:
        error.prepend(path)
        raise


def step(key: str) -> str:
    """Return the step to a member: `.key`, or `["any key"]`, cut if it is long."""
    if _PLAIN_NAME.fullmatch(key) and len(key) <= SHOWN_CHARACTERS:
        return f".{key}"
    cut = key if len(key) <= SHOWN_CHARACTERS else f"{key[:SHOWN_CHARACTERS]}…"
    return f"[{dumps(cut)}]"
