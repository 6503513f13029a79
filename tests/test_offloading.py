"""A sync store in async code."""

import asyncio
import threading

import pytest

from chatmemory import (
    Change,
    MessageWindowChatMemory,
    OffloadingStore,
    OrphanToolResultError,
)
from notation import conversation, shown
from stores_for_tests import ThreeVerbStore, opened


class StoppableStore(ThreeVerbStore):
    """Begins to write, and goes on when it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.began, self.goes_on = threading.Event(), threading.Event()
        self.error = error

    def update_messages(self, memory_id: str, messages: list) -> None:
        self.began.set()
        self.goes_on.wait()
        if self.error is not None:
            raise self.error
        super().update_messages(memory_id, messages)


def adding(text: str):
    """Make a change that adds messages."""
    new = conversation(text)
    return lambda state: Change([*state, *new], new)


@pytest.mark.parametrize("kind", ["three verbs", "in memory", "sqlite file"])
def test_verbs(kind: str, runner, tmp_path):
    """Each async verb does what the store's own verb does."""
    with opened(kind, tmp_path) as store:
        offloading = OffloadingStore(store)
        runner.run(offloading.aupdate_messages("user", conversation("U1 A1")))
        assert "U1 A1" == shown(runner.run(offloading.aget_messages("user")))
        after = runner.run(offloading.achange_messages("user", adding("U2")))
        assert "U1 A1 U2" == shown(after)
        assert "U1 A1 U2" == shown(store.get_messages("user"))
        after = runner.run(offloading.achange_messages("user", lambda _state: None))
        assert "U1 A1 U2" == shown(after)
        runner.run(offloading.adelete_messages("user"))
        assert [] == list(runner.run(offloading.aget_messages("user")))


def test_the_loop_goes_on():
    """While the store works in its thread, other tasks run."""

    async def work() -> str:
        store = StoppableStore()
        memory = memory_on(store)
        step = asyncio.create_task(memory.aadd(*conversation("U")))
        await asyncio.to_thread(store.began.wait)
        store.goes_on.set()
        await step
        return shown(await memory.amessages())

    assert "U" == asyncio.run(work())


def memory_on(store: ThreeVerbStore) -> MessageWindowChatMemory:
    return MessageWindowChatMemory(
        id="user", max_messages=9, store=OffloadingStore(store)
    )


@pytest.mark.parametrize("error", [None, OSError("disk full")])
@pytest.mark.parametrize("times", [1, 3])
def test_a_cancelled_call_waits_for_its_thread(times: int, error: Exception | None):
    """However often it is cancelled, it is over when its thread is, and not before."""

    async def work() -> list[bool]:
        store = StoppableStore(error)
        memory = memory_on(store)
        step = asyncio.create_task(memory.aadd(*conversation("U")))
        await asyncio.to_thread(store.began.wait)
        was_over = []
        for _ in range(times):
            step.cancel()
            await asyncio.wait([step], timeout=0)
            was_over.append(step.done())
        store.goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await step
        expected = "U" if error is None else ""
        assert expected == shown(store.get_messages("user"))
        return was_over

    assert [False] * times == asyncio.run(work())


def test_a_call_that_was_cancelled_before_it_began():
    """It has not even asked the store."""

    async def work() -> None:
        store = StoppableStore()
        step = asyncio.create_task(memory_on(store).aadd(*conversation("U")))
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step
        assert not store.began.is_set()

    asyncio.run(work())


def test_errors_pass_unchanged(runner):
    """What a change or the store raises in its thread is what the caller gets."""
    error = OSError("disk full")
    store = StoppableStore(error)
    store.goes_on.set()
    memory = memory_on(store)
    with pytest.raises(OSError, match="disk full") as caught:
        runner.run(memory.aadd(*conversation("U")))
    assert error is caught.value
    with pytest.raises(OrphanToolResultError):
        runner.run(memory.aadd(*conversation("T:c1")))


def test_deleting_waits_for_a_change():
    """A plain store reads and writes under a lock; nobody deletes in between."""

    async def work() -> str:
        store = StoppableStore()
        offloading = OffloadingStore(store)
        change = offloading.achange_messages("user", adding("U"))
        changing = asyncio.create_task(change)
        await asyncio.to_thread(store.began.wait)
        deleting = asyncio.create_task(offloading.adelete_messages("user"))
        for _ in range(9):  # other threads come and go: it has time enough to be wrong
            await asyncio.to_thread(store.began.wait)
        store.goes_on.set()
        await asyncio.gather(changing, deleting)
        return shown(store.get_messages("user"))

    assert "" == asyncio.run(work())


def test_the_end_of_the_loop_waits_as_well():
    """Who leaves a task behind leaves a whole step behind."""
    store = StoppableStore()

    async def work() -> None:
        step = asyncio.create_task(memory_on(store).aadd(*conversation("U")))
        await asyncio.to_thread(store.began.wait)
        store.goes_on.set()
        assert not step.done()

    asyncio.run(work())
    assert "U" == shown(store.get_messages("user"))
