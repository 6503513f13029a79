"""What the four verbs do, on every kind of store."""

from uuid import UUID

import pytest

from chatmemory import (
    InMemoryChatMemoryStore,
    InvalidMemoryIdError,
    InvalidMessageError,
    MessageWindowChatMemory,
    TokenWindowChatMemory,
    UserMessage,
)
from notation import conversation, shown
from stores_for_tests import on, opened


def recorded(store) -> list[str]:
    """List the names of a store's verbs as they are called from now on."""
    calls = []

    def recording(name, verb):
        def call(*arguments):
            calls.append(name)
            return verb(*arguments)

        return call

    for verb in ("get", "update", "delete", "change"):
        for name in (f"{verb}_messages", f"a{verb}_messages"):
            if hasattr(store, name):
                setattr(store, name, recording(name, getattr(store, name)))
    return calls


def verbs(store, *names: str) -> list[str]:
    """Return what is called for reading, changing and so on in the store's flavour."""
    flavour = "" if hasattr(store, "get_messages") else "a"
    is_atomic = hasattr(store, f"{flavour}change_messages")
    ways = {
        "get": ["get"],
        "delete": ["delete"],
        "change": ["change"] if is_atomic else ["get", "update"],
        "replace": ["change"] if is_atomic else ["update"],
        "no change": ["change"] if is_atomic else ["get"],
    }
    return [f"{flavour}{verb}_messages" for name in names for verb in ways[name]]


def test_a_new_memory_is_empty(window):
    """Nobody has said anything yet."""
    assert [] == window(3).messages()


def test_messages_come_back_in_order(window):
    """What was added comes back equal, in order, by one or by many."""
    memory = window(10)
    memory.add(*conversation("S U1"))
    memory.add(*conversation("A[c1,c2]"))
    memory.add(*conversation("T:c2 T:c1 A1 U2 C"))
    expected = conversation("S U1 A[c1,c2] T:c2 T:c1 A1 U2 C")
    assert expected == memory.messages()


def test_every_list_is_new(window):
    """Who changes a list that `messages` returned changes no memory."""
    memory = window(10)
    memory.add(*conversation("U A"))
    memory.messages().clear()
    memory.messages().append(UserMessage("not said"))
    assert "U A" == shown(memory.messages())


def test_clear_forgets_all(window):
    """After `clear` a memory is as good as new; it may be cleared again."""
    memory = window(10)
    memory.clear()
    memory.add(*conversation("S U A[c1]"))
    memory.clear()
    memory.clear()
    assert [] == memory.messages()
    memory.add(*conversation("S U1"))
    assert "S U1" == shown(memory.messages())


def test_set_replaces_all(window):
    """`set` leaves what it is given, whatever there was."""
    memory = window(10)
    memory.add(*conversation("S1 U1 A[c1]"))
    memory.set(*conversation("U2 S2 A2"))
    assert "U2 S2 A2" == shown(memory.messages())
    memory.add(*conversation("U3"))
    assert "U2 S2 A2 U3" == shown(memory.messages())


def test_set_evicts_like_add(window):
    """`set` is `clear` and `add`: what exceeds the limit goes."""
    memory = window(3)
    memory.set(*conversation("S U1 A1 U2 A2"))
    assert "S U2 A2" == shown(memory.messages())


def test_set_repeats_what_is_there(window):
    """A memory may be set to its own view, or to part of it."""
    memory = window(10)
    memory.add(*conversation("S U1 A1 U2 A[c1] T:c1"))
    memory.set(*memory.messages())
    assert "S U1 A1 U2 A[c1] T:c1" == shown(memory.messages())
    memory.set(*conversation("S U2 A[c1] T:c1 A2"))
    assert "S U2 A[c1] T:c1 A2" == shown(memory.messages())


def test_set_needs_messages(window):
    """`set()` is more likely a slip than the wish to forget all."""
    memory = window(3)
    memory.add(*conversation("U"))
    with pytest.raises(InvalidMessageError, match=r"use clear\(\) to forget all"):
        memory.set()
    assert "U" == shown(memory.messages())


def test_one_read_and_one_write_for_each_batch(shared_store, runner):
    """A batch of any length costs one read and one write, and `set` one write."""
    memory = on(shared_store, runner, MessageWindowChatMemory, max_messages=3)
    calls = recorded(shared_store)
    memory.add(*conversation("S U1 A1 U2 A2 U3"))
    memory.add(*conversation("A3"))
    memory.messages()
    memory.set(*conversation("U4 A4"))
    memory.clear()
    expected = verbs(shared_store, "change", "change", "get", "replace", "delete")
    assert expected == calls


def test_adding_nothing_asks_no_store(shared_store, runner):
    """`add()` is a no-op, and so is a batch of nothing but placeholders."""
    memory = on(shared_store, runner, MessageWindowChatMemory, max_messages=3)
    calls = recorded(shared_store)
    memory.add()
    memory.add(*conversation("(c1)"))
    assert [] == calls


def test_what_is_there_already_is_not_written(shared_store, runner):
    """The present system message and a repeated result are read, not written."""
    memory = on(shared_store, runner, MessageWindowChatMemory, max_messages=9)
    memory.add(*conversation("S U A[c1] T:c1"))
    calls = recorded(shared_store)
    memory.add(*conversation("S"))
    memory.add(*conversation("T:c1 S T:c1"))
    assert verbs(shared_store, "no change", "no change") == calls
    assert "S U A[c1] T:c1" == shown(memory.messages())


def test_memories_share_a_store(shared_store, runner):
    """What one memory object adds, each other one of the same id shows and goes on from."""
    options = {"max_messages": 4, "runner": runner, "kind": MessageWindowChatMemory}
    one, other = (on(shared_store, **options) for _ in range(2))
    for memory, added, left in [
        (one, "S U1", "S U1"),
        (one, "A1", "S U1 A1"),
        (one, "U2", "S U1 A1 U2"),
        (other, "A[c1]", "S U2 A[c1]"),
        (other, "T:c1", "S U2 A[c1] T:c1"),
        (one, "U3", "S U3"),
    ]:
        memory.add(*conversation(added))
        for each in (one, other, on(shared_store, **options)):
            assert left == shown(each.messages())
    other.clear()
    assert [] == one.messages()


IDS = ["Alice", "alice", "alice ", "\uff41lice", "a'; --", 7, -7, "\N{OWL}" * 255]


@pytest.mark.parametrize("kind", ["three verbs", "in memory", "sqlite file"])
def test_ids_are_apart(kind: str, tmp_path):
    """What is said in one memory of a store is seen in no other."""
    with opened(kind, tmp_path) as store:
        memories = [
            MessageWindowChatMemory(id=memory_id, max_messages=3, store=store)
            for memory_id in IDS
        ]
        for index, memory in enumerate(memories):
            memory.add(UserMessage(f"U{index}"))
        for index, memory in enumerate(memories):
            assert f"U{index}" == shown(memory.messages())


@pytest.mark.parametrize(
    ("memory_id", "text"),
    [
        (1, "1"),
        (-(2**70), "-1180591620717411303424"),
        (
            UUID("9B2BB52C-52AB-4D56-BB4A-2C8D9F5C9A0E"),
            "9b2bb52c-52ab-4d56-bb4a-2c8d9f5c9a0e",
        ),
    ],
)
def test_an_id_and_its_text_are_one_memory(memory_id, text: str):
    """`1` and `"1"` are one memory; the id itself stays what it was."""
    store = InMemoryChatMemoryStore()
    one, other = (
        MessageWindowChatMemory(id=each, max_messages=3, store=store)
        for each in (memory_id, text)
    )
    one.add(UserMessage("U"))
    assert "U" == shown(other.messages())
    assert "U" == shown(store.get_messages(text))
    assert memory_id is one.id


def test_a_memory_without_a_store_needs_no_id():
    """Its id is "default", and no other memory sees its messages."""
    one = MessageWindowChatMemory(max_messages=3)
    other = TokenWindowChatMemory(max_tokens=99, estimator=len)
    one.add(UserMessage("U"))
    assert ("default", "default") == (one.id, other.id)
    assert [] == other.messages()


def test_a_memory_on_a_store_needs_an_id():
    """No two users share a default."""
    store = InMemoryChatMemoryStore()
    with pytest.raises(InvalidMemoryIdError, match=r"pass id=\.\.\."):
        MessageWindowChatMemory(max_messages=3, store=store)
    with pytest.raises(InvalidMemoryIdError, match=r"pass id=\.\.\."):
        TokenWindowChatMemory(max_tokens=3, estimator=len, store=store)


def test_repr():
    """A memory shows its id, its limit and its store, and nothing that was said."""
    memory = MessageWindowChatMemory(
        id="user-42", max_messages=20, store=InMemoryChatMemoryStore()
    )
    memory.add(UserMessage("a secret"))
    expected = (
        "<MessageWindowChatMemory(id='user-42', max_messages=20, "
        "store=InMemoryChatMemoryStore)>"
    )
    assert expected == repr(memory)
    memory = TokenWindowChatMemory(id=7, max_tokens=99, estimator=len)
    expected = "<TokenWindowChatMemory(id=7, max_tokens=99, store=PrivateStore)>"
    assert expected == repr(memory)
