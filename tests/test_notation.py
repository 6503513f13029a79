"""The notation and the validator that other tests rely on."""

import pytest

from chatmemory import (
    AiMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from notation import conversation, shown
from validator import problems


def test_words_are_messages():
    """Each word is one message, and its text where it has one."""
    request = ToolExecutionRequest(id="c1", name="tool", arguments="{}")
    expected = [
        SystemMessage("S"),
        UserMessage("U1"),
        AiMessage(tool_execution_requests=[request]),
        ToolExecutionResultMessage.of(request, "T:c1"),
        AiMessage("A"),
    ]
    assert expected == conversation("S U1 A[c1] T:c1 A")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S U1 A1 U2 A2 C",
        "A[c1,c2] T:c1 (c2) A1[c3]",
        "A[:weather,c2:time=now] T::weather T:c2:time=noon (:weather)",
    ],
)
def test_what_is_read_is_shown(text: str):
    """What was read is shown as it was written."""
    assert text == shown(conversation(text))


@pytest.mark.parametrize("word", ["X", "a", "T"])
def test_other_words_are_refused(word: str):
    """A slip in a test's notation is an error, not some message."""
    with pytest.raises(ValueError, match=word):
        conversation(word)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("S A U A[c1,c2] T:c2 T:c1 A", []),
        ("U A[c1,c2] T:c1", []),
        ("U A[c1] S", []),
        ("S1 U S2", ["several system messages"]),
        ("U T:c1", ["1: a result without its call"]),
        ("U A[c1] U", ["1: a call without its result"]),
        ("U A[c1,c2] T:c1 A", ["1: a call without its result"]),
        (
            "U A[c1] U T:c1",
            ["1: a call without its result", "3: a result without its call"],
        ),
        (
            "U A[c1] T:c1 T:c1 A",
            ["1: a result that answers none of the calls before it"],
        ),
        (
            "U A[c1] T:c1:other A",
            [
                "1: a result that answers none of the calls before it",
                "1: a call without its result",
            ],
        ),
        ("U A[c1,c1] T:c1 T:c1 A", ["1: calls share an id"]),
    ],
)
def test_validator_of_pairs(text: str, expected: list[str]):
    """The validator names each broken pair, and accepts an open group at the end."""
    assert expected == problems(conversation(text))


@pytest.mark.parametrize(
    ("said", "view", "expected"),
    [
        ("A U1 A1", "A U1 A1", []),
        ("S U1 A1 U2", "S U2", []),
        ("A1 A2 A3", "A3", []),
        ("A1 A2 U1", "A2 U1", []),
        ("S U1 A1 U2", "U2", ["the last SystemMessage is gone"]),
        ("U1 A1 U2 A2", "A2", ["the last UserMessage is gone"]),
        (
            "U1 A1 U2 A2",
            "A1 U2 A2",
            [
                "it begins with neither a user message nor what was said before the first"
            ],
        ),
    ],
)
def test_validator_of_losses(said: str, view: str, expected: list[str]):
    """The validator names what a view may not lose."""
    assert expected == problems(conversation(view), said=conversation(said))
