"""Limits: numbers, or functions of the memory id that are asked anew each time."""

from collections.abc import Callable
from typing import TypeAlias

from chatmemory.errors import InvalidLimitError
from chatmemory.memory_id import MemoryId


Limit: TypeAlias = int | Callable[[MemoryId], int]


def checked_limit(name: str, limit: Limit) -> Limit:
    """Return a limit as it was given; a number is checked at once."""
    return limit if callable(limit) else _positive(name, limit)


def read_limit(name: str, limit: Limit, memory_id: MemoryId) -> int:
    """Return the limit of the moment."""
    if callable(limit):
        return _positive(f"what {name} returned", limit(memory_id))
    return limit


def _positive(name: str, limit: object) -> int:
    if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0:
        return limit
    msg = f"{name} must be a whole number greater than zero: {limit!r}"
    raise InvalidLimitError(msg)
