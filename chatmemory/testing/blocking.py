"""How async stores enter a suite that is not async."""

import asyncio
import threading

from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from chatmemory.messages import ChatMessage
from chatmemory.store import (
    AsyncAtomicChatMemoryStore,
    AsyncChatMemoryStore,
    Changing,
)


__all__ = ["Blocking"]

T = TypeVar("T")


class Blocking:
    """
    The verbs of an async store as sync ones, each of which waits for its result.

    All run on one event loop in a thread of its own, so calls from several threads are
    tasks that interleave there. `change_messages` is there if the store is atomic.
    Close it, or use it as `with`, when done; the store itself stays open.
    """

    def __init__(self, store: AsyncChatMemoryStore) -> None:
        self.store = store
        if isinstance(store, AsyncAtomicChatMemoryStore):
            self.change_messages = self._change_messages
        self._runs = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self._runs.wait()

    def _serve(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            self._loop.call_soon(self._runs.set)
            self._loop.run_forever()

    def run(self, step: Coroutine[Any, Any, T]) -> T:
        """Run something else on the loop, such as `store.acreate_tables()`."""
        return asyncio.run_coroutine_threadsafe(step, self._loop).result()

    def close(self) -> None:
        """Stop the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def get_messages(self, memory_id: str, /) -> Sequence[ChatMessage]:
        """Same as the store's `aget_messages`."""
        return self.run(self.store.aget_messages(memory_id))

    def update_messages(self, memory_id: str, messages: list[ChatMessage], /) -> None:
        """Same as the store's `aupdate_messages`."""
        self.run(self.store.aupdate_messages(memory_id, messages))

    def delete_messages(self, memory_id: str, /) -> None:
        """Same as the store's `adelete_messages`."""
        self.run(self.store.adelete_messages(memory_id))

    def _change_messages(
        self, memory_id: str, change: Changing, /
    ) -> list[ChatMessage]:
        store = cast("AsyncAtomicChatMemoryStore", self.store)
        return self.run(store.achange_messages(memory_id, change))
