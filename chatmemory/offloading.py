"""A sync store for async code, each call in a thread."""

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from chatmemory._access import Access, access_to, check_store
from chatmemory._cancellation import finished
from chatmemory.errors import InvalidStoreError
from chatmemory.messages import ChatMessage
from chatmemory.store import Change, Changing, ChatMemoryStore


T = TypeVar("T")


class OffloadingStore:
    """
    Use a sync store from async code, with each call in a thread of its own.

    Changes are atomic: by the store itself if it can, otherwise under the lock that all
    memories on the wrapped store share. A call that is cancelled waits for its thread
    before it re-raises: it is wholly before or wholly after, never both. Threads come
    from the event loop's default executor.
    """

    def __init__(self, store: ChatMemoryStore) -> None:
        check_store(store)
        if access_to(store, "any") is None:
            msg = f"{type(store).__name__} is async already: use it as it is"
            raise InvalidStoreError(msg)
        self._store = store

    async def aget_messages(self, memory_id: str, /) -> Sequence[ChatMessage]:
        """Same as the store's `get_messages`, but awaited."""
        return await _in_thread(lambda: self._store.get_messages(memory_id))

    async def aupdate_messages(
        self, memory_id: str, messages: list[ChatMessage], /
    ) -> None:
        """Same as the store's `update_messages`, but awaited."""
        await _in_thread(lambda: self._store.update_messages(memory_id, messages))

    async def adelete_messages(self, memory_id: str, /) -> None:
        """Same as the store's `delete_messages`, but awaited."""
        await _in_thread(self._access(memory_id).delete)

    async def achange_messages(
        self, memory_id: str, change: Changing, /
    ) -> list[ChatMessage]:
        """Apply a change to the stored state, and return the state afterwards."""
        return await _in_thread(lambda: self._change(memory_id, change))

    def _change(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        after: list[ChatMessage] = []

        def observed(state: list[ChatMessage]) -> Change | None:
            changed = change(state)
            after[:] = state if changed is None else changed.messages
            return changed

        self._access(memory_id).change(observed)
        return after

    def _access(self, memory_id: str) -> Access:
        return cast("Access", access_to(self._store, memory_id))


async def _in_thread(function: Callable[[], T]) -> T:
    import asyncio  # noqa: PLC0415 - importing chatmemory must not load it

    return await finished(asyncio.to_thread(function))
