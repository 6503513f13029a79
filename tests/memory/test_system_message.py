"""A memory has one system message."""

import pytest

from chatmemory import (
    AiMessage,
    ConflictingSystemMessagesError,
    MessageWindowChatMemory,
    SystemMessage,
    UserMessage,
)
from notation import conversation, shown
from stores_for_tests import ThreeVerbStore, on


def test_an_equal_one_stays_where_it_is(window):
    """Who adds it before each question adds it once."""
    memory = window(10)
    memory.add(*conversation("U1 S A1"))
    memory.add(*conversation("S U2"))
    assert "U1 S A1 U2" == shown(memory.messages())


def test_another_one_takes_its_place_where_it_was_added(window):
    """The first is gone; the second stands after what was said before it."""
    memory = window(10)
    memory.add(*conversation("S1 U1 A1"))
    memory.add(*conversation("S2 U2"))
    assert "U1 A1 S2 U2" == shown(memory.messages())


def test_equal_means_equal_with_attributes(window):
    """A new cache mark makes another system message."""
    memory = window(10)
    memory.add(SystemMessage("S"), UserMessage("U"))
    marked = SystemMessage("S", attributes={"anthropic": {"cache": True}})
    memory.add(marked)
    assert [UserMessage("U"), marked] == memory.messages()


def test_it_is_never_evicted_and_counts(window):
    """It outlives every exchange, wherever it stands, and takes a place."""
    memory = window(3)
    memory.add(*conversation("U1 S"))
    memory.add(*conversation("A1 U2"))
    assert "S U2" == shown(memory.messages())
    memory.add(*conversation("A2"))
    assert "S U2 A2" == shown(memory.messages())


def test_one_that_nobody_asked_a_question_yet(window):
    """A system message alone is a memory, whatever the limit."""
    memory = window(1)
    memory.add(*conversation("S"))
    assert "S" == shown(memory.messages())
    memory.add(*conversation("U1"))
    assert "S U1" == shown(memory.messages())


@pytest.mark.parametrize(
    ("first", "added", "expected"),
    [
        (False, "S U A", "S U A"),
        (False, "U S A", "U S A"),
        (True, "U S A", "S U A"),
        (True, "U A[c1] S T:c1", "S U A[c1] T:c1"),
        (True, "U A", "U A"),
    ],
)
def test_it_can_be_shown_first(window, first: bool, added: str, expected: str):
    """`always_keep_system_message_first` shows it first, wherever it was added."""
    memory = window(10, always_keep_system_message_first=first)
    for message in conversation(added):
        memory.add(message)
    assert expected == shown(memory.messages())


def test_shown_first_is_not_stored_first(shared_store, runner):
    """Where it was added stays known: another memory may show it there."""
    options = {"runner": runner, "kind": MessageWindowChatMemory, "max_messages": 9}
    memory = on(shared_store, always_keep_system_message_first=True, **options)
    memory.add(*conversation("U S A"))
    assert "S U A" == shown(memory.messages())
    assert "U S A" == shown(on(shared_store, **options).messages())


@pytest.mark.parametrize("verb", ["add", "set"])
def test_two_different_ones_in_one_step_are_refused(window, verb: str):
    """Nobody can tell which one is meant; equal ones are one."""
    memory = window(10)
    memory.add(*conversation("S U1 A1"))
    step = getattr(memory, verb)
    with pytest.raises(ConflictingSystemMessagesError, match="join their texts"):
        step(*conversation("S1 U2 S2"))
    assert "S U1 A1" == shown(memory.messages())
    step(*conversation("S2 U2 S2"))
    expected = {"add": "U1 A1 S2 U2", "set": "S2 U2"}
    assert expected[verb] == shown(memory.messages())


def test_the_last_one_of_a_foreign_store_wins():
    """What somebody else stored may have several; the next one replaces all."""
    store = ThreeVerbStore()
    store.update_messages("user", conversation("S1 U1 S2 A1 S3 U2"))
    memory = MessageWindowChatMemory(id="user", max_messages=10, store=store)
    assert "U1 A1 S3 U2" == shown(memory.messages())
    memory.add(*conversation("S3"))
    assert "S1 U1 S2 A1 S3 U2" == shown(store.get_messages("user"))
    memory.add(AiMessage("A2"), SystemMessage("S1"))
    assert "U1 A1 U2 A2 S1" == shown(store.get_messages("user"))
