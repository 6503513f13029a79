"""A hundred tasks on one memory, each of which waits between reading and writing."""

import asyncio

from collections.abc import Callable

import pytest

from sqlalchemy import Engine

from batches import MEMORY_ID, batch, check_whole, memory_on, pieces
from chatmemory import ChatMessage, InMemoryChatMemoryStore, OffloadingStore
from chatmemory_stores.sql import SqlChatMemoryStore
from stores_for_tests import AsyncOnlyStore, AsyncThreeVerbStore, ThreeVerbStore


TASKS = 100
WINDOW = 2 * TASKS

pytestmark = pytest.mark.usefixtures("impatient_threads")


def offloaded_sql(engine: Engine) -> OffloadingStore:
    store = SqlChatMemoryStore(engine)
    store.create_tables()
    return OffloadingStore(store)


STORES: dict[str, Callable[[Engine], object]] = {
    "in memory": lambda _engine: InMemoryChatMemoryStore(),
    "async in memory": lambda _engine: AsyncOnlyStore(InMemoryChatMemoryStore()),
    "async three verbs": lambda _engine: AsyncThreeVerbStore(),
    "offloaded three verbs": lambda _engine: OffloadingStore(ThreeVerbStore()),
    "offloaded in memory": lambda _engine: OffloadingStore(InMemoryChatMemoryStore()),
    "offloaded sqlite": offloaded_sql,
}


async def add_all(store) -> list[ChatMessage]:
    """Add a batch in each task, on two memory objects of the same memory."""
    memories = [memory_on(store, WINDOW) for _ in range(2)]
    await asyncio.gather(
        *(memories[task % 2].aadd(*batch(task)) for task in range(TASKS))
    )
    return await memory_on(store, WINDOW).amessages()


@pytest.mark.parametrize("kind", STORES)
def test_nothing_is_lost_doubled_or_torn(kind: str, engine):
    """Each batch is there once and whole, whatever else came in between."""
    said = asyncio.run(add_all(STORES[kind](engine)))
    check_whole(said, writers=TASKS, batches=1)


class PatientStore(AsyncThreeVerbStore):
    """Whoever has read waits until nobody else wants to read any more."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = 0
        self.most = 0

    async def aget_messages(self, memory_id: str) -> list[ChatMessage]:
        state = await super().aget_messages(memory_id)
        self.reading += 1
        self.most = max(self.most, self.reading)
        for _ in range(10):
            await asyncio.sleep(0)
        self.reading -= 1
        return state


def test_no_two_read_before_they_write():
    """On a plain store a task holds the lock from reading to writing."""
    store = PatientStore()
    asyncio.run(add_all(store))
    # The last read is that of the view, when all is written.
    assert 1 == store.most


def test_cancelled_tasks_are_wholly_before_or_after(engine):
    """A batch whose task was cancelled is there whole or not at all, then and later."""
    store = SqlChatMemoryStore(engine)
    store.create_tables()

    async def cancel_half() -> list[ChatMessage]:
        memory = memory_on(OffloadingStore(store), WINDOW)
        steps = [asyncio.create_task(memory.aadd(*batch(n))) for n in range(TASKS)]
        for step in steps[::2]:
            await asyncio.sleep(0)
            step.cancel()
        await asyncio.wait(steps)
        return await memory.amessages()

    said = asyncio.run(cancel_half())
    found = pieces(said)
    assert [] == [piece for piece in found if piece not in map(batch, range(TASKS))]
    assert [] == [n for n in range(1, TASKS, 2) if batch(n) not in found]
    assert said == store.get_messages(MEMORY_ID)
