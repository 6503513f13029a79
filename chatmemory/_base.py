"""What both memories are: a window over what a store keeps for one memory id."""

import logging

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic

from chatmemory._access import (
    Access,
    AsyncAccess,
    access_to,
    async_access_to,
    check_store,
)
from chatmemory._admission import checked_batch
from chatmemory._limits import Limit, checked_limit, read_limit
from chatmemory._step import Bounds, Known, Replacement, Step
from chatmemory._structure import Conversation
from chatmemory.errors import (
    AsyncNotSupportedError,
    InvalidMemoryIdError,
    InvalidMessageError,
    InvalidOptionError,
    SyncNotSupportedError,
)
from chatmemory.memory_id import MemoryId, memory_id_text
from chatmemory.messages import AiMessage, ChatMessage, SystemMessage
from chatmemory.store import AsyncChatMemoryStore, ChatMemoryStore
from chatmemory.windows import Eviction, Overflow, Window


if TYPE_CHECKING:
    # Type checkers bring typing_extensions along; at run time there is no need for it.
    from typing_extensions import TypeVar

    S = TypeVar(
        "S",
        bound=ChatMemoryStore | AsyncChatMemoryStore,
        default=ChatMemoryStore,
        covariant=True,
    )
else:
    from typing import TypeVar

    S = TypeVar("S", covariant=True)


logger = logging.getLogger("chatmemory")

# As many ids of evicted calls as an error may still want to explain.
REMEMBERED_CALLS = 1_000


class BaseChatMemory(Generic[S]):
    """
    The verbs of a memory, in both flavours.

    What was seen last is kept with its analysis; whoever takes it out is alone with it,
    so threads that share a memory object at worst analyse anew.
    """

    def __init__(
        self,
        *,
        id: MemoryId,
        store: S,
        window: Window,
        limit_name: str,
        limit: Limit,
        evict_to: Limit | None,
        always_keep_system_message_first: bool,
    ) -> None:
        check_store(store)
        _check_window(window)
        self._id = id
        self._window = window
        self._limit_name = limit_name
        self._limit = checked_limit(limit_name, limit)
        self._evict_to = (
            None if evict_to is None else checked_limit("evict_to", evict_to)
        )
        self._system_first = always_keep_system_message_first
        self._access = access_to(store, memory_id_text(id))
        self._async_access = async_access_to(store, memory_id_text(id))
        self._store_name = type(store).__name__
        self._known: list[Known] = []
        self._evicted: dict[str, None] = {}

    @property
    def id(self) -> MemoryId:
        """Whose memory it is, as it was given."""
        return self._id

    def add(self: "BaseChatMemory[ChatMemoryStore]", *messages: ChatMessage) -> None:
        """
        Add messages at the end, as one atomic and contiguous batch.

        No messages are a no-op, and so are a system message or a result that is there
        already. Another system message replaces the present one. Eviction runs once,
        after the batch. Raises `OrphanToolResultError` for a result that answers
        nothing, `ConflictingSystemMessagesError` for two different system messages,
        `DuplicateToolCallError`, `MessageTypeError` and `WindowOverflowError`; then
        nothing has changed.
        """
        access = self._sync("add", "aadd")
        batch = checked_batch(messages)
        if not batch:
            return
        bounds, known = self._bounds(), self._take_known()
        if known is None and self._window.is_costly and access.is_atomic:
            known = self._analysed(access.get())
        step = Step(batch, bounds, known=known, evicted=self._evicted)
        access.change(step)
        self._finish(step)

    async def aadd(
        self: "BaseChatMemory[AsyncChatMemoryStore]", *messages: ChatMessage
    ) -> None:
        """Same as `add`, but awaits the store."""
        access = self._async("aadd", "add")
        batch = checked_batch(messages)
        if not batch:
            return
        bounds, known = self._bounds(), self._take_known()
        if known is None and self._window.is_costly and access.is_atomic:
            known = self._analysed(await access.aget())
        step = Step(batch, bounds, known=known, evicted=self._evicted)
        await access.achange(step)
        self._finish(step)

    def set(self: "BaseChatMemory[ChatMemoryStore]", *messages: ChatMessage) -> None:
        """
        Replace all messages, atomically: clear and add in one step.

        Raises what `add` raises, and `InvalidMessageError` without messages. For dirty
        input use `set(*repair(messages).messages)`.
        """
        access = self._sync("set", "aset")
        step = self._replacement(messages)
        access.replace(step)
        self._finish(step)

    async def aset(
        self: "BaseChatMemory[AsyncChatMemoryStore]", *messages: ChatMessage
    ) -> None:
        """Same as `set`, but awaits the store."""
        access = self._async("aset", "set")
        step = self._replacement(messages)
        await access.areplace(step)
        self._finish(step)

    def messages(self: "BaseChatMemory[ChatMemoryStore]") -> list[ChatMessage]:
        """
        Return what to send to the model, as a new list; an unknown id has none.

        The present limit is applied, and what is invalid in the stored state repaired;
        nothing is written. While a call is open its results are still to be added.
        Raises `WindowOverflowError` if the window does not keep what exceeds it.
        """
        access = self._sync("messages", "amessages")
        bounds = self._bounds()
        return self._view(access.get(), bounds)

    async def amessages(
        self: "BaseChatMemory[AsyncChatMemoryStore]",
    ) -> list[ChatMessage]:
        """Same as `messages`, but awaits the store."""
        access = self._async("amessages", "messages")
        bounds = self._bounds()
        return self._view(await access.aget(), bounds)

    def clear(self: "BaseChatMemory[ChatMemoryStore]") -> None:
        """Forget all messages; an unknown id is a no-op."""
        self._sync("clear", "aclear").delete()
        self._known.clear()

    async def aclear(self: "BaseChatMemory[AsyncChatMemoryStore]") -> None:
        """Same as `clear`, but awaits the store."""
        await self._async("aclear", "clear").adelete()
        self._known.clear()

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}(id={self._id!r}, "
            f"{self._limit_name}={self._limit!r}, store={self._store_name})>"
        )

    def _sync(self, verb: str, other: str) -> Access:
        if self._access is not None:
            return self._access
        msg = (
            f"{self._store_name} has no sync verbs: use `await memory.{other}(...)` "
            f"instead of {verb}"
        )
        raise SyncNotSupportedError(msg)

    def _async(self, verb: str, other: str) -> AsyncAccess:
        if self._async_access is not None:
            return self._async_access
        msg = (
            f"{self._store_name} has no async verbs: use `memory.{other}(...)` instead "
            f"of {verb}, or give the memory an OffloadingStore of it"
        )
        raise AsyncNotSupportedError(msg)

    def _bounds(self) -> Bounds:
        limit = read_limit(self._limit_name, self._limit, self._id)
        if self._evict_to is None:
            return Bounds(self._window, limit, limit)
        mark = read_limit("evict_to", self._evict_to, self._id)
        return Bounds(self._window, limit, min(mark, limit))

    def _analysed(self, state: Sequence[ChatMessage]) -> Known:
        return Known(state, Conversation(state, cost=self._window.cost))

    def _take_known(self) -> Known | None:
        try:
            return self._known.pop()
        except IndexError:
            return None

    def _replacement(self, messages: Sequence[ChatMessage]) -> Replacement:
        if not messages:
            msg = "set() needs messages; use clear() to forget all"
            raise InvalidMessageError(msg)
        return Replacement(checked_batch(messages), self._bounds())

    def _view(self, state: Sequence[ChatMessage], bounds: Bounds) -> list[ChatMessage]:
        known = self._take_known()
        if known is None or not known.is_state(state):
            known = self._analysed(state)
        conversation = known.conversation
        if bounds.is_exceeded(conversation):
            conversation = Conversation(state, cost=self._window.cost)
            bounds.fit(conversation)
        self._known[:] = [known]
        return self._in_order(conversation.view())

    def _in_order(self, view: list[ChatMessage]) -> list[ChatMessage]:
        if self._system_first:
            view.sort(key=lambda message: not isinstance(message, SystemMessage))
        return view

    def _finish(self, step: Step) -> None:
        self._known[:] = [] if step.known is None else [step.known]
        for message in step.gone:
            if isinstance(message, AiMessage):
                for request in message.tool_execution_requests:
                    self._evicted[request.id or ""] = None
        while len(self._evicted) > REMEMBERED_CALLS:
            del self._evicted[next(iter(self._evicted))]
        if step.begins_overflow:
            logger.warning(
                "memory %r: what has to stay exceeds %s; it is kept",
                self._id,
                self._limit_name,
            )


def _check_window(window: Window) -> None:
    if window.eviction not in ("turns", "sliding"):
        msg = f'eviction must be "turns" or "sliding": {window.eviction!r}'
        raise InvalidOptionError(msg)
    if window.overflow not in ("keep", "raise"):
        msg = f'overflow must be "keep" or "raise": {window.overflow!r}'
        raise InvalidOptionError(msg)


def id_of(memory_id: MemoryId | None, store: object) -> MemoryId:
    """Return the id of a memory; only one without a store may go without."""
    if memory_id is not None:
        return memory_id
    if store is None:
        return "default"
    msg = "a memory on a store needs an id: no two users share a default, pass id=..."
    raise InvalidMemoryIdError(msg)


def overflow_of(
    eviction: Eviction, overflow: Overflow | None, *, default: Overflow
) -> Overflow:
    """Return what a window does when what has to stay exceeds it."""
    if eviction != "sliding":
        return default if overflow is None else overflow
    if overflow is None:
        return "keep"
    msg = f'overflow has no meaning with eviction="sliding": {overflow!r}'
    raise InvalidOptionError(msg)
