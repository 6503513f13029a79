"""What a view shows of what is stored: each rule, on conversations that need it."""

import pytest

from chatmemory import MessageWindowChatMemory, ToolExecutionResultMessage
from chatmemory.conversation import repair, unanswered
from chatmemory.placeholders import is_placeholder, placeholder_for
from notation import call, conversation, shown


ORPHANS = [
    ("T:c1 U A", "U A"),
    ("U T:c1 A", "U A"),
    ("U A[c1] T:c1 T:c1 A", "U A[c1] T:c1 A"),
    ("T:c1 A[c1]", "A[c1]"),
    ("T:c1", ""),
]

MOVED = [
    # Behind their call ...
    ("U1 A[c1] U2 T:c1 A2", "U1 A[c1] T:c1 U2 A2"),
    ("A[c1] A[c2] T:c1 T:c2 A3", "A[c1] T:c1 A[c2] T:c2 A3"),
    # ... in call order.
    ("U1 A[c1,c2] U2 T:c2 T:c1", "U1 A[c1,c2] T:c1 T:c2 U2"),
    ("U1 A[c1,c2,c3] T:c3 U2 T:c1", "U1 A[c1,c2,c3] T:c1 (c2) T:c3 U2"),
    # A system message goes behind the results that it stood before.
    ("U A[c1] S T:c1 A", "U A[c1] T:c1 S A"),
    ("S1 U A[c1,c2] T:c2 S2 T:c1", "U A[c1,c2] T:c1 T:c2 S2"),
    # Those that directly follow their call stay as they came.
    ("U A[c1,c2] T:c2 T:c1 A", "U A[c1,c2] T:c2 T:c1 A"),
]

CLOSED = [
    # By anything but results of the group and system messages ...
    ("U1 A[c1] U2", "U1 A[c1] (c1) U2"),
    ("U A[c1] A", "U A[c1] (c1) A"),
    ("U A[c1] C", "U A[c1] (c1) C"),
    ("U A[c1] A[c2]", "U A[c1] (c1) A[c2]"),
    ("U A[c1,c2] T:c2 A", "U A[c1,c2] (c1) T:c2 A"),
    # ... also by a result of another group, or of none.
    ("A[c1] U A[c2,c3] T:c2 T:c1", "A[c1] T:c1 U A[c2,c3] T:c2 (c3)"),
    ("U A[c1] T:c9", "U A[c1] (c1)"),
]

LATE = [
    ("U1 A[c1] U2 T:c1", "U1 A[c1] T:c1 U2"),
    ("U1 A[c1,c2] U2 T:c2 A2", "U1 A[c1,c2] (c1) T:c2 U2 A2"),
    ("U1 A[c1] U2 A[c2] T:c2 A2 T:c1", "U1 A[c1] T:c1 U2 A[c2] T:c2 A2"),
    # Also where a placeholder was stored.
    ("U1 A[c1] (c1) U2 T:c1", "U1 A[c1] T:c1 U2"),
    ("U1 A[c1,c2] (c1) (c2) U2 T:c2", "U1 A[c1,c2] (c1) T:c2 U2"),
    ("U1 A[c1] T:c1 (c1) U2", "U1 A[c1] T:c1 U2"),
    ("U1 (c1) U2", "U1 U2"),
]

OPEN = [
    ("U A[c1]", "U A[c1]"),
    ("U A[c1,c2] T:c2", "U A[c1,c2] T:c2"),
    ("U A[c1,c2] T:c1 S", "U A[c1,c2] T:c1 S"),
    ("U A[c1,c2] S T:c2", "U A[c1,c2] T:c2 S"),
    ("U A[c1,c2,c3] T:c3 T:c1", "U A[c1,c2,c3] T:c3 T:c1"),
]

RENAMED = [
    # A result takes its call's name, and its id.
    ("U A[c1:time] T:c1:date=9 A", "U A[c1:time] T:c1:time=9 A"),
    ("U A[:time] T::date=9 A", "U A[:time] T::time=9 A"),
    # Calls that share an id within one message get ids of their own.
    ("U A[c1,c1] T:c1=1 T:c1=2 A", "U A[c1,c1-2] T:c1=1 T:c1-2=2 A"),
    ("U A[c1,c1,c1] T:c1=1", "U A[c1,c1-2,c1-3] T:c1=1"),
    ("U A[c1,c1-2,c1] T:c1-2=2 A", "U A[c1,c1-2,c1-3] (c1) T:c1-2=2 (c1-3) A"),
    ("U A[c1,c2,c1,c2] A", "U A[c1,c2,c1-2,c2-2] (c1) (c2) (c1-2) (c2-2) A"),
    # Those without an id stay without one, and so do equal ids of different messages.
    ("U A[:a,:a] T::a T::a A", "U A[:a,:a] T::a T::a A"),
    ("U A[c1] T:c1 A[c1] T:c1", "U A[c1] T:c1 A[c1] T:c1"),
]

SYSTEM = [
    # The last of several, where it stands.
    ("S1 U S2 A", "U S2 A"),
    ("U S1 A S2", "U A S2"),
    ("S S", "S"),
]

RULES = ORPHANS + MOVED + CLOSED + LATE + OPEN + RENAMED + SYSTEM


@pytest.mark.parametrize(("stored", "expected"), RULES)
def test_view(stored: str, expected: str):
    """The view of what is stored is the repaired conversation."""
    assert expected == shown(repair(conversation(stored)).messages)


def test_placeholder():
    """It answers with its call's id and name, and says that the call was interrupted."""
    placeholder = repair(conversation("A[c1:search] U")).messages[1]
    assert placeholder_for(call("c1:search")) == placeholder
    assert ("c1", "search") == (placeholder.id, placeholder.tool_name)
    assert "The call was interrupted: it has no result." == placeholder.text
    assert placeholder.is_error
    assert {"chatmemory.placeholder": True} == placeholder.attributes


@pytest.mark.parametrize("mark", [None, False, 1, "true"])
def test_other_results_are_no_placeholders(mark: object):
    """Only the mark makes a placeholder, and it is True; the text is nobody's business."""
    request = call("c1")
    text = placeholder_for(request).text
    attributes = {} if mark is None else {"chatmemory.placeholder": mark}
    result = ToolExecutionResultMessage(
        id="c1", tool_name="tool", text=text, is_error=True, attributes=attributes
    )
    assert not is_placeholder(result)
    assert is_placeholder(placeholder_for(request))
    assert not is_placeholder(conversation("U")[0])


def test_a_view_that_is_added_again():
    """Its placeholders are left out, so a late result still finds its call."""
    view = repair(conversation("U1 A[c1] U2")).messages
    memory = MessageWindowChatMemory(max_messages=9)
    memory.add(*view)
    assert view == memory.messages()
    memory.add(*conversation("T:c1"))
    assert "U1 A[c1] T:c1 U2" == shown(memory.messages())


def test_open_calls_are_unanswered_until_they_are_closed():
    """What is shown open is what has to be answered; what was left behind is not."""
    for stored, _expected in OPEN:
        assert unanswered(conversation(stored))
    for stored, _expected in CLOSED:
        closed = conversation(stored.replace("A[c2]", "A"))
        assert [] == unanswered(closed)
