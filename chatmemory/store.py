"""
Where memories are kept: what a store has to offer, and the stores that need nothing.

A custom store needs three methods. One that can also change a memory atomically offers
a fourth, and the memories use it. Memory ids are text here, whatever they were before.
"""

import threading

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import attrs

from chatmemory.messages import ChatMessage


@attrs.frozen
class Change:
    """
    What a step makes of a memory.

    `messages` is the state afterwards: the same objects as before without those that
    were dropped, and new ones at the end. `added` is everything that was said in this
    step, also what is already gone again, for stores that keep a history.
    """

    messages: list[ChatMessage]
    added: list[ChatMessage]

    @classmethod
    def replacing(
        cls, state: Sequence[ChatMessage], messages: Sequence[ChatMessage]
    ) -> "Change":
        """
        Return the change that makes *messages* of a state.

        What they repeat of the state, as far as that comes first and in order, stays
        the same objects; the rest counts as newly said.
        """
        repeated: list[ChatMessage] = []
        for message in state:
            if len(repeated) < len(messages) and message == messages[len(repeated)]:
                repeated.append(message)
        new = list(messages[len(repeated) :])
        return cls([*repeated, *new], new)


Changing: TypeAlias = Callable[[list[ChatMessage]], Change | None]
"""
A pure function from the stored state to what becomes of it; None is: nothing to write.

It may be called several times in one step, each time with the state of the moment. It
does not change the list it is given. What it raises undoes the step and passes on.
"""


class ChatMemoryStore(Protocol):
    """
    All that a custom store needs.

    A memory on such a store reads, decides and writes under a lock that all memories on
    the same store object and id share: that is safe within one process. Offer
    `AtomicChatMemoryStore` to be safe beyond it.
    """

    def get_messages(self, memory_id: str, /) -> Sequence[ChatMessage]:
        """Return the messages of a memory, oldest first; none for an unknown id."""
        ...

    def update_messages(self, memory_id: str, messages: list[ChatMessage], /) -> None:
        """Replace all messages of a memory; there may be none."""
        ...

    def delete_messages(self, memory_id: str, /) -> None:
        """Forget a memory; an unknown id is a no-op."""
        ...


class AsyncChatMemoryStore(Protocol):
    """Same as `ChatMemoryStore`, but awaited."""

    async def aget_messages(self, memory_id: str, /) -> Sequence[ChatMessage]:
        """Same as `get_messages`, but awaited."""
        ...

    async def aupdate_messages(
        self, memory_id: str, messages: list[ChatMessage], /
    ) -> None:
        """Same as `update_messages`, but awaited."""
        ...

    async def adelete_messages(self, memory_id: str, /) -> None:
        """Same as `delete_messages`, but awaited."""
        ...


@runtime_checkable
class AtomicChatMemoryStore(ChatMemoryStore, Protocol):
    """
    A store that changes a memory in one step.

    Batches are atomic and contiguous, and their order is the order of commits; nothing
    is lost or doubled; readers see whole states; an operation that fails is wholly
    before or wholly after; two first writers of a new id both succeed.
    """

    def change_messages(self, memory_id: str, change: Changing, /) -> list[ChatMessage]:
        """
        Apply a change to the stored state, and return the state afterwards.

        No other writer comes between reading and writing. Neither the list that the
        change is given nor the one that it returns is altered later.
        """
        ...


@runtime_checkable
class AsyncAtomicChatMemoryStore(AsyncChatMemoryStore, Protocol):
    """
    Same as `AtomicChatMemoryStore`, but awaited.

    An operation that is cancelled waits for its transaction, and is wholly before or
    wholly after.
    """

    async def achange_messages(
        self, memory_id: str, change: Changing, /
    ) -> list[ChatMessage]:
        """Same as `change_messages`, but awaited."""
        ...


class InMemoryChatMemoryStore:
    """
    Keep memories in this process, and lose them with it.

    It has both flavours, for any number of threads and tasks: batches are atomic and
    contiguous, nothing is lost or doubled, readers see whole states. Lists are copied
    on their way in and out.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memories: dict[str, list[ChatMessage]] = {}

    def get_messages(self, memory_id: str, /) -> list[ChatMessage]:
        """Return a copy of a memory; an unknown id has no messages."""
        return self._memories.get(memory_id, []).copy()

    def update_messages(
        self, memory_id: str, messages: Sequence[ChatMessage], /
    ) -> None:
        """Replace all messages of a memory by a copy of the given ones."""
        copy = list(messages)
        with self._lock:
            self._memories[memory_id] = copy

    def delete_messages(self, memory_id: str, /) -> None:
        """Forget a memory; an unknown id is a no-op."""
        with self._lock:
            self._memories.pop(memory_id, None)

    def change_messages(self, memory_id: str, change: Changing, /) -> list[ChatMessage]:
        """
        Apply a change under the store's lock, and return the state afterwards.

        The change must not use the store itself: it would wait for ever.
        """
        with self._lock:
            state = self._memories.get(memory_id, [])
            changed = change(state.copy())
            if changed is None:
                return state.copy()
            self._memories[memory_id] = changed.messages.copy()
            return changed.messages

    async def aget_messages(self, memory_id: str, /) -> list[ChatMessage]:
        """Same as `get_messages`, but awaited; it never waits."""
        return self.get_messages(memory_id)

    async def aupdate_messages(
        self, memory_id: str, messages: Sequence[ChatMessage], /
    ) -> None:
        """Same as `update_messages`, but awaited; it never waits."""
        self.update_messages(memory_id, messages)

    async def adelete_messages(self, memory_id: str, /) -> None:
        """Same as `delete_messages`, but awaited; it never waits."""
        self.delete_messages(memory_id)

    async def achange_messages(
        self, memory_id: str, change: Changing, /
    ) -> list[ChatMessage]:
        """Same as `change_messages`, but awaited; it never waits."""
        return self.change_messages(memory_id, change)
