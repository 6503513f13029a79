"""
What type checkers make of the public names; it is only checked, never run.

A line that has to be an error is ignored by the rules of both checkers, which complain
of an ignore that there is no need for: so each such line must be an error, and of the
kind that it names.
"""

# A verb that is not there has no type either: one error is enough.
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from typing import assert_type
from uuid import UUID

from openai import OpenAI
from sqlalchemy import create_engine

from chatmemory import (
    AiMessage,
    AsyncAtomicChatMemoryStore,
    AsyncChatMemory,
    AsyncChatMemoryStore,
    AtomicChatMemoryStore,
    Change,
    ChatMemory,
    ChatMemoryProvider,
    ChatMemoryStore,
    ChatMessage,
    ImageContent,
    InMemoryChatMemoryStore,
    MemoryId,
    MessageWindowChatMemory,
    OffloadingStore,
    SystemMessage,
    TextContent,
    TextTokenCountEstimator,
    TokenCountEstimator,
    TokenWindowChatMemory,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
    Utf8TokenCountEstimator,
    messages_from_json,
    messages_to_json,
)
from chatmemory.clients.openai import from_openai, reply_from_openai, to_openai
from chatmemory.conversation import repair, unanswered
from chatmemory_stores.sql import SqlChatMemoryStore


class OwnStore:
    """Three methods, whose parameters are called what their author likes."""

    def get_messages(self, key: str) -> list[ChatMessage]:
        return []

    def update_messages(self, key: str, chat: list[ChatMessage]) -> None: ...

    def delete_messages(self, key: str) -> None: ...


class OwnAsyncStore:
    """Same as `OwnStore`, but awaited."""

    async def aget_messages(self, key: str) -> Sequence[ChatMessage]:
        return ()

    async def aupdate_messages(self, key: str, chat: Sequence[ChatMessage]) -> None: ...

    async def adelete_messages(self, key: str) -> None: ...


class WithoutDelete:
    """No store: a verb is missing."""

    def get_messages(self, key: str) -> list[ChatMessage]:
        return []

    def update_messages(self, key: str, chat: list[ChatMessage]) -> None: ...


class OwnEstimator:
    """An estimator by its shape alone."""

    def count_text(self, text: str) -> int:
        return len(text)

    def count_unit(self, unit: Sequence[ChatMessage]) -> int:
        return len(unit)

    def count_messages(self, messages: Sequence[ChatMessage]) -> int:
        return len(messages)


def both_flavours() -> None:
    """Without a store, and on one in memory, a memory has all verbs."""
    memory = MessageWindowChatMemory(max_messages=10)
    assert_type(memory, MessageWindowChatMemory[InMemoryChatMemoryStore])
    assert_type(memory.id, MemoryId)
    assert_type(memory.messages(), list[ChatMessage])
    memory.add()
    memory.add(SystemMessage("Be brief."), UserMessage("Hi"), AiMessage("Hello"))
    memory.set(*memory.messages())
    memory.clear()

    store = InMemoryChatMemoryStore()
    tokens = TokenWindowChatMemory(id=1, max_tokens=9, estimator=len, store=store)
    assert_type(tokens, TokenWindowChatMemory[InMemoryChatMemoryStore])
    tokens.add(UserMessage("Hi"))
    assert_type(tokens.messages(), list[ChatMessage])


async def both_flavours_awaited() -> None:
    """The same memories, awaited."""
    memory = MessageWindowChatMemory(max_messages=10)
    assert_type(await memory.amessages(), list[ChatMessage])
    await memory.aadd(UserMessage("Hi"))
    await memory.aset(UserMessage("Hi"))
    await memory.aclear()

    store = InMemoryChatMemoryStore()
    tokens = TokenWindowChatMemory(id=1, max_tokens=9, estimator=len, store=store)
    await tokens.aadd(UserMessage("Hi"))


async def sync_only(store: SqlChatMemoryStore) -> None:
    """On a sync store a memory has no async verbs, unless the store is offloaded."""
    memory = MessageWindowChatMemory(id="user", max_messages=10, store=store)
    assert_type(memory, MessageWindowChatMemory[SqlChatMemoryStore])
    memory.add(UserMessage("Hi"))
    assert_type(memory.messages(), list[ChatMessage])
    await memory.aadd(UserMessage("Hi"))  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    await memory.aset(UserMessage("Hi"))  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    await memory.amessages()  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    await memory.aclear()  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]

    offloaded = MessageWindowChatMemory(
        id="user", max_messages=10, store=OffloadingStore(store)
    )
    await offloaded.aadd(UserMessage("Hi"))
    assert_type(await offloaded.amessages(), list[ChatMessage])
    offloaded.messages()  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


async def async_only(store: OwnAsyncStore) -> None:
    """On an async store a memory has no sync verbs."""
    memory = MessageWindowChatMemory(id="user", max_messages=10, store=store)
    assert_type(memory, MessageWindowChatMemory[OwnAsyncStore])
    await memory.aadd(UserMessage("Hi"))
    assert_type(await memory.amessages(), list[ChatMessage])
    memory.add(UserMessage("Hi"))  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    memory.set(UserMessage("Hi"))  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    memory.messages()  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    memory.clear()  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    memory.aadd(UserMessage("Hi"))  # type: ignore[unused-coroutine]  # pyright: ignore[reportUnusedCoroutine]


def stores(own: OwnStore, own_async: OwnAsyncStore, no_store: WithoutDelete) -> None:
    """A store is what has the three verbs, in either flavour, and nothing else."""
    memory = MessageWindowChatMemory(id="user", max_messages=10, store=own)
    assert_type(memory, MessageWindowChatMemory[OwnStore])
    memory.add(UserMessage("Hi"))
    sync: ChatMemoryStore = own
    awaited: AsyncChatMemoryStore = own_async
    atomic: AtomicChatMemoryStore = InMemoryChatMemoryStore()
    awaited_atomic: AsyncAtomicChatMemoryStore = OffloadingStore(sync)
    sync = atomic
    awaited = awaited_atomic
    sync = SqlChatMemoryStore(create_engine("sqlite:///chat.db"))
    atomic = SqlChatMemoryStore.from_url("sqlite://", cache_bytes=0)
    sync = awaited  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    atomic = own  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    OffloadingStore(own_async)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    MessageWindowChatMemory(id="user", max_messages=10, store=no_store)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    MessageWindowChatMemory(id="user", max_messages=10, store=OwnStore)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    MessageWindowChatMemory(id="user", max_messages=10, store="sqlite://")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]


def changes(store: AtomicChatMemoryStore) -> None:
    """A change is a pure function of the stored state."""

    def unless_there(state: list[ChatMessage]) -> Change | None:
        greeting = AiMessage("Hello")
        return None if state else Change([greeting], added=[greeting])

    assert_type(store.change_messages("user", unless_there), list[ChatMessage])
    store.change_messages("user", lambda _state: None)
    store.change_messages("user", lambda state: state)  # type: ignore[arg-type,return-value]  # pyright: ignore[reportArgumentType]


def options(store: OwnStore) -> None:
    """Options go by name, and a memory on a store has an id."""
    MessageWindowChatMemory(max_messages=10, id=UUID(int=1))
    MessageWindowChatMemory(
        id="user", max_messages=10, store=store, eviction="turns", evict_to=8
    )
    TokenWindowChatMemory(max_tokens=9, estimator=len, overflow="keep")
    MessageWindowChatMemory(10)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    MessageWindowChatMemory(id="user", store=store)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    MessageWindowChatMemory(max_messages=10, store=store)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    TokenWindowChatMemory(max_tokens=9, estimator=len, store=store)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    TokenWindowChatMemory(max_tokens=9)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    MessageWindowChatMemory(max_messages=10, id=1.5)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    MessageWindowChatMemory(max_messages=10, eviction="oldest")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    MessageWindowChatMemory(max_messages=10, overflow="drop")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]


def limits_and_estimators(own: TokenCountEstimator) -> None:
    """Limits may be functions of the id, estimators functions of a text."""
    MessageWindowChatMemory(max_messages=lambda memory_id: len(str(memory_id)))
    TokenWindowChatMemory(max_tokens=hash, evict_to=hash, estimator=OwnEstimator())
    TokenWindowChatMemory(max_tokens=9, estimator=TextTokenCountEstimator(len))
    TokenWindowChatMemory(
        max_tokens=9, estimator=Utf8TokenCountEstimator(bytes_per_token=2.6)
    )
    TokenWindowChatMemory(max_tokens=9, estimator=lambda text: len(text.split()))
    TokenWindowChatMemory(max_tokens=9, estimator=own)
    MessageWindowChatMemory(max_messages="10")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    MessageWindowChatMemory(max_messages=str)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    TokenWindowChatMemory(max_tokens=9, estimator="gpt-4o")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    TokenWindowChatMemory(max_tokens=9, estimator=str.split)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def messages(memory: ChatMemory, request: ToolExecutionRequest) -> None:
    """Only messages are added, and their fields are of one type."""
    image = ImageContent(url="https://example.org/a.png")
    memory.add(UserMessage([TextContent("What is this?"), image], name="Ann"))
    memory.add(AiMessage(thinking="Hm.", tool_execution_requests=[request]))
    memory.add(ToolExecutionResultMessage.of(request, "4"))
    memory.add({"role": "user", "content": "Hi"})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    memory.add("Hi")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    memory.add([UserMessage("Hi")])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    memory.add(TextContent("Hi"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    UserMessage({"type": "text", "text": "Hi"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    AiMessage("Hi").text = "Hello"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def talk(memory: ChatMemory) -> None:
    """Use a memory of any window and sync store."""
    assert_type(memory.id, MemoryId)
    memory.set(SystemMessage("Be brief."))
    memory.add(UserMessage("Hi"), AiMessage("Hello"))
    assert_type(memory.messages(), list[ChatMessage])
    memory.clear()


async def talk_async(memory: AsyncChatMemory) -> None:
    """Use a memory of any window and async store."""
    await memory.aset(SystemMessage("Be brief."))
    await memory.aadd(UserMessage("Hi"), AiMessage("Hello"))
    assert_type(await memory.amessages(), list[ChatMessage])
    await memory.aclear()


def ask(memory: MessageWindowChatMemory) -> None:
    """Use a message window on any sync store, which is what no parameter means."""
    assert_type(memory, MessageWindowChatMemory[ChatMemoryStore])
    memory.add(UserMessage("Hi"))


async def protocols(own: OwnStore, own_async: OwnAsyncStore) -> None:
    """Who only uses a memory says ChatMemory or AsyncChatMemory, whatever its window."""
    sync = MessageWindowChatMemory(id="user", max_messages=10, store=own)
    awaited = MessageWindowChatMemory(id="user", max_messages=10, store=own_async)
    talk(sync)
    await talk_async(awaited)
    talk(MessageWindowChatMemory(max_messages=10))
    await talk_async(MessageWindowChatMemory(max_messages=10))
    ask(sync)
    ask(MessageWindowChatMemory(max_messages=10))
    # Mypy does not see these two.
    talk(awaited)  # pyright: ignore[reportArgumentType]
    await talk_async(sync)  # pyright: ignore[reportArgumentType]
    ask(awaited)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def per_user(own: OwnStore) -> None:
    """A provider hands out what its factory makes."""

    def memory_of(user: MemoryId) -> MessageWindowChatMemory[OwnStore]:
        return MessageWindowChatMemory(id=user, max_messages=10, store=own)

    provider = ChatMemoryProvider(memory_of)
    assert_type(provider, ChatMemoryProvider[MessageWindowChatMemory[OwnStore]])
    assert_type(provider.get("user"), MessageWindowChatMemory[OwnStore])
    assert_type(provider.evict(UUID(int=1)), bool)
    provider.get("user").add(UserMessage("Hi"))
    provider.get(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ChatMemoryProvider(OwnStore)  # type: ignore[arg-type,type-var]  # pyright: ignore[reportArgumentType]


def functions(memory: ChatMemory) -> None:
    """Functions take what a memory returns, and return what it takes."""
    view = memory.messages()
    assert_type(unanswered(view), list[ToolExecutionRequest])
    memory.set(*repair(view).messages)
    assert_type(messages_to_json(view, extended=True), str)
    memory.add(*messages_from_json(messages_to_json(view)))
    unanswered(memory)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def openai(memory: ChatMemory, client: OpenAI) -> None:
    """A view becomes what the SDK's client takes, and its reply a message."""
    response = client.chat.completions.create(
        model="gpt-4o", messages=to_openai(memory.messages())
    )
    memory.add(reply_from_openai(response))
    memory.add(reply_from_openai(response.choices[0]))
    memory.set(*from_openai([{"role": "user", "content": "Hi"}]))
    memory.set(*from_openai([response.choices[0].message]))
    client.chat.completions.create(model="gpt-4o", messages=memory.messages())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    to_openai(memory)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
