"""Stores that are none, break their contract, or fail."""

import pytest

from chatmemory import (
    AiMessage,
    ChatMessage,
    InMemoryChatMemoryStore,
    InvalidStoreError,
    MessageTypeError,
    MessageWindowChatMemory,
    OffloadingStore,
)
from notation import conversation, shown
from stores_for_tests import AsyncThreeVerbStore, ThreeVerbStore


SECRET = "what nobody but the model may read"


class CallerError(Exception):
    """What a caller's own code raises."""


class WithoutUpdate:
    def get_messages(self, memory_id: str) -> list[ChatMessage]:
        return []

    def delete_messages(self, memory_id: str) -> None:
        pass


class WithoutGet:
    async def aupdate_messages(self, memory_id: str, messages: object) -> None:
        pass

    async def adelete_messages(self, memory_id: str) -> None:
        pass


class WithAsyncVerb(ThreeVerbStore):
    async def update_messages(self, memory_id: str, messages: object) -> None:
        pass


class WithAsyncChange(ThreeVerbStore):
    async def change_messages(self, memory_id: str, change: object) -> None:
        pass


NO_STORES = [
    (
        "sqlite:///chat.db",
        (
            "str is no store, it lacks get_messages, update_messages, delete_messages: see "
            "ChatMemoryStore"
        ),
    ),
    (
        WithoutUpdate(),
        "WithoutUpdate is no store, it lacks update_messages: see ChatMemoryStore",
    ),
    (
        WithoutGet(),
        "WithoutGet is no store, it lacks aget_messages: see ChatMemoryStore",
    ),
    (
        ThreeVerbStore,
        "store is the class ThreeVerbStore: pass an object of it",
    ),
    (
        WithAsyncVerb(),
        (
            "WithAsyncVerb.update_messages is async: name it aupdate_messages, see "
            "AsyncChatMemoryStore"
        ),
    ),
    (
        WithAsyncChange(),
        (
            "WithAsyncChange.change_messages is async: name it achange_messages, see "
            "AsyncChatMemoryStore"
        ),
    ),
]


@pytest.mark.parametrize(("store", "expected"), NO_STORES)
def test_stores(store: object, expected: str):
    """What is no store is refused when the memory is made, with what it lacks."""
    with pytest.raises(InvalidStoreError) as caught:
        MessageWindowChatMemory(id="user", max_messages=3, store=store)
    assert expected == str(caught.value)
    with pytest.raises(InvalidStoreError) as caught:
        OffloadingStore(store)
    assert expected == str(caught.value)


def test_an_async_store_needs_no_threads():
    """A store that has no sync verbs is not one to move to a thread."""
    with pytest.raises(InvalidStoreError) as caught:
        OffloadingStore(AsyncThreeVerbStore())
    assert "AsyncThreeVerbStore is async already: use it as it is" == str(caught.value)


class Forgetful(ThreeVerbStore):
    """Returns something else than a list for a memory that it does not know."""

    def __init__(self, answer: object) -> None:
        super().__init__()
        self.answer = answer

    def get_messages(self, memory_id: str) -> object:
        return self.answer


class AsyncForgetful(AsyncThreeVerbStore):
    """Same as `Forgetful`, but awaited."""

    async def aget_messages(self, memory_id: str) -> object:
        return None


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(None, "NoneType"), ("[]", "str"), (b"", "bytes"), ({}, "dict")],
)
def test_what_stores_return(answer: object, kind: str):
    """A store returns a list, an empty one for an unknown id; `None` is an error."""
    memory = MessageWindowChatMemory(id="user", max_messages=3, store=Forgetful(answer))
    expected = (
        f"Forgetful returned {kind} instead of a list of messages: return [] for a "
        "memory id that it does not know"
    )
    for step in (lambda: memory.add(*conversation("U")), memory.messages):
        with pytest.raises(InvalidStoreError) as caught:
            step()
        assert expected == str(caught.value)


def test_what_async_stores_return(runner):
    """The same holds for what is awaited."""
    memory = MessageWindowChatMemory(id="user", max_messages=3, store=AsyncForgetful())
    for step in (memory.aadd(*conversation("U")), memory.amessages()):
        with pytest.raises(InvalidStoreError, match="AsyncForgetful returned NoneType"):
            runner.run(step)


def test_stores_that_keep_something_else():
    """A foreign row that is no message is named by its place, and not dropped."""
    store = ThreeVerbStore()
    rows = [*conversation("U A"), {"role": "user", "content": SECRET}]
    store.update_messages("user", rows)
    memory = MessageWindowChatMemory(id="user", max_messages=3, store=store)
    for step in (lambda: memory.add(*conversation("U")), memory.messages):
        with pytest.raises(MessageTypeError) as caught:
            step()
        expected = (
            "item 2 is no message but dict: convert it with chatmemory.clients or "
            "chatmemory.json first"
        )
        assert expected == str(caught.value)
    assert rows == store.get_messages("user")


class Broken(InMemoryChatMemoryStore):
    """A store whose disk is full from some moment on."""

    error: Exception | None = None

    def change_messages(self, memory_id: str, change: object) -> list[ChatMessage]:
        if self.error is not None:
            raise self.error
        return super().change_messages(memory_id, change)


def test_errors_of_stores():
    """What a store raises passes unchanged; the memory goes on from what is stored."""
    store = Broken()
    memory = MessageWindowChatMemory(id="user", max_messages=3, store=store)
    memory.add(*conversation("S U1 A1"))
    store.error = CallerError("disk full")
    for verb in (memory.add, memory.set):
        with pytest.raises(CallerError) as caught:
            verb(*conversation("U2 A[c1] T:c1"))
        assert store.error is caught.value
    store.error = None
    assert "S U1 A1" == shown(memory.messages())
    memory.add(AiMessage("A2"))
    assert "S U1 A2" == shown(memory.messages())
