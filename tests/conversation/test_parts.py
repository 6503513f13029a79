"""The parts of a conversation: units, exchanges, what is billed as one, what is open."""

import pytest

from chatmemory import ChatMessage
from chatmemory.conversation import (
    exchanges,
    grouped,
    is_valid,
    unanswered,
    units,
)
from chatmemory.errors import MessageTypeError
from notation import conversation, shown


def parts(messages: list[list[ChatMessage]]) -> str:
    return " | ".join(map(shown, messages))


UNITS = [
    ("", ""),
    ("S", ""),
    ("S U A C", "U | A | C"),
    ("U A[c1,c2] T:c1 T:c2 A", "U | A[c1,c2] T:c1 T:c2 | A"),
    ("U A[c1,c2] T:c2", "U | A[c1,c2] T:c2"),
    ("U1 A[c1] U2 T:c1", "U1 | A[c1] T:c1 | U2"),
    ("U1 A[c1] U2", "U1 | A[c1] (c1) | U2"),
    ("T:c1 U A[c1] S T:c1", "U | A[c1] T:c1"),
]


@pytest.mark.parametrize(("text", "expected"), UNITS)
def test_units(text: str, expected: str):
    """A tool group is one unit, as the view shows it; a system message is none."""
    assert expected == parts(units(conversation(text)))


EXCHANGES = [
    ("", ""),
    ("S", ""),
    ("S U1 A1 U2 A2", "U1 A1 | U2 A2"),
    ("U1 U2", "U1 | U2"),
    ("A0 C U1 A1", "A0 C | U1 A1"),
    ("A0 A1", "A0 A1"),
    ("U1 A[c1] T:c1 A1 U2 A[c2]", "U1 A[c1] T:c1 A1 | U2 A[c2]"),
    ("U1 A[c1] U2 T:c1 S A2", "U1 A[c1] T:c1 | U2 A2"),
]


@pytest.mark.parametrize(("text", "expected"), EXCHANGES)
def test_exchanges(text: str, expected: str):
    """Each begins with a user message, except what was said before the first one."""
    assert expected == parts(exchanges(conversation(text)))


GROUPED = [
    ("", ""),
    ("S U A C", "S | U | A | C"),
    ("S U A[c1,c2] T:c2 T:c1 A", "S | U | A[c1,c2] T:c1 T:c2 | A"),
    ("U1 A[c1,c2] U2 T:c2", "U1 | A[c1,c2] T:c2 | U2"),
    ("T:c1 U A[c1] S1 S2", "T:c1 | U | A[c1] | S1 | S2"),
    ("U A[c1] (c1) T:c1 T:c1", "U | A[c1] T:c1 | (c1) | T:c1"),
    ("U A[c1,c1] T:c1:date", "U | A[c1,c1] T:c1:date"),
]


@pytest.mark.parametrize(("text", "expected"), GROUPED)
def test_grouped(text: str, expected: str):
    """Calls stand with their answers, all else alone, and nothing is repaired."""
    messages = conversation(text)
    groups = grouped(messages)
    assert expected == parts(groups)
    given = {id(message) for message in messages}
    assert given == {id(message) for group in groups for message in group}


UNANSWERED = [
    ("", ""),
    ("U A", ""),
    ("U A[c1,c2]", "c1 c2"),
    ("U A[c1,c2] T:c1", "c2"),
    ("U A[c1,c2] T:c2 S", "c1"),
    ("U A[c1] T:c1", ""),
    ("U A[c1,c2] (c2)", "c1"),
    ("U1 A[c1] U2", ""),
    ("U1 A[c1] U2 A[c2]", "c2"),
    ("A[c1] A[c2] T:c1", ""),
]


@pytest.mark.parametrize(("text", "expected"), UNANSWERED)
def test_unanswered(text: str, expected: str):
    """The open calls are those of the last group without a result, in call order."""
    calls = unanswered(conversation(text))
    assert expected == " ".join(call.id for call in calls)


def test_unanswered_calls_are_the_requests():
    """An application gets the very requests, with their arguments, to run the tools."""
    messages = conversation("U A[c1:time=Oslo,c2:time=Rome] T:c1:time")
    assert messages[1].tool_execution_requests[1] is unanswered(messages)[0]


VALID = [
    "",
    "S",
    "S U A",
    "A U S A C",
    "U A[c1,c2] T:c2 T:c1 A",
    "U A[c1] (c1) U2",
    "U A[:a,:a] T::a T::a",
    "U A[c1] T:c1 A[c1] T:c1",
]
INVALID = [
    "S1 U S2",
    "T:c1",
    "U T:c1",
    "U A[c1]",
    "U A[c1,c2] T:c1",
    "U A[c1] U2",
    "U A[c1] U2 T:c1",
    "U A[c1] S T:c1",
    "U A[c1] T:c1 T:c1",
    "U A[c1] T:c1 (c1)",
    "U A[c1] (c1) T:c1",
    "U A[c1:time] T:c1:date",
    "U A[c1,c1] T:c1 T:c1",
]


@pytest.mark.parametrize("text", VALID)
def test_valid(text: str):
    """It can be sent as it is: one system message, whole pairs, nothing open."""
    assert is_valid(conversation(text))


@pytest.mark.parametrize("text", INVALID)
def test_invalid(text: str):
    """Something has to be repaired, or a call to be answered."""
    assert not is_valid(conversation(text))


@pytest.mark.parametrize(
    "function",
    [exchanges, grouped, is_valid, unanswered, units],
    ids=lambda f: f.__name__,
)
def test_what_is_no_message(function):
    """Its index and type are named, not what is in it."""
    messages = [*conversation("S U"), {"role": "user", "content": "a secret"}]
    with pytest.raises(
        MessageTypeError, match="item 2 is no message but dict"
    ) as caught:
        function(messages)
    assert "secret" not in str(caught.value)
