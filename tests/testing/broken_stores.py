"""
A store that keeps all promises, and for each promise one that breaks it.

Several store objects may work on one `Table`, as several processes do on a database.
"""

import asyncio
import random
import threading
import time
import unicodedata

from collections.abc import Callable
from contextlib import suppress

from chatmemory import (
    Change,
    ChatMessage,
    CustomMessage,
    TextContent,
    UserMessage,
    message_to_json,
)
from chatmemory.store import Changing


class Table:
    """What is stored: for each id its messages and their version."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.memories: dict[str, tuple[int, list[ChatMessage]]] = {}
        self.versions = iter(range(1, 10**9))


class KeepsAllPromises:
    """Reads and writes a table; what it was shown last is cached by version."""

    def __init__(self, table: Table | None = None) -> None:
        self.table = table or Table()
        self.cache: dict[str, tuple[int, list[ChatMessage]]] = {}

    def reopened(self) -> "KeepsAllPromises":
        return type(self)(self.table)

    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return self.read(memory_id).copy()

    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        after = messages.copy()
        with self.table.lock:
            self.write(memory_id, after)

    def delete_messages(self, memory_id: str) -> None:
        with self.table.lock:
            self.table.memories.pop(memory_id, None)

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        with self.table.lock:
            state = self.read(memory_id)
            changed = change(state.copy())
            if changed is None:
                return state.copy()
            self.write(memory_id, changed.messages.copy())
            return changed.messages.copy()

    def read(self, memory_id: str) -> list[ChatMessage]:
        version, messages = self.table.memories.get(memory_id, (0, []))
        known, cached = self.cache.get(memory_id, (0, []))
        if known != version:
            cached = messages
            self.cache[memory_id] = version, messages
        return cached

    def write(self, memory_id: str, messages: list[ChatMessage]) -> None:
        self.table.memories[memory_id] = self.next_version(memory_id), messages

    def next_version(self, memory_id: str) -> int:
        return next(self.table.versions)


# The verbs


class ReturnsNone(KeepsAllPromises):
    def get_messages(self, memory_id: str) -> list[ChatMessage] | None:
        return super().get_messages(memory_id) or None


class OnlyAppends(KeepsAllPromises):
    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        new = messages[len(self.read(memory_id)) :]
        super().update_messages(memory_id, [*self.read(memory_id), *new])


class DeletesNothing(KeepsAllPromises):
    def delete_messages(self, memory_id: str) -> None:
        pass


class DeletesOnlyWhatIsThere(KeepsAllPromises):
    def delete_messages(self, memory_id: str) -> None:
        del self.table.memories[memory_id]


class HidesItsVerb(KeepsAllPromises):
    change_messages = None


class NeverDrops(KeepsAllPromises):
    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        def growing(state: list[ChatMessage]) -> Change | None:
            changed = change(state)
            return changed and Change([*state, *changed.added], changed.added)

        return super().change_messages(memory_id, growing)


class StoresWhatWasSaid(KeepsAllPromises):
    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        def saying(state: list[ChatMessage]) -> Change | None:
            changed = change(state)
            if changed is None or state:
                return changed
            return Change(changed.added, changed.added)

        return super().change_messages(memory_id, saying)


class TakesNoneForEmpty(KeepsAllPromises):
    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        return super().change_messages(
            memory_id, lambda state: change(state) or Change([], [])
        )


# Fidelity and order


class TakesTrueForOne(KeepsAllPromises):
    """Brings back messages that are equal in Python, but not in JSON."""

    def write(self, memory_id: str, messages: list[ChatMessage]) -> None:
        super().write(memory_id, [_with_numbers(each) for each in messages])


class CutsAtNul(KeepsAllPromises):
    def write(self, memory_id: str, messages: list[ChatMessage]) -> None:
        super().write(memory_id, [_cut(each) for each in messages])


class OrdersByTheSecond(KeepsAllPromises):
    """Keeps the second in which each message was stored, and sorts by it."""

    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        rows = [(1_700_000_000, random.random(), each) for each in self.read(memory_id)]
        return [message for _, _, message in sorted(rows, key=lambda row: row[:2])]


# Ids


class FoldsCase(KeepsAllPromises):
    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return super().get_messages(memory_id.lower())

    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        super().update_messages(memory_id.lower(), messages)


class TrimsTrailingSpaces(KeepsAllPromises):
    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return super().get_messages(memory_id.rstrip(" "))

    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        super().update_messages(memory_id.rstrip(" "), messages)


class ComposesIds(KeepsAllPromises):
    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return super().get_messages(unicodedata.normalize("NFC", memory_id))

    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        super().update_messages(unicodedata.normalize("NFC", memory_id), messages)


class DeletesByPattern(KeepsAllPromises):
    """Deletes with LIKE, to which a `%` at the end means anything."""

    def delete_messages(self, memory_id: str) -> None:
        start = memory_id.removesuffix("%")
        for each in [*self.table.memories]:
            if each == memory_id or (start != memory_id and each.startswith(start)):
                super().delete_messages(each)


# Lists


class SharesItsList(KeepsAllPromises):
    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return self.read(memory_id)


class ChangesItsListLater(KeepsAllPromises):
    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return self.read(memory_id)

    def write(self, memory_id: str, messages: list[ChatMessage]) -> None:
        shared = self.read(memory_id)
        shared[:] = messages
        super().write(memory_id, shared)


# Failure and cancellation


class HalfWritesOnFailure(KeepsAllPromises):
    """Encodes and writes one message after the other."""

    def write(self, memory_id: str, messages: list[ChatMessage]) -> None:
        written: list[ChatMessage] = []
        super().write(memory_id, written)
        for message in messages:
            message_to_json(message, extended=True)
            written.append(message)


class SwallowsErrors(KeepsAllPromises):
    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        with suppress(Exception):
            return super().change_messages(memory_id, change)
        return self.get_messages(memory_id)


class CommitsOnInterrupt(KeepsAllPromises):
    """Rolls back on what is an `Exception` only."""

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        state = self.get_messages(memory_id)
        try:
            return super().change_messages(memory_id, lambda _: change(state))
        except Exception:
            raise
        except BaseException:
            self.update_messages(memory_id, state)
            raise


class KeepsAllPromisesAsync:
    """The same store, awaited: it starts, lets others come in between, and writes."""

    def __init__(self) -> None:
        self.store = KeepsAllPromises()

    async def aget_messages(self, memory_id: str) -> list[ChatMessage]:
        return self.store.get_messages(memory_id)

    async def aupdate_messages(
        self, memory_id: str, messages: list[ChatMessage]
    ) -> None:
        self.store.update_messages(memory_id, messages)

    async def adelete_messages(self, memory_id: str) -> None:
        self.store.delete_messages(memory_id)

    async def achange_messages(
        self, memory_id: str, change: Changing
    ) -> list[ChatMessage]:
        await _others()
        return self.store.change_messages(memory_id, change)


class WritesAfterItsCancellation(KeepsAllPromisesAsync):
    async def achange_messages(
        self, memory_id: str, change: Changing
    ) -> list[ChatMessage]:
        step = super().achange_messages(memory_id, change)
        return await asyncio.shield(asyncio.ensure_future(step))


class HalfWritesWhenCancelled(KeepsAllPromisesAsync):
    async def achange_messages(
        self, memory_id: str, change: Changing
    ) -> list[ChatMessage]:
        state = self.store.get_messages(memory_id)
        changed = change(state)
        for size in range(len(state), len(changed.messages) + 1):
            self.store.update_messages(memory_id, changed.messages[:size])
            await asyncio.sleep(0)
        return changed.messages


class LosesTasks(KeepsAllPromisesAsync):
    async def achange_messages(
        self, memory_id: str, change: Changing
    ) -> list[ChatMessage]:
        changed = change(self.store.get_messages(memory_id))
        await _others()
        self.store.update_messages(memory_id, changed.messages)
        return changed.messages


# Many at once


class LosesUnderRaces(KeepsAllPromises):
    """Reads, lets others come in between, and writes."""

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        state = self.get_messages(memory_id)
        time.sleep(0)
        changed = change(state)
        self.update_messages(memory_id, changed.messages)
        return changed.messages


class TearsBatches(KeepsAllPromises):
    """Adds message by message, each in a step of its own."""

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        for message in change(self.get_messages(memory_id)).added:
            super().change_messages(memory_id, _adding(message))
            time.sleep(0)
        return self.get_messages(memory_id)


class ShowsHalfBatches(KeepsAllPromises):
    """Writes message by message where readers can see it."""

    def write(self, memory_id: str, messages: list[ChatMessage]) -> None:
        for size in range(max(0, len(messages) - 2), len(messages) + 1):
            super().write(memory_id, messages[:size])
            time.sleep(0)


class DoublesUnderRaces(KeepsAllPromises):
    """Tries again after a conflict, although the first attempt has written."""

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        version = self.table.memories.get(memory_id, (0,))[0]
        time.sleep(0)
        after = super().change_messages(memory_id, change)
        if self.table.memories[memory_id][0] > version + 1:
            return super().change_messages(memory_id, change)
        return after


class LosesAFirstWriter(KeepsAllPromises):
    """Whoever finds no memory makes one, whether or not another one just did."""

    def __init__(self, table: Table | None = None) -> None:
        super().__init__(table)
        self.both = threading.Barrier(2)

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        if memory_id in self.table.memories:
            return super().change_messages(memory_id, change)
        with suppress(threading.BrokenBarrierError):
            self.both.wait(1)
        changed = change([])
        self.update_messages(memory_id, changed.messages)
        return changed.messages


class MixesMemories(KeepsAllPromises):
    """Keeps the id of a step where all threads see it."""

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        self.current = memory_id
        time.sleep(0)
        return super().change_messages(self.current, change)


# Several objects


class KeepsToItself(KeepsAllPromises):
    """Writes when it is closed, and nobody closes it."""

    def reopened(self) -> KeepsAllPromises:
        return type(self)()


class KeepsToItsProcess(KeepsAllPromises):
    """Has a table in each process."""

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()


class NeverLooksAgain(KeepsAllPromises):
    def read(self, memory_id: str) -> list[ChatMessage]:
        if memory_id not in self.cache:
            return super().read(memory_id)
        return self.cache[memory_id][1]

    def write(self, memory_id: str, messages: list[ChatMessage]) -> None:
        super().write(memory_id, messages)
        self.cache[memory_id] = self.table.memories[memory_id]


class ReusesVersionsAfterDelete(KeepsAllPromises):
    """Counts the versions of each memory from 1, also of one that was deleted."""

    def next_version(self, memory_id: str) -> int:
        return self.table.memories.get(memory_id, (0, []))[0] + 1

    def write(self, memory_id: str, messages: list[ChatMessage]) -> None:
        super().write(memory_id, messages)
        self.cache[memory_id] = self.table.memories[memory_id]


class LocksItsObjectOnly(KeepsAllPromises):
    """Is safe for the threads of one object, but not for two objects."""

    def __init__(self, table: Table | None = None) -> None:
        super().__init__(table)
        self.lock = threading.Lock()

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        with self.lock:
            changed = change(self.get_messages(memory_id))
            time.sleep(0)
            self.update_messages(memory_id, changed.messages)
            return changed.messages


class OrdersByObject(KeepsAllPromises):
    """Numbers messages in blocks that each object takes for itself."""

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        def inserting(state: list[ChatMessage]) -> Change | None:
            changed = change(state)
            if changed is None or self.is_second:
                return changed
            return Change([*changed.added, *state], changed.added)

        return super().change_messages(memory_id, inserting)

    is_second = False

    def reopened(self) -> KeepsAllPromises:
        other = super().reopened()
        other.is_second = True
        return other


def _adding(message: ChatMessage) -> Callable[[list[ChatMessage]], Change]:
    return lambda state: Change([*state, message], [message])


def _with_numbers(message: ChatMessage) -> ChatMessage:
    if isinstance(message, CustomMessage) and message.attributes:
        return CustomMessage({**message.attributes, "booleans": [1, 0]})
    return message


def _cut(message: ChatMessage) -> ChatMessage:
    match message:
        case UserMessage(contents=(TextContent(text=text),)):
            return UserMessage(text.partition("\0")[0])
    return message


async def _others() -> None:
    for _ in range(4):
        await asyncio.sleep(0)
