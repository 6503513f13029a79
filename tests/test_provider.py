"""One memory object for each id."""

import threading

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from chatmemory import (
    ChatMemoryProvider,
    InMemoryChatMemoryStore,
    InvalidMemoryIdError,
    InvalidOptionError,
    MemoryId,
    MessageWindowChatMemory,
    UserMessage,
)
from notation import shown


def memory_of(memory_id: MemoryId) -> MessageWindowChatMemory:
    return MessageWindowChatMemory(id=memory_id, max_messages=3)


def test_each_id_has_its_memory():
    """Asked again, the provider returns the same object; ids are apart."""
    provider = ChatMemoryProvider(memory_of)
    alice, bob = provider.get("alice"), provider.get("bob")
    assert ("alice", "bob") == (alice.id, bob.id)
    assert alice is provider.get("alice")
    alice.add(UserMessage("U"))
    assert [] == bob.messages()


@pytest.mark.parametrize("memory_id", [1, UUID(int=1)])
def test_an_id_and_its_text_are_one(memory_id: MemoryId):
    """`1` and `"1"` have one memory; the factory sees the id as it was given."""
    asked = []

    def factory(each: MemoryId) -> MessageWindowChatMemory:
        asked.append(each)
        return memory_of(str(each))

    provider = ChatMemoryProvider(factory)
    assert provider.get(memory_id) is provider.get(str(memory_id))
    assert [memory_id] == asked
    assert provider.evict(str(memory_id))


def test_a_memory_is_made_once_under_threads():
    """Whoever comes while it is made waits for it and gets the same object."""
    callers, made = 16, []
    barrier = threading.Barrier(callers)

    def factory(memory_id: MemoryId) -> MessageWindowChatMemory:
        made.append(memory_of(memory_id))
        return made[-1]

    provider = ChatMemoryProvider(factory)

    def get(_: int) -> MessageWindowChatMemory:
        barrier.wait()
        return provider.get("user")

    with ThreadPoolExecutor(callers) as pool:
        got = list(pool.map(get, range(callers)))
    assert made * callers == got


def test_other_ids_do_not_wait():
    """While a factory works for one id, the memory of another can be made."""
    began, goes_on = threading.Event(), threading.Event()

    def factory(memory_id: MemoryId) -> MessageWindowChatMemory:
        if memory_id == "slow":
            began.set()
            goes_on.wait()
        return memory_of(memory_id)

    provider = ChatMemoryProvider(factory)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(provider.get, "slow")
        began.wait()
        assert "fast" == provider.get("fast").id
        assert not slow.done()
        goes_on.set()
        assert "slow" == slow.result().id


def test_evict_forgets_the_object_not_the_messages():
    """The next `get` makes a memory that goes on from what is stored."""
    store = InMemoryChatMemoryStore()
    provider = ChatMemoryProvider(
        lambda memory_id: MessageWindowChatMemory(
            id=memory_id, max_messages=3, store=store
        )
    )
    first = provider.get("user")
    first.add(UserMessage("U"))
    assert provider.evict("user")
    assert not provider.evict("user")
    assert not provider.evict("nobody")
    second = provider.get("user")
    assert first is not second
    assert "U" == shown(second.messages())


def test_a_factory_that_fails_is_asked_again():
    """What it raises passes unchanged; nothing is remembered of it."""
    errors = [OSError("no connection")]

    def factory(memory_id: MemoryId) -> MessageWindowChatMemory:
        if errors:
            raise errors[0]
        return memory_of(memory_id)

    provider = ChatMemoryProvider(factory)
    with pytest.raises(OSError, match="no connection") as caught:
        provider.get("user")
    assert errors.pop() is caught.value
    assert not provider.evict("user")
    assert provider.get("user") is provider.get("user")


def test_a_factory_must_pass_the_id_on():
    """A factory that forgets the id would show one user what another one said."""
    provider = ChatMemoryProvider(
        lambda _memory_id: MessageWindowChatMemory(max_messages=3)
    )
    with pytest.raises(InvalidMemoryIdError) as caught:
        provider.get("alice")
    expected = (
        "the factory was asked for the memory of 'alice' and returned that of "
        "'default': pass the id on to the memory"
    )
    assert expected == str(caught.value)
    assert not provider.evict("alice")
    assert "default" == provider.get("default").id


def test_a_factory_makes_memories():
    """What is no function, or returns no memory, is refused."""
    with pytest.raises(InvalidOptionError) as caught:
        ChatMemoryProvider(None)
    expected = "factory must be a function from a memory id to its memory: None"
    assert expected == str(caught.value)
    provider = ChatMemoryProvider(lambda _memory_id: None)
    with pytest.raises(InvalidOptionError) as caught:
        provider.get("alice")
    expected = (
        "the factory was asked for the memory of 'alice' and returned NoneType: return "
        "a memory"
    )
    assert expected == str(caught.value)


@pytest.mark.parametrize("memory_id", [True, "", None, 1.5])
def test_bad_ids(memory_id: object):
    """What can't be a memory's id is refused before the factory is asked."""
    provider = ChatMemoryProvider(memory_of)
    with pytest.raises(InvalidMemoryIdError):
        provider.get(memory_id)
    with pytest.raises(InvalidMemoryIdError):
        provider.evict(memory_id)
