"""Eight threads on one memory, each step interrupted where it hurts."""

import threading
import time

from concurrent.futures import ThreadPoolExecutor

import pytest

from batches import MEMORY_ID, batch, check_chain, check_whole, memory_on
from chatmemory import Change, ChatMessage, InMemoryChatMemoryStore
from chatmemory.store import Changing
from chatmemory_stores.sql import SqlChatMemoryStore
from stores_for_tests import ThreeVerbStore


WRITERS = 8
BATCHES = 500
WINDOW = 20

pytestmark = pytest.mark.usefixtures("impatient_threads")


class RecordingInMemoryStore(InMemoryChatMemoryStore):
    """Keeps each state and all that was said, and lets others go on in mid-change."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[list[ChatMessage]] = []
        self.said: list[ChatMessage] = []

    def change_messages(self, memory_id: str, change: Changing, /) -> list[ChatMessage]:
        def recorded(state: list[ChatMessage]) -> Change | None:
            time.sleep(0)
            changed = change(state)
            time.sleep(0)
            assert changed is not None
            self.states.append(changed.messages)
            self.said.extend(changed.added)
            return changed

        return super().change_messages(memory_id, recorded)


class RecordingThreeVerbStore(ThreeVerbStore):
    """Keeps each state, and lets others go on between reading and writing."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[list[ChatMessage]] = []

    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        state = super().get_messages(memory_id)
        time.sleep(0)
        return state

    def update_messages(self, memory_id: str, messages: list[ChatMessage]) -> None:
        time.sleep(0)
        super().update_messages(memory_id, messages)
        self.states.append(messages)

    @property
    def said(self) -> list[ChatMessage]:
        """The end of each state: what was new in it."""
        return [message for state in self.states for message in state[-2:]]


def write_all(store, window: int = WINDOW) -> None:
    """Let all threads loose at once, on two memory objects of the same memory."""
    memories = [memory_on(store, window) for _ in range(2)]
    barrier = threading.Barrier(WRITERS)

    def write(writer: int) -> None:
        barrier.wait()
        for number in range(BATCHES):
            memories[writer % 2].add(*batch(writer, number))

    with ThreadPoolExecutor(WRITERS) as pool:
        for done in [pool.submit(write, writer) for writer in range(WRITERS)]:
            done.result()


@pytest.mark.parametrize("kind", [RecordingInMemoryStore, RecordingThreeVerbStore])
def test_nothing_is_lost_doubled_or_torn(kind):
    """Batches are whole, each state goes on from the last, and the view is its end."""
    store = kind()
    write_all(store)
    check_whole(store.said, writers=WRITERS, batches=BATCHES)
    check_chain(store.states, window=WINDOW)
    assert store.said[-WINDOW:] == memory_on(store, WINDOW).messages()


def test_nothing_is_lost_doubled_or_torn_on_sqlite(engine):
    """Batches are whole in the history, of which the view is the end."""
    store = SqlChatMemoryStore(engine, keep_history=True)
    store.create_tables()
    write_all(store)
    said = [entry.message for entry in store.history(MEMORY_ID, limit=10_000)]
    check_whole(said, writers=WRITERS, batches=BATCHES)
    assert said[-WINDOW:] == memory_on(store, WINDOW).messages()


class MeetingStore(ThreeVerbStore):
    """Holds whoever has read until somebody else has read, too, or a while is over."""

    def __init__(self) -> None:
        super().__init__()
        self.barrier = threading.Barrier(2)
        self.is_armed = False
        self.have_met = False

    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        state = super().get_messages(memory_id)
        if self.is_armed:
            try:
                self.barrier.wait(timeout=0.2)
                self.have_met = True
            except threading.BrokenBarrierError:  # alone, as it should be
                pass
        return state


def test_no_two_read_before_they_write():
    """On a plain store the lock is held from reading to writing, by all memories on it."""
    store = MeetingStore()
    memories = [memory_on(store, WINDOW) for _ in range(2)]
    store.is_armed = True
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda n: memories[n].add(*batch(n)), range(2)))
    assert not store.have_met
    check_whole(store.lists[MEMORY_ID], writers=2, batches=1)
