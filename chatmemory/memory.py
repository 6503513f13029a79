"""
The memories: what a model is shown of one conversation.

One class per window, each with both flavours of every verb; async is the same word with
an `a`. Which of them work depends on the store: type checkers reject the sync verbs on a
store that is only async, and the other way round.
"""

from collections.abc import Callable
from typing import Protocol, cast, overload

from chatmemory._base import BaseChatMemory, S, id_of, overflow_of
from chatmemory._counts import Counts
from chatmemory._limits import Limit
from chatmemory._private import PrivateStore
from chatmemory.memory_id import MemoryId
from chatmemory.messages import ChatMessage
from chatmemory.store import InMemoryChatMemoryStore
from chatmemory.tokens import TokenCountEstimator
from chatmemory.windows import Eviction, Overflow, Window


class ChatMemory(Protocol):
    """What an application does with a memory, whatever its window and store."""

    @property
    def id(self) -> MemoryId:
        """Whose memory it is, as it was given."""
        ...

    def add(self, *messages: ChatMessage) -> None:
        """Add messages at the end, as one atomic batch."""
        ...

    def set(self, *messages: ChatMessage) -> None:
        """Replace all messages, atomically."""
        ...

    def messages(self) -> list[ChatMessage]:
        """Return what to send to the model."""
        ...

    def clear(self) -> None:
        """Forget all messages."""
        ...


class AsyncChatMemory(Protocol):
    """Same as `ChatMemory`, but awaited."""

    @property
    def id(self) -> MemoryId:
        """Whose memory it is, as it was given."""
        ...

    async def aadd(self, *messages: ChatMessage) -> None:
        """Same as `ChatMemory.add`, but awaited."""
        ...

    async def aset(self, *messages: ChatMessage) -> None:
        """Same as `ChatMemory.set`, but awaited."""
        ...

    async def amessages(self) -> list[ChatMessage]:
        """Same as `ChatMemory.messages`, but awaited."""
        ...

    async def aclear(self) -> None:
        """Same as `ChatMemory.clear`, but awaited."""
        ...


class MessageWindowChatMemory(BaseChatMemory[S]):
    """
    A memory of at most *max_messages* messages, of which the system message is one.

    *max_messages* and *evict_to* are numbers, or functions of the memory id that are
    asked anew each time. Over the limit, "turns" evicts whole exchanges down to
    *evict_to* (by default the limit) and never the question that is being answered;
    "sliding" evicts message by message as LangChain4j does. If what has to stay exceeds
    the limit, *overflow* decides: "keep" logs a warning, "raise" raises
    `WindowOverflowError` and stores nothing.

    Without a store a memory keeps its own messages, safe for threads and tasks. On a
    store that changes memories atomically it is as safe as that store; on any other one
    it is safe within one process, as long as all use the same store object and the same
    flavour of verbs (and, for async ones, the same event loop).
    """

    @overload
    def __init__(
        self: "MessageWindowChatMemory[InMemoryChatMemoryStore]",
        *,
        max_messages: Limit,
        id: MemoryId = ...,
        eviction: Eviction = ...,
        evict_to: Limit | None = ...,
        overflow: Overflow | None = ...,
        always_keep_system_message_first: bool = ...,
    ) -> None: ...

    @overload
    def __init__(
        self,
        *,
        max_messages: Limit,
        id: MemoryId,
        store: S,
        eviction: Eviction = ...,
        evict_to: Limit | None = ...,
        overflow: Overflow | None = ...,
        always_keep_system_message_first: bool = ...,
    ) -> None: ...

    def __init__(
        self,
        *,
        max_messages: Limit,
        id: MemoryId | None = None,
        store: object = None,
        eviction: Eviction = "turns",
        evict_to: Limit | None = None,
        overflow: Overflow | None = None,
        always_keep_system_message_first: bool = False,
    ) -> None:
        window = Window(
            measure="messages",
            cost=len,
            fixed=0,
            eviction=eviction,
            overflow=overflow_of(eviction, overflow, default="keep"),
        )
        super().__init__(
            id=id_of(id, store),
            store=cast("S", PrivateStore() if store is None else store),
            window=window,
            limit_name="max_messages",
            limit=max_messages,
            evict_to=evict_to,
            always_keep_system_message_first=always_keep_system_message_first,
        )


class TokenWindowChatMemory(BaseChatMemory[S]):
    """
    A memory whose request costs at most *max_tokens* tokens by an estimator.

    Same as `MessageWindowChatMemory`, but in tokens, and what exceeds the limit although
    it has to stay raises by default. *estimator* is a `TokenCountEstimator`, or a
    function from a text to its tokens. What a message costs is counted once and
    remembered, for all memories with the same estimator.
    """

    @overload
    def __init__(
        self: "TokenWindowChatMemory[InMemoryChatMemoryStore]",
        *,
        max_tokens: Limit,
        estimator: TokenCountEstimator | Callable[[str], int],
        id: MemoryId = ...,
        eviction: Eviction = ...,
        evict_to: Limit | None = ...,
        overflow: Overflow | None = ...,
        always_keep_system_message_first: bool = ...,
    ) -> None: ...

    @overload
    def __init__(
        self,
        *,
        max_tokens: Limit,
        estimator: TokenCountEstimator | Callable[[str], int],
        id: MemoryId,
        store: S,
        eviction: Eviction = ...,
        evict_to: Limit | None = ...,
        overflow: Overflow | None = ...,
        always_keep_system_message_first: bool = ...,
    ) -> None: ...

    def __init__(
        self,
        *,
        max_tokens: Limit,
        estimator: TokenCountEstimator | Callable[[str], int],
        id: MemoryId | None = None,
        store: object = None,
        eviction: Eviction = "turns",
        evict_to: Limit | None = None,
        overflow: Overflow | None = None,
        always_keep_system_message_first: bool = False,
    ) -> None:
        counts = Counts(estimator)
        window = Window(
            measure="tokens",
            cost=counts,
            fixed=counts.fixed,
            eviction=eviction,
            overflow=overflow_of(eviction, overflow, default="raise"),
        )
        super().__init__(
            id=id_of(id, store),
            store=cast("S", PrivateStore() if store is None else store),
            window=window,
            limit_name="max_tokens",
            limit=max_tokens,
            evict_to=evict_to,
            always_keep_system_message_first=always_keep_system_message_first,
        )
