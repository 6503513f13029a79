"""One memory object for each id."""

import threading

from collections.abc import Callable
from typing import Generic, TypeVar

from chatmemory.errors import InvalidMemoryIdError, InvalidOptionError
from chatmemory.memory import AsyncChatMemory, ChatMemory
from chatmemory.memory_id import MemoryId, memory_id_text


M = TypeVar("M", bound=ChatMemory | AsyncChatMemory)


class ChatMemoryProvider(Generic[M]):
    """
    Make a memory once for each id, and hand out that one.

    *factory* is called with the id; while it runs for one id, other ids do not wait.
    What it raises passes through, and the next `get` asks it again.
    """

    def __init__(self, factory: Callable[[MemoryId], M]) -> None:
        if not callable(factory):
            msg = (
                "factory must be a function from a memory id to its memory: "
                f"{factory!r}"
            )
            raise InvalidOptionError(msg)
        self._factory = factory
        self._guard = threading.Lock()
        self._places: dict[str, _Place[M]] = {}

    def get(self, memory_id: MemoryId) -> M:
        """
        Return the memory of an id, made on first use.

        Raises `InvalidMemoryIdError` if the factory returns another id's memory: that
        is how one user sees what another one said.
        """
        text = memory_id_text(memory_id)
        with self._guard:
            place = self._places.setdefault(text, _Place())
        with place.lock:
            if place.memory is None:
                place.memory = self._made(memory_id, text)
            return place.memory

    def evict(self, memory_id: MemoryId) -> bool:
        """
        Forget the object of an id, and return whether there was one.

        What is stored stays: the next `get` makes a memory that goes on from there.
        """
        with self._guard:
            place = self._places.pop(memory_id_text(memory_id), None)
        return place is not None and place.memory is not None

    def _made(self, memory_id: MemoryId, text: str) -> M:
        memory = self._factory(memory_id)
        if not hasattr(memory, "id"):
            msg = (
                f"the factory was asked for the memory of {memory_id!r} and returned "
                f"{type(memory).__name__}: return a memory"
            )
            raise InvalidOptionError(msg)
        if memory_id_text(memory.id) != text:
            msg = (
                f"the factory was asked for the memory of {memory_id!r} and returned "
                f"that of {memory.id!r}: pass the id on to the memory"
            )
            raise InvalidMemoryIdError(msg)
        return memory


class _Place(Generic[M]):
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.memory: M | None = None
