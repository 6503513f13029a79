"""A unit, and how the view shows it."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs

from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
)
from chatmemory.placeholders import is_placeholder, placeholder_for


Cost: TypeAlias = Callable[[Sequence[ChatMessage]], int]


@attrs.define(eq=False)
class Unit:
    """
    What is evicted as one: a tool group, or any other single message.

    `positions` are those of the message and its results, as they came; `answered`
    names the call that each of these results answers. `answers` has a place for each
    call. `shown` is the unit as the view has it, and `is_regular` says that this is
    how it is stored.
    """

    message: ChatMessage
    requests: tuple[ToolExecutionRequest, ...]
    positions: list[int]
    answers: list[ToolExecutionResultMessage | None]
    answered: list[int] = attrs.field(factory=list[int])
    shown: list[ChatMessage] = attrs.field(factory=list[ChatMessage])
    is_regular: bool = True
    cost: int = 0

    @classmethod
    def of(cls, message: ChatMessage, position: int) -> "Unit":
        """Begin a unit; *position* is that of its message."""
        requests = (
            message.tool_execution_requests if isinstance(message, AiMessage) else ()
        )
        unit = cls(message, requests, [position], [None] * len(requests))
        unit.shown = [message]
        return unit

    @property
    def is_complete(self) -> bool:
        """Whether each call has a result."""
        return None not in self.answers

    @property
    def is_in_place(self) -> bool:
        """Whether the results follow their call, with nothing between."""
        return self.positions[-1] - self.positions[0] == len(self.answered)

    @property
    def unanswered(self) -> list[ToolExecutionRequest]:
        """The calls without a result."""
        return [
            request
            for request, answer in zip(self.requests, self.answers, strict=True)
            if answer is None
        ]

    def is_free(self, index: int) -> bool:
        """Whether a real result may still answer the call."""
        answer = self.answers[index]
        return answer is None or is_placeholder(answer)

    def answer(
        self, index: int, result: ToolExecutionResultMessage, position: int
    ) -> int | None:
        """Take a result; return the position of the placeholder that it displaces."""
        displaced = None
        if self.answers[index] is not None:
            arrival = self.answered.index(index)
            del self.answered[arrival]
            displaced = self.positions.pop(arrival + 1)
        self.answers[index] = result
        self.answered.append(index)
        self.positions.append(position)
        return displaced

    def show(self, *, is_open: bool, cost: Cost) -> None:
        """Work out anew how the view shows the unit, and what that costs."""
        if not self.requests:
            self.cost = cost(self.shown)
            return
        self._show_group(is_open=is_open)
        if is_open and not self.is_complete:
            self.cost = sum(cost([message]) for message in self.shown)
        else:
            self.cost = cost(self._in_call_order())

    def _show_group(self, *, is_open: bool) -> None:
        requests = distinct(self.requests)
        as_stored = self.is_in_place and (is_open or self.is_complete)
        order = self.answered if as_stored else range(len(requests))
        results = [
            _named(self.answers[index], requests[index])
            for index in order
            if not is_open or self.answers[index] is not None
        ]
        message = _with_requests(self.message, requests)
        self.shown = [message, *results]
        self.is_regular = (
            as_stored
            and message is self.message
            and all(
                shown is self.answers[index]
                for shown, index in zip(results, order, strict=True)
            )
        )

    def _in_call_order(self) -> list[ChatMessage]:
        message, *results = self.shown
        if not (self.is_in_place and self.is_complete):
            return self.shown
        ordered = sorted(zip(self.answered, results, strict=True), key=lambda r: r[0])
        return [message, *(result for _, result in ordered)]


def distinct(
    requests: tuple[ToolExecutionRequest, ...],
) -> tuple[ToolExecutionRequest, ...]:
    """Give calls that share an id within one message ids of their own."""
    ids = [request.id for request in requests if request.id]
    taken = set(ids)
    if len(taken) == len(ids):
        return requests
    seen: set[str] = set()
    return tuple(_with_own_id(request, seen, taken) for request in requests)


def _with_own_id(
    request: ToolExecutionRequest, seen: set[str], taken: set[str]
) -> ToolExecutionRequest:
    if not request.id or request.id not in seen:
        seen.add(request.id or "")
        return request
    number = 2
    while (own := f"{request.id}-{number}") in taken:
        number += 1
    taken.add(own)
    return attrs.evolve(request, id=own)


def _with_requests(
    message: ChatMessage, requests: tuple[ToolExecutionRequest, ...]
) -> ChatMessage:
    if (
        not isinstance(message, AiMessage)
        or message.tool_execution_requests is requests
    ):
        return message
    return attrs.evolve(message, tool_execution_requests=requests)


def _named(
    result: ToolExecutionResultMessage | None, request: ToolExecutionRequest
) -> ToolExecutionResultMessage:
    if result is None:
        return placeholder_for(request)
    if result.id == request.id and result.tool_name == request.name:
        return result
    return attrs.evolve(result, id=request.id, tool_name=request.name)
