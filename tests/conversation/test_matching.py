"""Which call a result answers: each rule, on conversations that need it."""

import attrs
import pytest

from chatmemory import (
    AiMessage,
    ChatMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
)
from chatmemory.conversation import match
from notation import conversation


def answers(messages: list[ChatMessage]) -> str:
    """Write each result as its index, and the message and call that it answers."""
    matched = match(messages)
    return " ".join(
        f"{index}>{matched[index][0]}.{matched[index][1]}" if index in matched else "-"
        for index, message in enumerate(messages)
        if isinstance(message, ToolExecutionResultMessage)
    )


BY_ID = [
    ("U A[c1] T:c1", "2>1.0"),
    ("U A[c1,c2,c3] T:c3 T:c1 T:c2", "2>1.2 3>1.0 4>1.1"),
    # The newest earlier call with its id ...
    ("A[c1] U A[c1] T:c1", "3>2.0"),
    # ... that has no result yet.
    ("A[c1] U A[c1] T:c1 T:c1", "3>2.0 4>0.0"),
    ("A[c1] T:c1 U A[c1] T:c1", "1>0.0 4>3.0"),
    ("A[c1] T:c1 T:c1", "1>0.0 -"),
    # Within one message the first.
    ("A[c1,c2,c1] T:c1 T:c1 T:c1", "1>0.0 2>0.2 -"),
    # Whatever is between, user messages and other groups included.
    ("A[c1] U S C A U T:c1", "6>0.0"),
    ("A[c1] A[c2] T:c1 T:c2", "2>0.0 3>1.0"),
    # Whatever its tool is called.
    ("A[c1:time] T:c1:date", "1>0.0"),
    # Never a later call, and no call with another id or without one.
    ("T:c1 A[c1]", "-"),
    ("T:c1 A[c1] T:c1", "- 2>1.0"),
    ("A[c1] T:c2", "-"),
    ("A[:tool] T:c1", "-"),
]

WITHOUT_ID = [
    # The first of its tool's name, else the first.
    ("A[:a,:b] T::b T::a", "1>0.1 2>0.0"),
    ("A[:a,:b,:a] T::a T::a T::b", "1>0.0 2>0.2 3>0.1"),
    ("A[:a,:b] T::x T::y", "1>0.0 2>0.1"),
    ("A[:a,:b] T::a T::a T::a", "1>0.0 2>0.1 -"),
    # In the newest group that has an unanswered call without an id.
    ("A[:a] A[:b] T::a", "2>1.0"),
    ("A[:a] A[:b] T::b T::b", "2>1.0 3>0.0"),
    ("A[:a] A[c1] T::a", "2>0.0"),
    ("A[c1:a,:a,c2:a] T::a T::a", "1>0.1 -"),
    # It crosses what an assistant, a system or an application says, but no user message.
    ("A[:a] A S C T::a", "4>0.0"),
    ("A[:a] U T::a", "-"),
    ("A[:a] U A[:a] T::a T::a", "3>2.0 -"),
    # Never a later call, and no call with an id.
    ("T::a A[:a]", "-"),
    ("A[c1:a] T::a", "-"),
]

PLACEHOLDERS = [
    # A placeholder answers what nothing answers, and a real result takes its place.
    ("A[c1] (c1)", "1>0.0"),
    ("A[c1] (c1) T:c1", "- 2>0.0"),
    ("A[c1] (c1) U T:c1 T:c1", "- 3>0.0 -"),
    ("A[:a] (:a) T::a", "- 2>0.0"),
    # It never takes the place of another answer.
    ("A[c1] T:c1 (c1)", "1>0.0 -"),
    ("A[c1] (c1) (c1)", "1>0.0 -"),
    ("A[c1,c1] T:c1 (c1) (c1)", "1>0.0 2>0.1 -"),
]


@pytest.mark.parametrize(("text", "expected"), BY_ID + WITHOUT_ID + PLACEHOLDERS)
def test_match(text: str, expected: str):
    """A result answers the call that the rules name; an orphan answers none."""
    assert expected == answers(conversation(text))


@pytest.mark.parametrize("call_id", [None, ""])
@pytest.mark.parametrize("result_id", [None, ""])
def test_an_empty_id_is_none(call_id: str | None, result_id: str | None):
    """Some providers send an empty id, for a call or for its result: it names nothing."""
    first, second = (
        ToolExecutionRequest(id=call_id, name=name, arguments="{}") for name in "ab"
    )
    result = attrs.evolve(ToolExecutionResultMessage.of(second, "2"), id=result_id)
    calls = AiMessage(tool_execution_requests=[first, second])
    assert {1: (0, 1)} == match([calls, result])
    assert {} == match([calls, *conversation("U"), result])


def test_a_result_may_lack_the_name_of_its_tool():
    """Without id and name a result answers the first call."""
    said = conversation("A[:a,:b]")
    assert {1: (0, 0)} == match([*said, ToolExecutionResultMessage(text="1")])
