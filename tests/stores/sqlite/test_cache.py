"""What stays decoded, and that nobody is ever shown what is outdated."""

import pytest

from chatmemory import (
    Change,
    ChatMessage,
    MessageWindowChatMemory,
    OrphanToolResultError,
)
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, shown


READ = "SELECT chatmemory_message"
LONG = "U" + "x" * 1_000


class Saying:
    """A change that adds messages, and knows the states that it was made on."""

    def __init__(self, text: str) -> None:
        self.new = conversation(text)
        self.states: list[str] = []

    def __call__(self, state: list[ChatMessage]) -> Change:
        self.states.append(shown(state))
        return Change([*state, *self.new], self.new)


# Outdated states


def test_what_another_process_wrote_is_seen(store, other):
    """A state that was read before is not shown once it is another."""
    store.change_messages("user", Saying("U1 A1"))
    assert "U1 A1" == shown(other.get_messages("user"))
    store.change_messages("user", Saying("U2"))
    assert "U1 A1 U2" == shown(other.get_messages("user"))
    store.delete_messages("user")
    assert [] == other.get_messages("user")


def test_a_change_of_an_outdated_state_is_made_again(store, other):
    """Tried on what was seen last, then made on what is there."""
    store.change_messages("user", Saying("U1"))
    other.change_messages("user", Saying("A1"))
    change = Saying("U2")
    assert "U1 A1 U2" == shown(store.change_messages("user", change))
    assert ["U1", "U1 A1"] == change.states


def test_a_writer_that_comes_between_loses_nothing(store, other):
    """Who writes after a change was decided and before it is written is not undone."""
    store.change_messages("user", Saying("U1"))
    change = Saying("U2")

    def interrupted(state):
        if not change.states:
            other.change_messages("user", Saying("A1"))
        return change(state)

    assert "U1 A1 U2" == shown(store.change_messages("user", interrupted))
    assert ["U1", "U1 A1"] == change.states


def test_a_memory_that_begins_anew_is_another_one(store, other):
    """Deleted and begun again with as many changes, it is not mistaken for the old one."""
    store.change_messages("user", Saying("U1"))
    other.delete_messages("user")
    other.change_messages("user", Saying("U2"))
    change = Saying("A2")
    assert "U2 A2" == shown(store.change_messages("user", change))
    assert (
        "U2 A2"
        == shown(store.get_messages("user"))
        == shown(other.get_messages("user"))
    )


def test_a_deleted_memory_begins_anew(store, other):
    """A change that was tried on a state that is gone is made on an empty memory."""
    store.change_messages("user", Saying("U1"))
    other.delete_messages("user")
    assert "U2" == shown(store.change_messages("user", Saying("U2")))


def test_an_error_on_an_outdated_state_means_nothing(store, other):
    """A result whose call another process added is no orphan."""
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(*conversation("U"))
    other.change_messages("user", Saying("A[c1]"))
    memory.add(*conversation("T:c1"))
    assert "U A[c1] T:c1" == shown(other.get_messages("user"))


def test_an_error_on_the_present_state_is_raised(store, other):
    """An orphan is one, whatever was tried before."""
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(*conversation("U A[c1]"))
    other.change_messages("user", Saying("T:c1"))
    with pytest.raises(OrphanToolResultError) as caught:
        memory.add(*conversation("T:c1=again"))
    assert "already answered" == caught.value.reason


def test_nothing_to_do_on_an_outdated_state_means_nothing(store, other):
    """A system message that another process replaced is not there already."""
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(*conversation("S1"))
    MessageWindowChatMemory(id="user", max_messages=9, store=other).add(
        *conversation("S2")
    )
    memory.add(*conversation("S1"))
    assert "S1" == shown(other.get_messages("user"))


def test_only_what_is_new_is_fetched(store, other, database):
    """Messages that are decoded already are not looked at again."""
    store.change_messages("user", Saying("U1 A1"))
    other.get_messages("user")
    database.execute("UPDATE chatmemory_message SET body = 'not looked at'")
    store.change_messages("user", Saying("U2 A2"))
    assert "U1 A1 U2 A2" == shown(other.get_messages("user"))


# Bounds


def test_a_cached_memory_is_not_fetched_again(store, statements):
    """Reading what was just written or read needs none of its messages."""
    store.update_messages("user", conversation("U A"))
    statements.clear()
    store.get_messages("user")
    store.get_messages("user")
    assert READ not in statements


def test_a_cache_of_nothing(url, statements):
    """With no bytes to keep, each read fetches the messages, and changes work as well."""
    with SqlChatMemoryStore.from_url(url, cache_bytes=0) as store:
        store.change_messages("user", Saying("U1"))
        store.change_messages("user", Saying("A1"))
        statements.clear()
        assert "U1 A1" == shown(store.get_messages("user"))
        assert "U1 A1" == shown(store.get_messages("user"))
        assert 2 == statements.count(READ)


def test_a_memory_larger_than_the_cache_is_not_kept(url, statements):
    """It takes no other's place, and reading it costs what reading costs."""
    with SqlChatMemoryStore.from_url(url, cache_bytes=5_000) as store:
        store.update_messages("small", conversation(LONG))
        store.update_messages("large", conversation(f"{LONG} " * 9))
        statements.clear()
        store.get_messages("small")
        assert READ not in statements
        store.get_messages("large")
        store.get_messages("large")
        assert 2 == statements.count(READ)


def test_what_was_used_longest_ago_goes_first(url, statements):
    """The cache holds a few memories, those in use among them."""
    with SqlChatMemoryStore.from_url(url, cache_bytes=5_000) as store:
        for memory_id in ("a", "b", "c"):
            store.update_messages(memory_id, conversation(LONG))
        store.get_messages("a")
        store.update_messages("d", conversation(LONG))
        statements.clear()
        for memory_id in ("a", "c", "d"):
            store.get_messages(memory_id)
        assert READ not in statements
        store.get_messages("b")
        assert 1 == statements.count(READ)


def test_a_memory_that_grows_takes_more_of_the_cache(url, statements):
    """What a memory takes is counted anew with each change."""
    with SqlChatMemoryStore.from_url(url, cache_bytes=5_000) as store:
        store.update_messages("other", conversation(LONG))
        store.change_messages("user", Saying(LONG))
        store.change_messages("user", Saying(LONG))
        statements.clear()
        store.get_messages("other")
        assert 0 == statements.count(READ)
        store.change_messages("user", Saying(LONG))
        store.get_messages("other")
        assert 1 == statements.count(READ)


def test_a_deleted_memory_leaves_the_cache(url, statements):
    """What is deleted makes room."""
    with SqlChatMemoryStore.from_url(url, cache_bytes=5_000) as store:
        for memory_id in ("a", "b", "c"):
            store.update_messages(memory_id, conversation(LONG))
        store.delete_messages("b")
        store.update_messages("d", conversation(LONG))
        statements.clear()
        store.get_messages("a")
        assert READ not in statements
