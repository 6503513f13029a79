"""
Stores as people write them, and some as awkward as the contract allows.

They keep what they are given, as any store does; none is a stand-in. `STORES` has the
kinds of stores that a memory may meet.
"""

import asyncio
import pickle

from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from chatmemory import (
    AsyncAtomicChatMemoryStore,
    Change,
    ChatMessage,
    InMemoryChatMemoryStore,
    OffloadingStore,
)
from chatmemory._private import PrivateStore
from chatmemory.store import Changing
from chatmemory_stores.sql import SqlChatMemoryStore


class ThreeVerbStore:
    """The least that a store has to be: lists in a dict."""

    def __init__(self) -> None:
        self.lists: dict[str, list[ChatMessage]] = {}

    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return self.lists.get(memory_id, [])

    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        self.lists[memory_id] = messages

    def delete_messages(self, memory_id: str) -> None:
        self.lists.pop(memory_id, None)


class InPlaceStore(ThreeVerbStore):
    """Changes the very lists that it returned before."""

    def __init__(self) -> None:
        self.lists = defaultdict(list)

    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return self.lists[memory_id]

    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        self.lists[memory_id][:] = messages

    def delete_messages(self, memory_id: str) -> None:
        self.lists[memory_id].clear()


class PicklingStore:
    """Returns messages that are equal to those it was given, never the same objects."""

    def __init__(self) -> None:
        self._pickles: dict[str, bytes] = {}

    def get_messages(self, memory_id: str) -> tuple[ChatMessage, ...]:
        return tuple(pickle.loads(self._pickles.get(memory_id, pickle.dumps([]))))

    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        self._pickles[memory_id] = pickle.dumps(messages)

    def delete_messages(self, memory_id: str) -> None:
        self._pickles.pop(memory_id, None)


class TwiceStore(InMemoryChatMemoryStore):
    """Runs every change twice, and throws the first result away."""

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        def second(state: list[ChatMessage]) -> Change | None:
            change(state)
            return change(state.copy())

        return super().change_messages(memory_id, second)


class OptimisticStore(InMemoryChatMemoryStore):
    """Tries every change on an outdated state first, in which the end is missing."""

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        def second(state: list[ChatMessage]) -> Change | None:
            with suppress(Exception):  # on an outdated state it means nothing
                change(state[:-1])
            return change(state)

        return super().change_messages(memory_id, second)


class AsyncThreeVerbStore:
    """Same as `ThreeVerbStore`, but awaited, and others come in between."""

    def __init__(self) -> None:
        self.store = ThreeVerbStore()

    async def aget_messages(self, memory_id: str) -> list[ChatMessage]:
        await asyncio.sleep(0)
        return self.store.get_messages(memory_id)

    async def aupdate_messages(
        self, memory_id: str, messages: list[ChatMessage]
    ) -> None:
        await asyncio.sleep(0)
        self.store.update_messages(memory_id, messages)

    async def adelete_messages(self, memory_id: str) -> None:
        await asyncio.sleep(0)
        self.store.delete_messages(memory_id)


class AsyncOnlyStore:
    """The async verbs of a store that has both flavours, and no others."""

    def __init__(self, store: AsyncAtomicChatMemoryStore) -> None:
        self.aget_messages = store.aget_messages
        self.aupdate_messages = store.aupdate_messages
        self.adelete_messages = store.adelete_messages
        self.achange_messages = store.achange_messages


class Blocking:
    """A memory on an async store, with sync verbs: one suite does for both flavours."""

    def __init__(self, memory: Any, runner: asyncio.Runner) -> None:
        self._memory = memory
        self._run = runner.run

    @property
    def id(self) -> object:
        return self._memory.id

    def add(self, *messages: ChatMessage) -> None:
        self._run(self._memory.aadd(*messages))

    def set(self, *messages: ChatMessage) -> None:
        self._run(self._memory.aset(*messages))

    def messages(self) -> list[ChatMessage]:
        return self._run(self._memory.amessages())

    def clear(self) -> None:
        self._run(self._memory.aclear())


OpenSql: TypeAlias = Callable[[str], SqlChatMemoryStore]

NO_STORE = "no store"
STORES: dict[str, Callable[[OpenSql], Any]] = {
    "three verbs": lambda _sql: ThreeVerbStore(),
    "in place": lambda _sql: InPlaceStore(),
    "pickles": lambda _sql: PicklingStore(),
    "in memory": lambda _sql: InMemoryChatMemoryStore(),
    "changes twice": lambda _sql: TwiceStore(),
    "optimistic": lambda _sql: OptimisticStore(),
    "sqlite file": lambda sql: sql("chat.db"),
    "sqlite in memory": lambda sql: sql(""),
    "async three verbs": lambda _sql: AsyncThreeVerbStore(),
    "async in memory": lambda _sql: AsyncOnlyStore(InMemoryChatMemoryStore()),
    "async private": lambda _sql: AsyncOnlyStore(PrivateStore()),
    "offloaded three verbs": lambda _sql: OffloadingStore(ThreeVerbStore()),
    "offloaded sqlite": lambda sql: OffloadingStore(sql("chat.db")),
}


@contextmanager
def opened(kind: str, folder: Path) -> Generator[Any]:
    """
    Make a store, with its database in a folder if it has one, and close it.

    Of `NO_STORE` it makes None.
    """
    if kind == NO_STORE:
        yield None
        return
    with ExitStack() as stack:

        def sql(file: str) -> SqlChatMemoryStore:
            url = f"sqlite:///{folder / file}" if file else "sqlite://"
            return stack.enter_context(SqlChatMemoryStore.from_url(url))

        yield STORES[kind](sql)


def on(store: Any, runner: asyncio.Runner, kind: Any, **options: Any) -> Any:
    """Make a memory of a kind on a store, with sync verbs."""
    memory = kind(id="user", store=store, **options)
    if store is None or hasattr(store, "get_messages"):
        return memory
    return Blocking(memory, runner)
