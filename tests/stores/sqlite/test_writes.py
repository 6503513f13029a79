"""A change costs what it changes: which statements are sent, and which rows they touch."""

import pytest

from chatmemory import Change, MessageWindowChatMemory
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, shown


WINDOW = 10
ROWS = "SELECT position, created_at, body FROM chatmemory_message ORDER BY position"


@pytest.fixture
def memory(store):
    """Make a window that is full."""
    memory = MessageWindowChatMemory(id="user", max_messages=WINDOW, store=store)
    memory.add(*conversation("U1 A1 U2 A2 U3 A3 U4 A4 U5 A5"))
    return memory


def test_an_add_to_a_full_window_writes_the_new_rows(memory, statements):
    """Nothing is read, the memory's row moves on, and two rows are new."""
    memory.add(*conversation("U6 A6"))
    assert [
        "BEGIN",
        "UPDATE chatmemory",
        "INSERT chatmemory_message x2",
        "COMMIT",
    ] == statements.taken()
    assert "U2 A2 U3 A3 U4 A4 U5 A5 U6 A6" == shown(memory.messages())


def test_rows_are_written_once(memory, database):
    """A message that stays has the row that it was written with, to the last byte."""
    before = database.execute(ROWS).fetchall()
    memory.add(*conversation("U6 A6"))
    after = database.execute(ROWS).fetchall()
    assert before == after[: len(before)]
    assert len(before) + 2 == len(after)


@pytest.mark.parametrize("first", ["", "S"])
def test_evicted_rows_go_in_blocks(store, database, statements, first):
    """Each eviction is not a DELETE of its own, but what is evicted does not pile up."""
    memory = MessageWindowChatMemory(id="user", max_messages=WINDOW, store=store)
    memory.add(*conversation(first))
    statements.clear()
    for number in range(100):
        memory.add(*conversation(f"U{number} A{number}"))
    deletes = [taken for taken in statements.taken() if taken.startswith("DELETE")]
    assert 0 < len(deletes) <= 10
    (rows,) = database.execute("SELECT count(*) FROM chatmemory_message").fetchone()
    assert rows < WINDOW + 40
    assert f"{first} U99 A99".split() == [
        *shown(memory.messages()).split()[: len(first)],
        *shown(memory.messages()).split()[-2:],
    ]


def test_an_unchanged_memory_is_read_by_one_select(memory, statements):
    """What is cached needs no messages from the database, only the word that it holds."""
    memory.messages()
    assert ["SELECT chatmemory"] == statements.taken()


def test_an_unknown_memory_is_read_by_one_select(store, statements):
    """An id that there is nothing of costs no more."""
    assert [] == store.get_messages("nobody")
    assert ["SELECT chatmemory"] == statements.taken()


@pytest.mark.parametrize("is_cached", [True, False])
def test_what_changes_nothing_writes_nothing(url, statements, is_cached):
    """The same system message again is no write, whether the state is known or not."""
    with SqlChatMemoryStore.from_url(url) as store:
        memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
        memory.add(*conversation("S U"))
    with SqlChatMemoryStore.from_url(url) as store:
        memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
        if is_cached:
            memory.messages()
        statements.clear()
        memory.add(*conversation("S"))
        written = {"UPDATE", "INSERT", "DELETE"}
        assert not written & {taken.split()[0] for taken in statements.taken()}


def test_a_change_of_nobody_that_changes_nothing_leaves_no_row(store, database):
    """A first step that decides against itself leaves no trace of the id."""
    assert [] == store.change_messages("nobody", lambda _state: None)
    assert [] == database.execute("SELECT * FROM chatmemory").fetchall()


def test_another_system_message_moves_to_the_end(store, database):
    """A replaced message is gone, and the rest keeps its rows."""
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(*conversation("S1 U1 A1"))
    before = database.execute(ROWS).fetchall()
    memory.add(*conversation("S2"))
    assert "U1 A1 S2" == shown(memory.messages())
    after = database.execute(ROWS).fetchall()
    assert before[1:] == [row for row in after if row in before[1:]]


def test_update_keeps_the_rows_that_it_repeats(store, statements):
    """What a whole state has in common with the stored one is not written again."""
    store.update_messages("user", conversation("S U1 A1 U2"))
    statements.clear()
    store.update_messages("user", conversation("S U1 U2 A2 U3"))
    assert "INSERT chatmemory_message x2" in statements.taken()
    assert "S U1 U2 A2 U3" == shown(store.get_messages("user"))


def test_update_to_the_same_writes_no_message(store, statements):
    """A whole state that is there already needs no row."""
    store.update_messages("user", conversation("S U1 A1"))
    statements.clear()
    store.update_messages("user", conversation("S U1 A1"))
    assert not [taken for taken in statements.taken() if "INSERT" in taken]


def test_update_takes_any_sequence(store):
    """The messages need not be in a list."""
    store.update_messages("user", tuple(conversation("U A")))
    assert "U A" == shown(store.get_messages("user"))


def test_messages_in_the_middle_may_go(store, other):
    """A change drops what it likes, and another process sees the same."""
    store.update_messages("user", conversation("U1 A1 U2 A2 U3 A3 U4"))
    new = conversation("A4")

    def every_other(state):
        return Change([*state[::2], *new], new)

    after = store.change_messages("user", every_other)
    assert "U1 U2 U3 U4 A4" == shown(after) == shown(other.get_messages("user"))
    after = other.change_messages("user", every_other)
    assert "U1 U3 A4 A4" == shown(after) == shown(store.get_messages("user"))


def test_a_memory_may_become_empty(store, other):
    """An empty memory is not an unknown one, and goes on like any other."""
    store.update_messages("user", conversation("U1 A1"))
    store.update_messages("user", [])
    assert [] == store.get_messages("user") == other.get_messages("user")
    other.update_messages("user", conversation("U2"))
    assert "U2" == shown(store.get_messages("user"))


def test_what_is_returned_is_the_callers_own(store):
    """Whoever changes a list that the store returned changes nothing in the store."""
    new = conversation("U")
    state = store.change_messages("user", lambda _state: Change(new, new))
    new.clear()
    state.clear()
    store.get_messages("user").clear()
    assert "U" == shown(store.get_messages("user"))
