"""
What a list of messages is, as a conversation: pure functions.

A tool group is an `AiMessage` with calls and the results that answer it; a unit is a
tool group, or any other single message but the system message; an exchange is a user
message and all units up to the next one. A call is open while nothing but the results
of its group and system messages follow it.

A result answers the newest earlier call with its id that has no result yet, and within
one message the first. A result without an id answers, in the newest group since the
last user message that has an unanswered call without an id, the first such call of its
tool's name, else the first.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import attrs

from chatmemory._structure import Conversation
from chatmemory._unit import Unit
from chatmemory.messages import (
    ChatMessage,
    SystemMessage,
    ToolExecutionRequest,
    UserMessage,
)
from chatmemory.placeholders import is_placeholder


__all__ = [
    "Correction",
    "Repaired",
    "exchanges",
    "grouped",
    "is_valid",
    "match",
    "repair",
    "unanswered",
    "units",
]


def unanswered(messages: Sequence[ChatMessage]) -> list[ToolExecutionRequest]:
    """
    List the calls that are still open: what an application has to answer.

    Calls that were left behind are not among them; the view shows placeholders for
    those.
    """
    unit = Conversation(messages).open
    return [] if unit is None else unit.unanswered


def units(messages: Sequence[ChatMessage]) -> list[list[ChatMessage]]:
    """List the units in order, each as the view shows it."""
    return [list(unit.shown) for unit in Conversation(messages).units]


def exchanges(messages: Sequence[ChatMessage]) -> list[list[ChatMessage]]:
    """
    List the exchanges in order, each as the view shows it.

    What was said before the first user message comes first, as if it were one.
    """
    found: list[list[ChatMessage]] = []
    for unit in units(messages):
        if not found or isinstance(unit[0], UserMessage):
            found.append([])
        found[-1].extend(unit)
    return found


def grouped(messages: Sequence[ChatMessage]) -> list[list[ChatMessage]]:
    """
    Split a request into what providers bill as one, without repairing it.

    Each call stands with the results that answer it, in call order, and every other
    message alone, system messages and orphans as well.
    """
    conversation = Conversation(messages)
    group_at = {unit.positions[0]: _with_answers(unit) for unit in conversation.units}
    answers = {p for unit in conversation.units for p in unit.positions[1:]}
    return [
        group_at.get(position, [message])
        for position, message in enumerate(messages)
        if position not in answers
    ]


def _with_answers(unit: Unit) -> list[ChatMessage]:
    return [unit.message, *(answer for answer in unit.answers if answer is not None)]


def match(messages: Sequence[ChatMessage]) -> dict[int, tuple[int, int]]:
    """
    Map the index of each result to the message and the call in it that it answers.

    Orphans are not in the mapping.
    """
    return {
        position: (unit.positions[0], call)
        for unit in Conversation(messages).units
        for position, call in zip(unit.positions[1:], unit.answered, strict=True)
    }


def is_valid(messages: Sequence[ChatMessage]) -> bool:
    """Tell whether messages can be sent as they are: nothing to repair, no open call."""
    conversation = Conversation(messages)
    return conversation.is_regular and (
        conversation.open is None or conversation.open.is_complete
    )


CorrectionKind: TypeAlias = Literal[
    "orphan left out",
    "placeholder left out",
    "system message left out",
    "placeholder added",
    "result moved",
    "result renamed",
    "call renamed",
]


@attrs.frozen
class Correction:
    """
    One thing that `repair` did.

    `index` is where the message stands in what was given; for an added placeholder,
    where its call stands.
    """

    kind: CorrectionKind
    index: int


@attrs.frozen
class Repaired:
    """A conversation that every client can make a valid request of, and what it took."""

    messages: list[ChatMessage]
    changes: list[Correction]


def repair(messages: Sequence[ChatMessage]) -> Repaired:
    """
    Make a conversation valid, and say what had to change.

    Orphans are left out; results move behind their call, in call order; a call that was
    left behind is answered by a placeholder; a result takes its call's id and name;
    calls that share an id within one message get ids of their own; of several system
    messages the last one stays. Open calls stay open. A valid conversation comes back
    as it is.
    """
    conversation = Conversation(messages)
    changes = [*_left_out(conversation), *_changed(conversation)]
    changes.sort(key=lambda change: change.index)
    return Repaired(conversation.view(), changes)


def _left_out(conversation: Conversation) -> Iterator[Correction]:
    for position in conversation.left_out:
        message = conversation.messages[position]
        if isinstance(message, SystemMessage):
            yield Correction("system message left out", position)
        elif is_placeholder(message):
            yield Correction("placeholder left out", position)
        else:
            yield Correction("orphan left out", position)


def _changed(conversation: Conversation) -> Iterator[Correction]:
    for unit in conversation.units:
        if unit.is_regular:
            continue
        start = unit.positions[0]
        if unit.shown[0] is not unit.message:
            yield Correction("call renamed", start)
        shown = {id(message) for message in unit.shown}
        for offset, (position, call) in enumerate(
            zip(unit.positions[1:], unit.answered, strict=True), start=1
        ):
            if position != start + offset:
                yield Correction("result moved", position)
            if id(unit.answers[call]) not in shown:
                yield Correction("result renamed", position)
        if unit is not conversation.open:
            yield from (Correction("placeholder added", start) for _ in unit.unanswered)
