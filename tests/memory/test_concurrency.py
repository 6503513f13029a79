"""One memory object, or one store in both flavours, in the hands of many at once."""

import asyncio
import threading

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from batches import batch, check_whole, memory_on
from chatmemory import (
    ChatMessage,
    InMemoryChatMemoryStore,
    MessageWindowChatMemory,
    OffloadingStore,
    TokenWindowChatMemory,
)
from stores_for_tests import (
    InPlaceStore,
    OptimisticStore,
    PicklingStore,
    ThreeVerbStore,
)


WRITERS = 8
BATCHES = 8
WINDOW = 1_000


pytestmark = pytest.mark.usefixtures("impatient_threads")


def add_all(memory, writer: int) -> None:
    for number in range(BATCHES):
        memory.add(*batch(writer, number))


async def aadd_all(memory, writer: int) -> None:
    for number in range(BATCHES):
        await memory.aadd(*batch(writer, number))


def in_threads(write: Callable[[int], None]) -> None:
    """Let the writers loose at the same moment, each in a thread of its own."""
    barrier = threading.Barrier(WRITERS)

    def start(writer: int) -> None:
        barrier.wait()
        write(writer)

    with ThreadPoolExecutor(WRITERS) as pool:
        for done in [pool.submit(start, writer) for writer in range(WRITERS)]:
            done.result()


def check(said: list[ChatMessage]) -> None:
    check_whole(said, writers=WRITERS, batches=BATCHES)


STORES = [
    *(ThreeVerbStore, InPlaceStore, PicklingStore),
    *(InMemoryChatMemoryStore, OptimisticStore),
]


@pytest.mark.parametrize("kind", [lambda: None, *STORES])
def test_threads_on_one_memory_object(kind: Callable[[], object]):
    """A memory object may be used by any number of threads."""
    memory = memory_on(kind(), WINDOW)
    in_threads(lambda writer: add_all(memory, writer))
    check(memory.messages())


def test_tasks_on_one_private_memory():
    """Without a store a memory is as safe for tasks."""

    async def write_all() -> list[ChatMessage]:
        memory = MessageWindowChatMemory(max_messages=WINDOW)
        await asyncio.gather(*(aadd_all(memory, writer) for writer in range(WRITERS)))
        return await memory.amessages()

    check(asyncio.run(write_all()))


def test_threads_and_tasks_on_one_private_memory():
    """It is safe for both at once."""
    memory = MessageWindowChatMemory(max_messages=WINDOW)

    def write(writer: int) -> None:
        if writer % 2:
            asyncio.run(aadd_all(memory, writer))
        else:
            add_all(memory, writer)

    in_threads(write)
    check(memory.messages())


@pytest.mark.parametrize("kind", [ThreeVerbStore, InMemoryChatMemoryStore])
def test_sync_and_offloaded_verbs_share_a_lock(kind: type):
    """Code in both flavours may share a sync store through an `OffloadingStore`."""
    store = kind()
    offloading = OffloadingStore(store)

    def write(writer: int) -> None:
        if writer % 2:
            asyncio.run(aadd_all(memory_on(offloading, WINDOW), writer))
        else:
            add_all(memory_on(store, WINDOW), writer)

    in_threads(write)
    check(memory_on(store, WINDOW).messages())


def test_readers_see_whole_batches():
    """Who reads while others write sees no half of a batch."""
    memory = TokenWindowChatMemory(max_tokens=10**6, estimator=len)

    def write(writer: int) -> None:
        for number in range(BATCHES):
            memory.add(*batch(writer, number))
            assert 0 == len(memory.messages()) % len(batch(writer, number))

    in_threads(write)
    check(memory.messages())
