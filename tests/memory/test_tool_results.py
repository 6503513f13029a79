"""Which results a memory takes, and how it shows what is missing or late."""

import pytest

from chatmemory import (
    DuplicateToolCallError,
    MessageWindowChatMemory,
    OrphanToolResultError,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
)
from chatmemory.conversation import repair, unanswered
from notation import conversation, message, shown
from stores_for_tests import ThreeVerbStore, on


def test_results_in_any_order(window):
    """Results of parallel calls may come in any order and in any batches."""
    memory = window(10)
    memory.add(*conversation("U A[c1,c2,c3] T:c3"))
    memory.add(*conversation("T:c1"))
    memory.add(*conversation("T:c2 A1"))
    assert "U A[c1,c2,c3] T:c3 T:c1 T:c2 A1" == shown(memory.messages())


def test_open_calls_are_shown_open(window):
    """A view with an open call is not to be sent; `unanswered` lists what is missing."""
    memory = window(10)
    memory.add(*conversation("U A[c1,c2] T:c2"))
    memory.add(*conversation("S"))
    assert "U A[c1,c2] T:c2 S" == shown(memory.messages())
    missing = unanswered(memory.messages())
    assert [ToolExecutionRequest(id="c1", name="tool", arguments="{}")] == missing
    memory.add(ToolExecutionResultMessage.of(missing[0], "T:c1"))
    assert [] == unanswered(memory.messages())


def test_a_call_that_was_left_behind(window):
    """A crash mid-turn does not poison the conversation: the view has a placeholder."""
    memory = window(10)
    memory.add(*conversation("U1 A[c1,c2] T:c2"))
    memory.add(*conversation("U2"))
    assert "U1 A[c1,c2] (c1) T:c2 U2" == shown(memory.messages())


def test_a_late_result_takes_the_place_of_its_placeholder(window):
    """An approval may take days: the result is shown behind its call."""
    memory = window(10)
    memory.add(*conversation("U1 A[c1,c2] T:c2 U2 A2"))
    memory.add(*conversation("T:c1"))
    assert "U1 A[c1,c2] T:c1 T:c2 U2 A2" == shown(memory.messages())
    memory.add(*conversation("U3"))
    assert "U1 A[c1,c2] T:c1 T:c2 U2 A2 U3" == shown(memory.messages())


def test_placeholders_are_not_stored(shared_store, runner):
    """Who adds what a view showed adds no placeholder: the call stays unanswered."""
    memory = on(shared_store, runner, MessageWindowChatMemory, max_messages=10)
    memory.add(*conversation("U1 A[c1] U2"))
    view = memory.messages()
    assert "U1 A[c1] (c1) U2" == shown(view)
    memory.set(*view)
    memory.add(*conversation("(c1)"))
    assert view == memory.messages()
    memory.add(*conversation("T:c1"))
    assert "U1 A[c1] T:c1 U2" == shown(memory.messages())


ORPHANS = [
    ("U", "T:c1", "never called", "add the AiMessage with the call before its result"),
    ("", "T:c1", "never called", "add the AiMessage with the call before its result"),
    ("U A[c1]", "T:c2", "never called", "add the AiMessage with the call"),
    ("U A[c1]", "T::t", "never called", "add the AiMessage with the call"),
    ("U A[:t] U", "T::t", "never called", "add the AiMessage with the call"),
    ("U A[c1] T:c1", "T:c1=else", "already answered", "each call takes one result"),
    ("U A[c1] T:c1 U", "T:c1=else", "already answered", "each call takes one result"),
    ("U A[:t] T::t", "T::t=else", "already answered", "each call takes one result"),
]


@pytest.mark.parametrize(("said", "orphan", "reason", "way_out"), ORPHANS)
def test_orphans_are_refused(window, said: str, orphan: str, reason: str, way_out: str):
    """A result that answers nothing is an error that says why and what to do."""
    memory = window(10)
    memory.add(*conversation(said))
    before = memory.messages()
    with pytest.raises(OrphanToolResultError) as caught:
        memory.add(message(orphan))
    assert before == memory.messages()
    assert reason == caught.value.reason
    result = message(orphan)
    expected = (
        f"the result with id {result.id!r} of tool {result.tool_name!r} answers no call "
        f"in this memory ({reason}): {way_out}"
    )
    assert str(caught.value).startswith(expected)


def test_a_result_of_an_evicted_call(window):
    """The memory that has seen the call go can tell that it went."""
    memory = window(3, eviction="sliding")
    for added in conversation("U A[c1,c2,c3] T:c1 T:c2"):
        memory.add(added)
    memory.add(*conversation("U2"))
    with pytest.raises(OrphanToolResultError, match="raise the limit") as caught:
        memory.add(*conversation("T:c3"))
    assert "evicted" == caught.value.reason
    assert "U2" == shown(memory.messages())


def test_only_some_evicted_calls_are_remembered():
    """A memory that lives for ever does not remember calls for ever."""
    memory = MessageWindowChatMemory(max_messages=1, eviction="sliding")
    for number in range(1_001):
        memory.add(message(f"A[c{number}]"))
    memory.add(*conversation("U"))
    for number, reason in [(0, "never called"), (1, "evicted"), (1_000, "evicted")]:
        with pytest.raises(OrphanToolResultError) as caught:
            memory.add(message(f"T:c{number}"))
        assert reason == caught.value.reason


def test_a_result_before_its_call(window):
    """The order within a batch counts: a result never answers a later call."""
    memory = window(10)
    with pytest.raises(OrphanToolResultError):
        memory.add(*conversation("U T:c1 A[c1]"))
    with pytest.raises(OrphanToolResultError):
        memory.set(*conversation("U T:c1 A[c1]"))
    assert [] == memory.messages()


def test_all_or_nothing(window):
    """One bad message keeps the others of its batch out as well."""
    memory = window(3)
    memory.add(*conversation("S U1 A1"))
    for verb in (memory.add, memory.set):
        with pytest.raises(OrphanToolResultError):
            verb(*conversation("S2 U2 A[c1] T:c1 T:c2"))
        assert "S U1 A1" == shown(memory.messages())


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("U A[c1] T:c1", "T:c1"),
        ("U A[c1,c2] T:c1", "T:c1"),
        ("U A[c1] T:c1 A1 U2", "T:c1"),
        ("U A[:t] T::t", "T::t"),
    ],
)
def test_an_equal_second_result_is_ignored(window, said: str, again: str):
    """Who retries a step adds nothing twice."""
    memory = window(10)
    memory.add(*conversation(said))
    memory.add(*conversation(again))
    assert said == shown(memory.messages())


def test_an_equal_result_of_another_call_counts(window):
    """A provider that reuses ids has its second result stored as well."""
    memory = window(10)
    memory.add(*conversation("U A[c1] T:c1 A[c1] T:c1"))
    memory.add(*conversation("T:c1"))
    assert "U A[c1] T:c1 A[c1] T:c1" == shown(memory.messages())


@pytest.mark.parametrize("verb", ["add", "set"])
def test_calls_that_share_an_id_are_refused(window, verb: str):
    """No result could tell which it answers; calls without an id share none."""
    memory = window(10)
    memory.add(*conversation("U1"))
    with pytest.raises(DuplicateToolCallError) as caught:
        getattr(memory, verb)(*conversation("A1 A[c1,c2,c1]"))
    expected = (
        "argument 1 uses the call id 'c1' twice: give each call an id of its own, or add "
        "what conversation.repair makes of it"
    )
    assert expected == str(caught.value)
    assert "U1" == shown(memory.messages())
    memory.add(*conversation("A[:one,:two]"))
    assert "U1 A[:one,:two]" == shown(memory.messages())


def test_dirty_input_can_be_repaired_first(window):
    """`set(*repair(messages).messages)` takes what `set` alone would refuse."""
    memory = window(10)
    dirty = conversation("S1 T:c0 U A[c1,c1] T:c1 S2 U2")
    memory.set(*repair(dirty).messages)
    assert "U A[c1,c1-2] T:c1 (c1-2) S2 U2" == shown(memory.messages())


def test_dirt_in_a_foreign_store_is_not_shown():
    """The view is repaired, and what is stored stays as it is."""
    store = ThreeVerbStore()
    dirt = conversation("T:c0 U1 A[c1] U2 T:c1 T:c1 (c9) A[c2]")
    store.update_messages("user", dirt)
    memory = MessageWindowChatMemory(id="user", max_messages=20, store=store)
    assert "U1 A[c1] T:c1 U2 A[c2]" == shown(memory.messages())
    memory.add(*conversation("T:c2"))
    assert dirt + conversation("T:c2") == store.get_messages("user")
    assert "U1 A[c1] T:c1 U2 A[c2] T:c2" == shown(memory.messages())
