"""
The structure of a conversation, kept up as messages come and go.

A `Conversation` is the analysis of one list of messages: its units, which call each
result answers, what the view shows, and what that costs. Appending costs the same
whatever the length, and so does dropping as long as nothing needs repair.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from chatmemory._calls import Calls
from chatmemory._unit import Cost, Unit
from chatmemory.errors import MessageTypeError
from chatmemory.messages import (
    MESSAGE_TYPES,
    ChatMessage,
    SystemMessage,
    ToolExecutionResultMessage,
    UserMessage,
)


class Conversation:
    """
    The analysis of a list of messages, which it owns.

    `total` is the cost of the view; `live` is the index of the last user message
    among the units, -1 without one; `left_out` has the positions of what no view
    shows: orphans, displaced placeholders and system messages that were replaced.
    """

    def __init__(
        self, messages: Iterable[ChatMessage] = (), *, cost: Cost = len
    ) -> None:
        self._cost = cost
        self.restart(messages)

    def restart(self, messages: Iterable[ChatMessage]) -> None:
        """Analyse other messages from scratch."""
        self.messages: list[ChatMessage] = []
        self.positions: list[int] = []
        self.units: list[Unit] = []
        self.left_out: list[int] = []
        self.system: SystemMessage | None = None
        self.system_position = -1
        self.system_cost = 0
        self.live = -1
        self.total = 0
        self.open: Unit | None = None
        self._calls = Calls()
        self._irregular = 0
        self._next_position = 0
        for message in messages:
            self.append(message)

    @property
    def is_regular(self) -> bool:
        """Whether the view is what is stored."""
        return not (self._irregular or self.left_out)

    def view(self) -> list[ChatMessage]:
        """Return what to send, repaired, as a new list."""
        return self.messages.copy() if self.is_regular else list(self._shown())

    def _shown(self) -> Iterator[ChatMessage]:
        system = self.system
        for unit in self.units:
            if system and unit.positions[0] > self.system_position:
                yield system
                system = None
            yield from unit.shown
        if system:
            yield system

    def append(self, message: ChatMessage) -> None:
        """Add a message at the end."""
        position = self._next_position
        self._next_position += 1
        self.messages.append(message)
        self.positions.append(position)
        if isinstance(message, SystemMessage):
            self._append_system(message, position)
        elif isinstance(message, ToolExecutionResultMessage):
            self._append_result(message, position)
        elif isinstance(message, MESSAGE_TYPES):
            self._append_unit(message, position)
        else:
            msg = (
                f"item {len(self.messages) - 1} is no message but "
                f"{type(message).__name__}: convert it with chatmemory.clients or "
                "chatmemory.json first"
            )
            raise MessageTypeError(msg)

    def _append_system(self, message: SystemMessage, position: int) -> None:
        if self.system is not None:
            self.left_out.append(self.system_position)
        cost = self._cost([message])
        self.total += cost - self.system_cost
        self.system, self.system_position, self.system_cost = message, position, cost

    def _append_unit(self, message: ChatMessage, position: int) -> None:
        self._close()
        unit = Unit.of(message, position)
        if isinstance(message, UserMessage):
            self.live = len(self.units)
            self._calls.user_spoke()
        elif unit.requests:
            self._calls.open(unit)
            self.open = unit
        self.units.append(unit)
        self._show(unit)

    def _append_result(
        self, message: ToolExecutionResultMessage, position: int
    ) -> None:
        found = self._calls.find(message)
        if found is None or found[0] is not self.open:
            self._close()
        if found is None:
            self.left_out.append(position)
            return
        unit, index = found
        displaced = unit.answer(index, message, position)
        if displaced is not None:
            self.left_out.append(displaced)
        self._calls.settle(unit, index)
        self._show(unit)

    def _close(self) -> None:
        unit, self.open = self.open, None
        if unit is not None and not unit.is_complete:
            self._show(unit)

    def _show(self, unit: Unit) -> None:
        self.total -= unit.cost
        self._irregular -= not unit.is_regular
        unit.show(is_open=unit is self.open, cost=self._cost)
        self._irregular += not unit.is_regular
        self.total += unit.cost

    def answers(self, result: ToolExecutionResultMessage) -> bool:
        """Tell whether a result would answer a call if it were appended."""
        return self._calls.find(result) is not None

    def replace_system(self, message: SystemMessage) -> None:
        """Append a system message in place of those that there are."""
        if not self.is_regular:
            self.restart(m for m in self.messages if not isinstance(m, SystemMessage))
        elif self.system is not None:
            position = self.system_position
            self._drop_messages(position, position, {position})
            self.total -= self.system_cost
            self.system = None
            self.system_cost = 0
        self.append(message)

    def drop(self, first: int, last: int) -> None:
        """Drop the units from index *first* up to but not including *last*."""
        dropped = self.units[first:last]
        if not dropped:
            return
        gone = {position for unit in dropped for position in unit.positions}
        if not self.is_regular:
            kept_from = self.units[last].positions[0]
            gone.update(p for p in self.left_out if p < kept_from)
            self.restart(self._without(gone))
            return
        self._drop_messages(dropped[0].positions[0], dropped[-1].positions[-1], gone)
        self._calls.forget(dropped)
        self.total -= sum(unit.cost for unit in dropped)
        del self.units[first:last]
        if first <= self.live:
            self.live -= len(dropped)

    def _without(self, gone: set[int]) -> list[ChatMessage]:
        return [
            message
            for message, position in zip(self.messages, self.positions, strict=True)
            if position not in gone
        ]

    def _drop_messages(self, first: int, last: int, gone: set[int]) -> None:
        start = bisect_left(self.positions, first)
        stop = bisect_left(self.positions, last) + 1
        kept = [i for i in range(start, stop) if self.positions[i] not in gone]
        self.messages[start:stop] = [self.messages[i] for i in kept]
        self.positions[start:stop] = [self.positions[i] for i in kept]
