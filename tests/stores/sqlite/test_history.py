"""The history: all that was said, page by page, beside the memory."""

from datetime import UTC, datetime

import pytest

from chatmemory import (
    Change,
    InvalidMessageError,
    InvalidOptionError,
    MessageDecodeError,
    MessageWindowChatMemory,
)
from chatmemory_stores.sql import HistoryEntry, SqlChatMemoryStore
from notation import conversation, shown


@pytest.fixture
def store(url):
    """Open a store that keeps what leaves the memories."""
    with SqlChatMemoryStore.from_url(url, keep_history=True) as store:
        yield store


@pytest.fixture
def memory(store):
    """Make a window of two messages."""
    return MessageWindowChatMemory(id="user", max_messages=2, store=store)


def said(store: SqlChatMemoryStore, **page) -> str:
    """Show a page of the history."""
    return shown(entry.message for entry in store.history("user", **page))


def test_what_was_evicted_is_in_it(store, memory):
    """The memory is the end of the history."""
    memory.add(*conversation("U1 A1"))
    memory.add(*conversation("U2 A2"))
    assert "U2 A2" == shown(memory.messages())
    assert "U1 A1 U2 A2" == said(store)


def test_what_was_said_and_evicted_at_once_is_in_it(store, memory):
    """A batch that is longer than the window is in the history whole."""
    memory.add(*conversation("U1 A1 U2 A2 U3 A3"))
    assert "U3 A3" == shown(memory.messages())
    assert "U1 A1 U2 A2 U3 A3" == said(store)


def test_a_replaced_system_message_is_in_it(store, memory):
    """It was said, although nobody is shown it any more."""
    memory.add(*conversation("S1 U1"))
    memory.add(*conversation("S2"))
    assert "S1 U1 S2" == said(store)


def test_set_says_what_is_new(store, memory):
    """What `set` repeats is not said again."""
    memory.add(*conversation("U1 A1"))
    memory.set(*conversation("U1 A2"))
    assert "U1 A1 A2" == said(store)


@pytest.mark.parametrize("number", [1, 40])
def test_clear_does_not_touch_it(store, memory, number):
    """Whoever clears a memory keeps what was said, however much that is."""
    memory.add(*conversation("U A " * number))
    memory.clear()
    assert [] == memory.messages()
    memory.add(*conversation("U1"))
    assert "U1" == shown(memory.messages())
    assert 2 * number + 1 == len(store.history("user"))


def test_clearing_nothing_says_nothing(store):
    """An unknown id, or an empty memory, stays what it is."""
    store.delete_messages("user")
    assert [] == store.history("user")
    store.update_messages("user", conversation("U"))
    store.delete_messages("user")
    store.delete_messages("user")
    assert "U" == said(store)


def test_pages(store, memory):
    """A page ends before the first entry of the one that was read before it."""
    memory.add(*conversation("U1 A1 U2 A2 U3"))
    last = store.history("user", limit=2)
    assert "A2 U3" == shown(entry.message for entry in last)
    middle = store.history("user", before=last[0].position, limit=2)
    assert "A1 U2" == shown(entry.message for entry in middle)
    assert "U1" == said(store, before=middle[0].position, limit=2)
    assert "" == said(store, before=0)


def test_entries(store, memory):
    """An entry says where it stands and when it was written, in UTC."""
    start = datetime.now(UTC)
    memory.add(*conversation("U1"))
    memory.add(*conversation("A1"))
    first, second = store.history("user")
    assert isinstance(first, HistoryEntry)
    assert first.position < second.position
    assert start <= first.created_at <= second.created_at <= datetime.now(UTC)


def test_it_is_of_one_memory(store, memory):
    """Nobody reads what another one said, and an unknown id said nothing."""
    memory.add(*conversation("U1"))
    store.update_messages("another", conversation("U2"))
    assert "U1" == said(store)
    assert [] == store.history("nobody")


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_page_has_a_size(store, limit):
    """A limit that can't be meant is refused."""
    with pytest.raises(InvalidOptionError, match=f"from 1 to 10000: {limit}"):
        store.history("user", limit=limit)


def test_forget_leaves_no_trace(store, memory, database):
    """Memory and history are gone, of that id only."""
    memory.add(*conversation("U1 A1 U2"))
    store.update_messages("another", conversation("U"))
    store.forget("user")
    assert [] == store.history("user")
    assert [] == memory.messages()
    rows = database.execute("SELECT memory_id FROM chatmemory").fetchall()
    assert [("another",)] == rows
    assert [(1,)] == database.execute(
        "SELECT count(*) FROM chatmemory_message"
    ).fetchall()


def test_forgetting_nobody_is_nothing(store):
    """An unknown id is a no-op."""
    store.forget("nobody")


def test_nothing_that_is_kept_is_deleted(store, memory, statements):
    """With history no row of a message ever goes."""
    for number in range(100):
        memory.add(*conversation(f"U{number} A{number}"))
    assert not [taken for taken in statements.taken() if taken.startswith("DELETE")]
    assert 200 == len(store.history("user", limit=1_000))


def test_a_change_has_to_say_what_it_adds(store):
    """A new message that is not among the added ones would be missing in the history."""
    new = conversation("U1 A1")
    with pytest.raises(InvalidMessageError, match=r"Change\.added"):
        store.change_messages("user", lambda _state: Change(new, new[:1]))
    assert [] == store.history("user")


def test_a_corrupt_row_is_named(store, memory, database):
    """History skips nothing either."""
    memory.add(*conversation("U1 A1 U2"))
    database.execute("UPDATE chatmemory_message SET body = '' WHERE position = 0")
    with pytest.raises(MessageDecodeError) as caught:
        store.history("user")
    assert ("user", 0) == (caught.value.memory_id, caught.value.position)
