"""What memories rely on in a store, and the stores that need nothing."""

import asyncio
import gc
import weakref

import pytest

from chatmemory import (
    AsyncAtomicChatMemoryStore,
    AtomicChatMemoryStore,
    Change,
    InMemoryChatMemoryStore,
    MessageWindowChatMemory,
    OffloadingStore,
    UserMessage,
)
from chatmemory._access import _locks_of
from chatmemory._private import PrivateStore
from notation import conversation, shown
from stores_for_tests import (
    AsyncThreeVerbStore,
    PicklingStore,
    ThreeVerbStore,
)


def adding(text: str):
    """Make a change that adds messages."""
    new = conversation(text)
    return lambda state: Change([*state, *new], new)


def no_change(state: list) -> None:
    """Decide that there is nothing to write."""


@pytest.mark.parametrize("kind", [InMemoryChatMemoryStore, PrivateStore])
def test_verbs(kind: type):
    """A store returns what it was given last; deleting is no error at any time."""
    store = kind()
    assert [] == store.get_messages("user")
    store.update_messages("user", conversation("S U1"))
    assert "S U1" == shown(store.get_messages("user"))
    assert "S U1 A1" == shown(store.change_messages("user", adding("A1")))
    assert "S U1 A1" == shown(store.change_messages("user", no_change))
    assert "S U1 A1" == shown(store.get_messages("user"))
    store.update_messages("user", [])
    assert [] == store.get_messages("user")
    store.change_messages("user", adding("U2"))
    store.delete_messages("user")
    store.delete_messages("user")
    assert [] == store.change_messages("user", no_change)


@pytest.mark.parametrize("kind", [InMemoryChatMemoryStore, PrivateStore])
def test_async_verbs(kind: type, runner):
    """They do what their twins do."""
    store = kind()
    runner.run(store.aupdate_messages("user", conversation("U1")))
    after = runner.run(store.achange_messages("user", adding("A1")))
    assert "U1 A1" == shown(after)
    assert "U1 A1" == shown(runner.run(store.aget_messages("user")))
    runner.run(store.adelete_messages("user"))
    assert [] == store.get_messages("user")


def test_ids_are_apart():
    """What is written of one memory is seen in no other."""
    store = InMemoryChatMemoryStore()
    store.update_messages("Alice", conversation("U1"))
    store.change_messages("alice", adding("U2"))
    store.delete_messages("bob")
    assert "U1" == shown(store.get_messages("Alice"))
    assert "U2" == shown(store.get_messages("alice"))


def test_lists_are_not_shared():
    """Neither a list that went in nor one that came out is the store's own."""
    store = InMemoryChatMemoryStore()
    given, made = conversation("U1"), conversation("U1 A1")
    store.update_messages("user", given)
    given.clear()
    store.get_messages("user").clear()
    assert "U1" == shown(store.get_messages("user"))

    def clearing(state: list) -> Change:
        state.clear()
        return Change(made, made)

    store.change_messages("user", clearing).clear()
    made.clear()
    assert "U1 A1" == shown(store.get_messages("user"))
    store.change_messages("user", no_change).clear()
    assert "U1 A1" == shown(store.get_messages("user"))


@pytest.mark.parametrize("kind", [InMemoryChatMemoryStore, PrivateStore])
def test_a_change_that_fails_changes_nothing(kind: type):
    """What it raises passes unchanged, and the next change finds the store as it was."""
    store = kind()
    store.change_messages("user", adding("U1"))
    error = RuntimeError("no such tool")

    def failing(state: list) -> Change:
        raise error

    with pytest.raises(RuntimeError) as caught:
        store.change_messages("user", failing)
    assert error is caught.value
    assert "U1 A1" == shown(store.change_messages("user", adding("A1")))


REPLACEMENTS = [
    ("", "U1 A1", "U1 A1"),
    ("U1 A1", "U1 A1", ""),
    ("U1 A1", "U1 A1 U2", "U2"),
    ("U1 A1 U2 A2", "U2 A2", ""),
    ("S U1 A1 U2 A2", "S U2 A2 U3", "U3"),
    ("U1 A1", "A1 U1", "U1"),
    ("U1 U1", "U1 U1 U1", "U1"),
    ("U1 A1", "U2 A1", "U2 A1"),
]


@pytest.mark.parametrize(("state", "messages", "added"), REPLACEMENTS)
def test_what_is_repeated_is_not_said_again(state: str, messages: str, added: str):
    """What a replacement repeats in order stays the same objects; the rest is new."""
    before, after = conversation(state), conversation(messages)
    change = Change.replacing(before, after)
    assert after == change.messages
    assert added == shown(change.added)
    repeated = change.messages[: len(after) - len(change.added)]
    assert all(any(each is old for old in before) for each in repeated)


class HistoryStore(InMemoryChatMemoryStore):
    """Keeps what each step has said."""

    def __init__(self) -> None:
        super().__init__()
        self.added: list[str] = []

    def change_messages(self, memory_id, change):
        def noted(state):
            result = change(state)
            if result is not None:
                self.added.append(shown(result.added))
            return result

        return super().change_messages(memory_id, noted)


def test_what_is_added_and_evicted_at_once():
    """`Change.added` has all that was said in a step, for stores that keep a history."""
    store = HistoryStore()
    memory = MessageWindowChatMemory(id="user", max_messages=2, store=store)
    memory.add(*conversation("S U1 A1 U2 A2 U3"))
    memory.add(*conversation("S A3"))
    memory.set(*conversation("U4 A4 U5 A5"))
    assert ["S U1 A1 U2 A2 U3", "A3", "U4 A4 U5 A5"] == store.added
    assert "U5 A5" == shown(store.get_messages("user"))


def test_set_says_only_what_is_new():
    """A memory that is set to what it holds, and more, has said only the rest."""
    store = HistoryStore()
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(*conversation("S U1 A[c1] U2"))
    memory.set(*memory.messages(), UserMessage("U3"))
    assert "S U1 A[c1] (c1) U2 U3" == shown(memory.messages())
    memory.set(*memory.messages())
    assert ["S U1 A[c1] U2", "U3", ""] == store.added


def test_one_object_may_be_said_twice():
    """A constant that is said again is said again, and only once."""
    store, again = HistoryStore(), UserMessage("U")
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(again)
    memory.add(again)
    memory.set(again, again, again)
    assert ["U", "U", "U"] == store.added
    assert "U U U" == shown(memory.messages())


@pytest.mark.parametrize(
    ("store", "is_atomic", "is_async_atomic"),
    [
        (InMemoryChatMemoryStore(), True, True),
        (PrivateStore(), True, True),
        (OffloadingStore(ThreeVerbStore()), False, True),
        (ThreeVerbStore(), False, False),
        (AsyncThreeVerbStore(), False, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_protocols(store: object, is_atomic: bool, is_async_atomic: bool):
    """Whether a store is atomic can be asked."""
    assert is_atomic == isinstance(store, AtomicChatMemoryStore)
    assert is_async_atomic == isinstance(store, AsyncAtomicChatMemoryStore)


def test_locks_are_shared():
    """There is one lock for each store object and id, whoever asks for it."""
    one, other = ThreeVerbStore(), ThreeVerbStore()
    locks = _locks_of(one, "user")
    assert locks is _locks_of(one, "user")
    assert locks is not _locks_of(one, "other user")
    assert locks is not _locks_of(other, "user")


def test_equal_stores_share_no_lock():
    """The object counts: stores may be equal, or not hashable."""

    class EqualStore(ThreeVerbStore):
        __hash__ = None

        def __eq__(self, other: object) -> bool:
            return isinstance(other, EqualStore)

    one, other = EqualStore(), EqualStore()
    assert one == other
    locks = [_locks_of(one, "user"), _locks_of(other, "user")]
    assert locks[0] is not locks[1]


def test_locks_go_with_their_memories():
    """A store is not kept alive by what was once done with it."""
    store = PicklingStore()
    memory = MessageWindowChatMemory(id="user", max_messages=3, store=store)
    memory.add(UserMessage("U"))
    alive, locks = weakref.ref(store), weakref.ref(_locks_of(store, "user"))
    del store, memory
    gc.collect()
    assert alive() is None
    assert locks() is None


def test_each_event_loop_has_a_lock():
    """An `asyncio.Lock` belongs to one loop: a memory may be used in one after the other."""
    store = AsyncThreeVerbStore()
    memory = MessageWindowChatMemory(id="user", max_messages=99, store=store)

    async def add_at_once(texts: list[str]) -> None:
        await asyncio.gather(*(memory.aadd(UserMessage(text)) for text in texts))

    asyncio.run(add_at_once(["U1", "U2", "U3"]))
    asyncio.run(add_at_once(["U4", "U5", "U6"]))
    expected = {f"U{number}" for number in range(1, 7)}
    assert expected == {each.text for each in asyncio.run(memory.amessages())}
