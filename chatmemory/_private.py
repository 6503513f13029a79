"""The store of a memory that was given none."""

import threading

from chatmemory.messages import ChatMessage
from chatmemory.store import Changing


class PrivateStore:
    """
    One memory's messages, for any number of threads and tasks.

    The id is not looked at. Lists are not copied: the memory that owns the store changes
    none of them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._messages: list[ChatMessage] = []

    def get_messages(self, memory_id: str, /) -> list[ChatMessage]:
        return self._messages

    def update_messages(self, memory_id: str, messages: list[ChatMessage], /) -> None:
        with self._lock:
            self._messages = messages

    def delete_messages(self, memory_id: str, /) -> None:
        self.update_messages(memory_id, [])

    def change_messages(self, memory_id: str, change: Changing, /) -> list[ChatMessage]:
        with self._lock:
            changed = change(self._messages)
            if changed is not None:
                self._messages = changed.messages
            return self._messages

    async def aget_messages(self, memory_id: str, /) -> list[ChatMessage]:
        return self._messages

    async def aupdate_messages(
        self, memory_id: str, messages: list[ChatMessage], /
    ) -> None:
        self.update_messages(memory_id, messages)

    async def adelete_messages(self, memory_id: str, /) -> None:
        self.delete_messages(memory_id)

    async def achange_messages(
        self, memory_id: str, change: Changing, /
    ) -> list[ChatMessage]:
        return self.change_messages(memory_id, change)
