"""
What LangChain4j expects of any memory, of both windows, and of its in-memory stores.

The tests are named after those there, which are (c) the authors of LangChain4j,
Apache-2.0. What differs, and why:

- `chat_memory_set_uses_reduced_store_ops` wants a read and a write for each message that
  is added; here a batch is atomic, so it is one read and one write.
- `should_set_...` of ChatMemoryTest want `clear` to be called and then `add`; here `set`
  is one write, so that nobody sees the memory empty.
- null has no place among arguments: None is no message. A list is passed as `*list`.
"""

import threading

from concurrent.futures import ThreadPoolExecutor

import pytest

from chatmemory import (
    ChatMemoryProvider,
    InMemoryChatMemoryStore,
    MessageTypeError,
    MessageWindowChatMemory,
    TokenWindowChatMemory,
)
from chatmemory._private import PrivateStore
from langchain4j_tokens import LangChain4jEstimator, costing
from notation import conversation, shown
from stores_for_tests import ThreeVerbStore


def messages_of(room: int, **options):
    """Make a message window with room for some messages."""
    return MessageWindowChatMemory(max_messages=room, eviction="sliding", **options)


def tokens_of(room: int, **options):
    """Make a token window with room for some messages of ten tokens."""
    limit = 3 + 10 * room
    return TokenWindowChatMemory(
        max_tokens=limit,
        estimator=LangChain4jEstimator(),
        eviction="sliding",
        **options,
    )


both_windows = pytest.mark.parametrize("window", [messages_of, tokens_of])


@both_windows
def test_id(window):
    """id: it is "default" unless one is given."""
    assert "default" == window(1).id
    assert "abc" == window(1, id="abc").id


@both_windows
@pytest.mark.parametrize("verb", ["add", "set"])
def test_several_messages(window, verb: str):
    """ChatMemoryTest: `add` and `set` take several messages, or all of an iterable."""
    for messages in (conversation("U1 A1"), iter(conversation("U1 A1"))):
        memory = window(9)
        getattr(memory, verb)(*messages)
        assert "U1 A1" == shown(memory.messages())


@both_windows
def test_adding_nothing(window):
    """ChatMemoryTest: `add` of no messages, or of an empty list, is a no-op."""
    memory = window(9)
    memory.add(*conversation("U1"))
    memory.add()
    memory.add(*[])
    assert "U1" == shown(memory.messages())


@both_windows
def test_set_replaces(window):
    """ChatMemoryTest: after `set` nothing is left of what there was."""
    memory = window(9)
    memory.add(*conversation("U1"))
    memory.set(*conversation("U2 A2"))
    assert "U2 A2" == shown(memory.messages())


@both_windows
@pytest.mark.parametrize("nothing", [(), [], iter([])])
def test_set_of_nothing(window, nothing):
    """ChatMemoryTest: `set` of no messages is an illegal argument and changes nothing."""
    memory = window(9)
    memory.add(*conversation("U1"))
    with pytest.raises(ValueError, match=r"set\(\) needs messages"):
        memory.set(*nothing)
    assert "U1" == shown(memory.messages())


@both_windows
@pytest.mark.parametrize("verb", ["add", "set"])
def test_null(window, verb: str):
    """ChatMemoryTest: null is refused by `set`, and here by `add` as well."""
    memory = window(9)
    memory.add(*conversation("U1"))
    with pytest.raises(MessageTypeError, match="NoneType"):
        getattr(memory, verb)(None)
    assert "U1" == shown(memory.messages())


class HitCountStore(ThreeVerbStore):
    """Counts its reads, writes and deletions."""

    def __init__(self) -> None:
        super().__init__()
        self.hits = {"get": 0, "update": 0, "delete": 0}

    def get_messages(self, memory_id: str):
        self.hits["get"] += 1
        return super().get_messages(memory_id)

    def update_messages(self, memory_id: str, messages) -> None:
        self.hits["update"] += 1
        super().update_messages(memory_id, messages)

    def delete_messages(self, memory_id: str) -> None:
        self.hits["delete"] += 1
        super().delete_messages(memory_id)

    def taken(self) -> tuple[int, ...]:
        """Return the counts since the last time."""
        hits = tuple(self.hits.values())
        self.hits = dict.fromkeys(self.hits, 0)
        return hits


@both_windows
def test_chat_memory_set_uses_reduced_store_ops(window):
    """chat_memory_set_uses_reduced_store_ops: and a batch is one read and one write."""
    store = HitCountStore()
    memory = window(3, id="default", store=store)
    memory.add(*conversation("U1 A1 A2"))
    assert (1, 1, 0) == store.taken()  # (3, 3, 0) in LangChain4j
    memory.messages()
    assert (1, 0, 0) == store.taken()
    memory.set(*conversation("U2 A3"))
    assert (0, 1, 0) == store.taken()


@both_windows
def test_set_with_varargs_should_not_throw_when_eviction_is_needed(window):
    """set_with_varargs_should_not_throw_when_eviction_is_needed: the newest stay."""
    memory = window(2)
    memory.set(*costing("U1x10 U2x10 U3x10"))
    assert costing("U2x10 U3x10") == memory.messages()


@both_windows
def test_set_with_list_should_not_mutate_or_alias_the_caller_provided_list(window):
    """set_with_list_should_not_...: the caller's list stays its own."""
    memory = window(2)
    given = costing("U1x10 U2x10 U3x10")
    memory.set(*given)
    assert costing("U1x10 U2x10 U3x10") == given
    given.extend(costing("U4x10"))
    assert costing("U2x10 U3x10") == memory.messages()


@pytest.mark.parametrize("kind", [InMemoryChatMemoryStore, PrivateStore])
def test_in_memory_stores(kind: type):
    """InMemoryChatMemoryStoreTest, SingleSlotChatMemoryStoreTest: each verb in turn."""
    store = kind()
    assert [] == store.get_messages("foo")
    store.update_messages("foo", conversation("U A"))
    assert conversation("U A") == store.get_messages("foo")
    store.delete_messages("foo")
    assert [] == store.get_messages("foo")


def test_should_create_only_one_default_chat_memory_under_concurrent_load():
    """ChatMemoryServiceConcurrencyTest: ten threads get the same object, made once."""
    made = []
    start = threading.Barrier(10)

    def factory(memory_id):
        made.append(memory_id)
        return messages_of(10, id=memory_id)

    provider = ChatMemoryProvider(factory)

    def get(_number: int):
        start.wait()
        return provider.get("default")

    with ThreadPoolExecutor(10) as threads:
        memories = list(threads.map(get, range(10)))
    assert ["default"] == made
    assert 1 == len(set(map(id, memories)))


@pytest.mark.parametrize(
    ("limit", "calls", "rounds"), [(3, "c{}", 4), (2, ":now", 2), (2, ":now", 4)]
)
def test_a_tool_loop_that_evicts_the_question(limit: int, calls: str, rounds: int):
    """SkillsStreamingMemoryEvictionTest, DynamicToolProviderMemoryEvictionTest: it ends."""
    memory = messages_of(limit)
    memory.add(*conversation("S U" if limit == 3 else "U"))
    for number in range(rounds):
        call = calls.format(number)
        memory.add(*conversation(f"A[{call}]"))
        memory.add(*conversation(f"T:{call}"))
        assert f"A[{call}] T:{call}" in shown(memory.messages())
    memory.add(*conversation("A12"))
    assert "A12" == shown(memory.messages()[-1:])
