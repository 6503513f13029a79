"""Which call a result answers."""

from collections.abc import Iterable

import attrs

from chatmemory._unit import Unit
from chatmemory.messages import ToolExecutionResultMessage
from chatmemory.placeholders import is_placeholder


@attrs.define(eq=False)
class Calls:
    """
    The calls that a result may still answer.

    A result answers the newest call with its id that has no result, and within one
    message the first. One without an id answers a call without an id since the last
    user message: in the newest such group the first of its tool's name, else the
    first. An empty id is none.
    """

    _by_id: dict[str, list[Unit]] = attrs.field(factory=dict[str, list[Unit]])
    _without_id: list[Unit] = attrs.field(factory=list[Unit])

    def open(self, unit: Unit) -> None:
        """Wait for the results of a group."""
        for call_id in {request.id or "" for request in unit.requests}:
            self._waiting(call_id).append(unit)

    def user_spoke(self) -> None:
        """Nothing without an id crosses a user message."""
        self._without_id.clear()

    def find(self, result: ToolExecutionResultMessage) -> tuple[Unit, int] | None:
        """Return the group and the index of the call that a result answers, if any."""
        for unit in reversed(self._waiting(result.id or "", create=False)):
            free = _free_calls(unit, result)
            if free:
                return unit, _preferred(unit, result, free)
        return None

    def settle(self, unit: Unit, index: int) -> None:
        """Stop waiting for a call's id, unless the group has another call with it."""
        call_id = unit.requests[index].id or ""
        if not any(
            unit.is_free(other)
            for other, request in enumerate(unit.requests)
            if (request.id or "") == call_id
        ):
            self._forget(unit, call_id)

    def forget(self, units: Iterable[Unit]) -> None:
        """Stop waiting for the results of evicted groups."""
        for unit in units:
            for call_id in {request.id or "" for request in unit.requests}:
                self._forget(unit, call_id)

    def _waiting(self, call_id: str, *, create: bool = True) -> list[Unit]:
        if not call_id:
            return self._without_id
        if create:
            return self._by_id.setdefault(call_id, [])
        return self._by_id.get(call_id, [])

    def _forget(self, unit: Unit, call_id: str) -> None:
        waiting = self._waiting(call_id, create=False)
        if unit in waiting:
            waiting.remove(unit)
        if call_id and not waiting:
            self._by_id.pop(call_id, None)


def _free_calls(unit: Unit, result: ToolExecutionResultMessage) -> list[int]:
    # A placeholder answers only what nothing answers; a real result takes its place.
    is_real = not is_placeholder(result)
    return [
        index
        for index, request in enumerate(unit.requests)
        if (request.id or "") == (result.id or "")
        and (unit.answers[index] is None or (is_real and unit.is_free(index)))
    ]


def _preferred(unit: Unit, result: ToolExecutionResultMessage, free: list[int]) -> int:
    if not result.id:
        for index in free:
            if unit.requests[index].name == result.tool_name:
                return index
    return free[0]
