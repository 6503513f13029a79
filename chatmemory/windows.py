"""
What to evict: pure functions of a conversation and a limit.

Both memories use the same rules; what a unit costs (messages or tokens) is a parameter.
Nothing here reads a limit or writes.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import attrs

from chatmemory._structure import Conversation
from chatmemory._unit import Cost
from chatmemory.errors import WindowOverflowError
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    SystemMessage,
    ToolExecutionResultMessage,
    UserMessage,
)


Eviction: TypeAlias = Literal["turns", "sliding"]
Overflow: TypeAlias = Literal["keep", "raise"]


@attrs.frozen
class Cut:
    """
    What "turns" evicts: the first *front* units, and those from *start* up to *stop*.

    `need` is what a request of the rest costs.
    """

    front: int
    start: int
    stop: int
    need: int

    @property
    def is_empty(self) -> bool:
        """Whether nothing goes."""
        return self.front == 0 and self.start == self.stop

    def apply(self, conversation: Conversation) -> list[ChatMessage]:
        """Drop the units from their conversation; return the messages they began with."""
        gone = conversation.units[: self.front]
        gone += conversation.units[self.start : self.stop]
        conversation.drop(self.start, self.stop)
        conversation.drop(0, self.front)
        return [unit.message for unit in gone]


def cut_turns(conversation: Conversation, *, fixed: int, limit: int, mark: int) -> Cut:
    """
    Decide what "turns" evicts so that a request costs at most *limit*.

    Over the limit, whole exchanges go from the front until the rest costs at most
    *mark*, as long as another exchange remains; what was said before the first user
    message goes like an exchange. If the last exchange alone exceeds the limit, its
    oldest units go as well, but neither its user message nor its newest unit. *fixed* is
    what a request costs beside its messages.
    """
    units, live = conversation.units, conversation.live
    need = fixed + conversation.total
    front, stop = 0, live + 1
    if need > limit:
        while need > mark and front < live:
            need -= units[front].cost
            front += 1
            while not isinstance(units[front].message, UserMessage):
                need -= units[front].cost
                front += 1
    if need > limit:
        while need > mark and stop < len(units) - 1:
            need -= units[stop].cost
            stop += 1
    return Cut(front, live + 1, stop, need)


def slide(
    messages: Sequence[ChatMessage], *, cost: Cost, fixed: int, limit: int, mark: int
) -> tuple[list[ChatMessage], list[ChatMessage]]:
    """
    Split stored messages into what LangChain4j's windows keep, and what they evict.

    Over the limit the oldest message goes until the rest costs at most *mark*, but not a
    system message that is first by then; if it made calls, the results that directly
    follow it go too, whatever their ids. See `ensureCapacity` of
    `MessageWindowChatMemory` there; the mark is ours, and there it is the limit.
    """
    total = fixed + sum(cost([message]) for message in messages)
    if total <= limit:
        return list(messages), []
    system: list[ChatMessage] = []
    gone: list[ChatMessage] = []
    in_group = False
    for position, message in enumerate(messages):
        in_group = in_group and isinstance(message, ToolExecutionResultMessage)
        if isinstance(message, SystemMessage) and not system:
            system.append(message)
        elif in_group or total > mark:
            total -= cost([message])
            gone.append(message)
            in_group = in_group or makes_calls(message)
        else:
            return [*system, *messages[position:]], gone
    return system, gone


def makes_calls(message: ChatMessage) -> bool:
    """Tell whether a message begins a tool group."""
    return isinstance(message, AiMessage) and bool(message.tool_execution_requests)


@attrs.frozen
class Window:
    """
    The rule that bounds a memory, without the limit of the moment.

    *cost* is what a unit costs, *fixed* what a request costs beside its units, both in
    what *measure* names.
    """

    measure: Literal["messages", "tokens"]
    cost: Cost
    fixed: int
    eviction: Eviction
    overflow: Overflow

    @property
    def is_costly(self) -> bool:
        """Whether to know what messages cost takes time."""
        return self.cost is not len

    def is_exceeded(self, conversation: Conversation, limit: int) -> bool:
        """Tell whether something has to go: "sliding" counts what is stored."""
        if self.eviction == "turns":
            return self.fixed + conversation.total > limit
        stored = sum(self.cost([message]) for message in conversation.messages)
        return self.fixed + stored > limit

    def overflows(self, conversation: Conversation, limit: int, mark: int) -> bool:
        """Tell whether what has to stay exceeds the limit; "sliding" has no such."""
        if self.eviction == "sliding" or not self.is_exceeded(conversation, limit):
            return False
        cut = cut_turns(conversation, fixed=self.fixed, limit=limit, mark=mark)
        return cut.need > limit

    def fit(
        self, conversation: Conversation, limit: int, mark: int
    ) -> list[ChatMessage]:
        """
        Evict until a conversation fits, and return the messages that went.

        Raises `WindowOverflowError` if what has to stay exceeds the limit and the window
        does not keep it.
        """
        if self.eviction == "sliding":
            return self._slide(conversation, limit, mark)
        cut = cut_turns(conversation, fixed=self.fixed, limit=limit, mark=mark)
        gone = [] if cut.is_empty else cut.apply(conversation)
        if cut.need > limit and self.overflow == "raise" and conversation.total:
            raise self._overflow(conversation, limit, cut.need)
        return gone

    def _slide(
        self, conversation: Conversation, limit: int, mark: int
    ) -> list[ChatMessage]:
        kept, gone = slide(
            conversation.messages,
            cost=self.cost,
            fixed=self.fixed,
            limit=limit,
            mark=mark,
        )
        if gone:
            conversation.restart(kept)
        return gone

    def _overflow(
        self, conversation: Conversation, limit: int, need: int
    ) -> WindowOverflowError:
        costs = [(self.cost([message]), message) for message in conversation.view()]
        largest_cost, largest = max(costs, key=lambda pair: pair[0])
        largest_type = type(largest).__name__
        msg = (
            f"{need} {self.measure} have to stay, but the limit is {limit}: the system "
            f"message, the last user message and what was said last ({largest_type} "
            f"alone costs {largest_cost}); add a shorter message, raise the limit, or "
            'use overflow="keep"'
        )
        return WindowOverflowError(
            msg,
            limit=limit,
            need=need,
            largest_type=largest_type,
            largest_cost=largest_cost,
        )
