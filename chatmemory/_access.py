"""
How a memory reaches its store: atomically, or under a lock.

A store that changes memories atomically is asked to. Any other is read and written under
one lock per store object and id, which all memories on it share.
"""

import threading

from collections.abc import Sequence
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Protocol, cast
from weakref import WeakKeyDictionary, WeakValueDictionary

from chatmemory._private import PrivateStore
from chatmemory.errors import InvalidStoreError
from chatmemory.messages import ChatMessage
from chatmemory.store import (
    AsyncAtomicChatMemoryStore,
    AsyncChatMemoryStore,
    AtomicChatMemoryStore,
    Change,
    Changing,
    ChatMemoryStore,
)


if TYPE_CHECKING:
    import asyncio


class Access(Protocol):
    """What a memory does with a store, whatever it offers."""

    is_atomic: bool

    def get(self) -> list[ChatMessage]: ...
    def change(self, change: Changing) -> None: ...
    def replace(self, change: Changing) -> None: ...
    def delete(self) -> None: ...


class AsyncAccess(Protocol):
    """Same as `Access`, but awaited."""

    is_atomic: bool

    async def aget(self) -> list[ChatMessage]: ...
    async def achange(self, change: Changing) -> None: ...
    async def areplace(self, change: Changing) -> None: ...
    async def adelete(self) -> None: ...


class AtomicAccess:
    """To one memory of a store that changes it atomically."""

    is_atomic = True

    def __init__(self, store: AtomicChatMemoryStore, memory_id: str) -> None:
        self._store = store
        self._memory_id = memory_id

    def get(self) -> list[ChatMessage]:
        return _checked(self._store, self._store.get_messages(self._memory_id))

    def change(self, change: Changing) -> None:
        self._store.change_messages(self._memory_id, change)

    def replace(self, change: Changing) -> None:
        self._store.change_messages(self._memory_id, change)

    def delete(self) -> None:
        self._store.delete_messages(self._memory_id)


class AsyncAtomicAccess:
    """Same as `AtomicAccess`, but awaited."""

    is_atomic = True

    def __init__(self, store: AsyncAtomicChatMemoryStore, memory_id: str) -> None:
        self._store = store
        self._memory_id = memory_id

    async def aget(self) -> list[ChatMessage]:
        return _checked(self._store, await self._store.aget_messages(self._memory_id))

    async def achange(self, change: Changing) -> None:
        await self._store.achange_messages(self._memory_id, change)

    async def areplace(self, change: Changing) -> None:
        await self._store.achange_messages(self._memory_id, change)

    async def adelete(self) -> None:
        await self._store.adelete_messages(self._memory_id)


class LockedAccess:
    """To one memory of a store that can only be read and written."""

    is_atomic = False

    def __init__(self, store: ChatMemoryStore, memory_id: str) -> None:
        self._store = store
        self._memory_id = memory_id
        self._locks = _locks_of(store, memory_id)

    def get(self) -> list[ChatMessage]:
        return _checked(self._store, self._store.get_messages(self._memory_id))

    def change(self, change: Changing) -> None:
        with self._locks.thread:
            self._write(change(self.get()))

    def replace(self, change: Changing) -> None:
        with self._locks.thread:
            self._write(change([]))

    def _write(self, changed: Change | None) -> None:
        if changed is not None:
            self._store.update_messages(self._memory_id, changed.messages.copy())

    def delete(self) -> None:
        with self._locks.thread:
            self._store.delete_messages(self._memory_id)


class AsyncLockedAccess:
    """Same as `LockedAccess`, but awaited."""

    is_atomic = False

    def __init__(self, store: AsyncChatMemoryStore, memory_id: str) -> None:
        self._store = store
        self._memory_id = memory_id
        self._locks = _locks_of(store, memory_id)

    async def aget(self) -> list[ChatMessage]:
        return _checked(self._store, await self._store.aget_messages(self._memory_id))

    async def achange(self, change: Changing) -> None:
        async with self._locks.task():
            await self._write(change(await self.aget()))

    async def areplace(self, change: Changing) -> None:
        async with self._locks.task():
            await self._write(change([]))

    async def _write(self, changed: Change | None) -> None:
        if changed is not None:
            messages = changed.messages.copy()
            await self._store.aupdate_messages(self._memory_id, messages)

    async def adelete(self) -> None:
        async with self._locks.task():
            await self._store.adelete_messages(self._memory_id)


def _checked(store: object, state: object) -> list[ChatMessage]:
    if isinstance(store, PrivateStore):
        return cast("list[ChatMessage]", state)
    if isinstance(state, Sequence) and not isinstance(state, str | bytes):
        # A copy: some stores change the very list that they returned.
        return list(cast("Sequence[ChatMessage]", state))
    msg = (
        f"{type(store).__name__} returned {type(state).__name__} instead of a list of "
        "messages: return [] for a memory id that it does not know"
    )
    raise InvalidStoreError(msg)


class _Locks:
    """The locks of one memory in one store, for threads and for each event loop."""

    def __init__(self, of_store: "_StoreLocks") -> None:
        self._of_store = of_store
        self.thread = threading.Lock()
        self._tasks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            WeakKeyDictionary()
        )

    def task(self) -> "asyncio.Lock":
        import asyncio  # noqa: PLC0415 - importing chatmemory must not load it

        return self._tasks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


class _StoreLocks:
    """The locks of one store, which stays alive so that its `id` stays its own."""

    def __init__(self, store: object) -> None:
        self.store = store
        self.of_ids: WeakValueDictionary[str, _Locks] = WeakValueDictionary()


_guard = threading.Lock()
_stores: "WeakValueDictionary[int, _StoreLocks]" = WeakValueDictionary()


def _locks_of(store: object, memory_id: str) -> _Locks:
    with _guard:
        of_store = _stores.get(id(store)) or _StoreLocks(store)
        _stores[id(store)] = of_store
        locks = of_store.of_ids.get(memory_id) or _Locks(of_store)
        of_store.of_ids[memory_id] = locks
        return locks


def access_to(store: object, memory_id: str) -> Access | None:
    """Return the sync access to a memory, None if the store has only async verbs."""
    if not _offers(store, ("get_messages", "update_messages", "delete_messages")):
        return None
    if isinstance(store, AtomicChatMemoryStore):
        return AtomicAccess(store, memory_id)
    return LockedAccess(cast("ChatMemoryStore", store), memory_id)


def async_access_to(store: object, memory_id: str) -> AsyncAccess | None:
    """Return the async access to a memory, None if the store has only sync verbs."""
    if not _offers(store, ("aget_messages", "aupdate_messages", "adelete_messages")):
        return None
    if isinstance(store, AsyncAtomicChatMemoryStore):
        return AsyncAtomicAccess(store, memory_id)
    return AsyncLockedAccess(cast("AsyncChatMemoryStore", store), memory_id)


def check_store(store: object) -> None:
    """Raise `InvalidStoreError` for what is no store, naming what it lacks."""
    name = type(store).__name__
    if isinstance(store, type):
        msg = f"store is the class {store.__name__}: pass an object of it"
        raise InvalidStoreError(msg)
    sync = ("get_messages", "update_messages", "delete_messages")
    offered = [verb for verb in sync if _offers(store, (verb,))]
    async_offered = [verb for verb in sync if _offers(store, (f"a{verb}",))]
    if len(offered) == len(sync) or len(async_offered) == len(sync):
        _check_flavours(store)
        return
    prefix = "a" if len(async_offered) > len(offered) else ""
    lacking = [
        f"{prefix}{verb}" for verb in sync if not _offers(store, (f"{prefix}{verb}",))
    ]
    msg = f"{name} is no store, it lacks {', '.join(lacking)}: see ChatMemoryStore"
    raise InvalidStoreError(msg)


def _check_flavours(store: object) -> None:
    verbs = ("get_messages", "update_messages", "delete_messages", "change_messages")
    for verb in verbs:
        if iscoroutinefunction(getattr(store, verb, None)):
            msg = (
                f"{type(store).__name__}.{verb} is async: name it a{verb}, "
                "see AsyncChatMemoryStore"
            )
            raise InvalidStoreError(msg)


def _offers(store: object, verbs: tuple[str, ...]) -> bool:
    return all(callable(getattr(store, verb, None)) for verb in verbs)
