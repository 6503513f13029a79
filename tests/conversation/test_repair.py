"""What `repair` reports, and what holds for whatever it is given."""

from typing import get_args

import pytest

from hypothesis import given
from hypothesis import strategies as st

from chatmemory import ToolExecutionResultMessage, UserMessage
from chatmemory.conversation import (
    Correction,
    CorrectionKind,
    Repaired,
    is_valid,
    match,
    repair,
    unanswered,
)
from chatmemory.placeholders import is_placeholder
from notation import conversation, shown
from validator import problems


CORRECTIONS = [
    ("U T:c1 A", "orphan left out 1"),
    ("U A[c1] T:c1 T:c1=2", "orphan left out 3"),
    ("U A[c1] (c1) U2 T:c1", "placeholder left out 2, result moved 4"),
    ("U A[c1] T:c1 (c1)", "placeholder left out 3"),
    ("U (c1)", "placeholder left out 1"),
    ("S1 S2 U S3", "system message left out 0, system message left out 1"),
    ("U1 A[c1,c2,c3] T:c2 U2", "placeholder added 1, placeholder added 1"),
    ("U1 A[c1] U2 T:c1", "result moved 3"),
    ("U A[c1,c2] T:c2 S T:c1", "result moved 4"),
    ("U A[c1:time] T:c1:date", "result renamed 2"),
    ("U A[c1,c1]", "call renamed 1"),
    ("U A[c1,c1] T:c1 T:c1 A", "call renamed 1, result renamed 3"),
    (
        "T:c0 S1 U A[c1,c1] A S2 T:c1:date",
        (
            "orphan left out 0, system message left out 1, call renamed 3, "
            "placeholder added 3, result moved 6, result renamed 6"
        ),
    ),
]


@pytest.mark.parametrize(("text", "expected"), CORRECTIONS)
def test_corrections(text: str, expected: str):
    """Each change is listed with its kind and index, in the order of what was given."""
    changes = repair(conversation(text)).changes
    assert expected == ", ".join(f"{change.kind} {change.index}" for change in changes)


def test_each_kind_of_correction_is_tested():
    """A new kind needs a conversation that shows it."""
    expected = " ".join(expected for _text, expected in CORRECTIONS)
    assert [] == [kind for kind in get_args(CorrectionKind) if kind not in expected]


def test_corrections_are_values():
    """What was done can be compared and shown."""
    expected = Repaired(conversation("U"), [Correction("orphan left out", 0)])
    assert expected == repair(conversation("T:c1 U"))
    assert "Correction(kind='orphan left out', index=0)" == repr(expected.changes[0])


def test_a_valid_conversation_comes_back_as_it_is():
    """The messages are the same objects, in another list."""
    messages = conversation("S U1 A[c1,c2] T:c2 T:c1 A1 U2 A[c3]")
    repaired = repair(messages)
    assert list(map(id, messages)) == list(map(id, repaired.messages))
    assert messages is not repaired.messages
    assert [] == repaired.changes


WORDS = [
    *["S1", "S2", "U1", "U2", "A1", "C"],
    *["A[c1]", "A[c1,c2]", "A[c1,c1]", "A[:a,:b]", "A[c2:a,:a]"],
    *["T:c1", "T:c2", "T:c3", "T:c1:b", "T::a", "T::b", "(c1)", "(c2)", "(:a)"],
]
conversations = st.lists(st.sampled_from(WORDS), max_size=12).map(
    lambda words: conversation(" ".join(words))
)


@given(conversations)
def test_what_is_repaired_can_be_sent(messages):
    """Whatever it is given: pairs are whole and one system message is left."""
    repaired = repair(messages).messages
    assert [] == problems(repaired)
    assert is_valid(repaired) == (not unanswered(repaired))


@given(conversations)
def test_repairing_again_changes_nothing(messages):
    """What was repaired needs no repair."""
    once = repair(messages)
    twice = repair(once.messages)
    assert [] == twice.changes
    assert shown(once.messages) == shown(twice.messages)


@given(conversations)
def test_no_changes_means_the_same_messages(messages):
    """The list of changes is empty if, and only if, nothing was changed."""
    repaired = repair(messages)
    is_same = list(map(id, messages)) == list(map(id, repaired.messages))
    assert is_same == (repaired.changes == [])


@given(conversations)
def test_nothing_that_was_said_is_lost(messages):
    """What is left out are orphans and all system messages but the last."""
    repaired = repair(messages).messages
    results = [m for m in repaired if isinstance(m, ToolExecutionResultMessage)]
    matched = match(messages)
    real = [m for m in results if not is_placeholder(m)]
    assert len(real) == sum(not is_placeholder(messages[index]) for index in matched)
    spoken = [m.text for m in messages if isinstance(m, UserMessage)]
    assert spoken == [m.text for m in repaired if isinstance(m, UserMessage)]
