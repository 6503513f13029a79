"""
Every expectation of LangChain4j's MessageWindowChatMemoryTest, with "sliding".

The cases are named after the tests there, which are (c) the authors of LangChain4j,
Apache-2.0. What the test of the token window expects as well (`id`,
`chat_memory_set_uses_reduced_store_ops` and the two of `set`) is in
test_both_windows.py.
"""

import pytest

from chatmemory import MessageWindowChatMemory
from notation import conversation, shown


# The limit; then, step by step, what is added one by one | what is left of it.
CASES = {
    "store_and_clear": (2, ["U1 U2 | U1 U2", "U3 | U2 U3"]),
    "should_keep_specified_number_of_messages_in_chat_memory": (
        3,
        ["U1 | U1", "A1 | U1 A1", "U2 | U1 A1 U2", "A2 | A1 U2 A2"],
    ),
    "should_not_evict_system_message_from_chat_memory": (
        3,
        ["S U1 A1 | S U1 A1", "U2 | S A1 U2", "A2 | S U2 A2"],
    ),
    "should_keep_only_the_latest_system_message_in_chat_memory": (
        3,
        ["S1 U1 A1 | S1 U1 A1", "S2 | U1 A1 S2"],
    ),
    "should_not_add_the_same_system_message_to_chat_memory_if_it_is_already_there": (
        3,
        ["S U1 A1 | S U1 A1", "S | S U1 A1"],
    ),
    "should_evict_orphan_ToolExecutionResultMessage_when_evicting_"
    "AiMessage_with_ToolExecutionRequest": (
        2,
        ["U | U", "A[1] | U A[1]", "T:1 | A[1] T:1", "A2 | A2"],
    ),
    "should_evict_orphan_ToolExecutionResultMessage_when_evicting_"
    "AiMessage_with_ToolExecutionRequest_when_SystemMessage_is_present": (
        3,
        ["S | S", "U | S U", "A[1] | S U A[1]", "T:1 | S A[1] T:1", "A2 | S A2"],
    ),
    "should_evict_orphan_ToolExecutionResultMessage_when_evicting_"
    "AiMessage_with_ToolExecutionRequest_when_SystemMessage_is_present_2": (
        2,
        ["S | S", "U | S U", "A[1] | S A[1]", "T:1 | S"],
    ),
    "should_evict_multiple_orphan_ToolExecutionResultMessages_when_evicting_"
    "AiMessage_with_ToolExecutionRequests": (
        3,
        [
            "U | U",
            "A[1,2] | U A[1,2]",
            "T:1 | U A[1,2] T:1",
            "T:2 | A[1,2] T:1 T:2",
            "A2 | A2",
        ],
    ),
    "should_evict_multiple_orphan_ToolExecutionResultMessages_when_evicting_"
    "AiMessage_with_ToolExecutionRequests_when_SystemMessage_is_present": (
        4,
        [
            "S | S",
            "U | S U",
            "A[1,2] | S U A[1,2]",
            "T:1 | S U A[1,2] T:1",
            "T:2 | S A[1,2] T:1 T:2",
            "A2 | S A2",
        ],
    ),
    "system_message_first_disabled, S first": (5, ["S U A | S U A"]),
    "system_message_first_disabled, U first": (5, ["U S A | U S A"]),
}


def sliding(max_messages, **options) -> MessageWindowChatMemory:
    return MessageWindowChatMemory(
        max_messages=max_messages, eviction="sliding", **options
    )


def add_one_by_one(memory: MessageWindowChatMemory, text: str) -> None:
    for message in conversation(text):
        memory.add(message)


@pytest.mark.parametrize("name", CASES)
def test_what_is_left(name: str):
    """After each step is left what LangChain4j leaves."""
    limit, steps = CASES[name]
    memory = sliding(limit)
    for step in steps:
        added, left = step.split(" | ")
        add_one_by_one(memory, added)
        assert left == shown(memory.messages())


def test_store_and_clear():
    """store_and_clear: nothing is left after `clear`, which may be repeated."""
    memory = sliding(2)
    add_one_by_one(memory, "U1 U2 U3")
    memory.clear()
    memory.clear()
    assert [] == memory.messages()


@pytest.mark.parametrize(
    ("memory_id", "left"),
    [("short", "U4 U5"), ("long", "U2 U3 U4 U5"), ("other", "U3 U4 U5")],
)
def test_dynamic_max_messages_behavior(memory_id: str, left: str):
    """dynamic_max_messages_behavior: each id has a limit of its own."""
    limits = {"short": 2, "long": 4}
    memory = sliding(lambda asked: limits.get(asked, 3), id=memory_id)
    add_one_by_one(memory, "U1 U2 U3 U4 U5")
    assert left == shown(memory.messages())
    memory.clear()
    assert [] == memory.messages()


def test_dynamic_max_messages_can_change_for_same_id():
    """dynamic_max_messages_can_change_for_same_id: it counts at once, also for reading."""
    limits = [3]
    memory = sliding(lambda _id: limits[-1], id="same-id")
    add_one_by_one(memory, "U1 U2 U3")
    assert "U1 U2 U3" == shown(memory.messages())
    add_one_by_one(memory, "U4")
    assert "U2 U3 U4" == shown(memory.messages())
    limits.append(5)
    add_one_by_one(memory, "U5")
    assert "U2 U3 U4 U5" == shown(memory.messages())
    limits.append(2)
    assert "U4 U5" == shown(memory.messages())


@pytest.mark.parametrize("added", ["S U A", "U S A"])
def test_system_message_first_enabled(added: str):
    """system_message_first_enabled: it is shown first, whenever it was added."""
    memory = sliding(5, always_keep_system_message_first=True)
    add_one_by_one(memory, added)
    assert "S U A" == shown(memory.messages())


def test_system_message_first_with_message_eviction():
    """system_message_first_with_message_eviction: the oldest goes, and it stays first."""
    memory = sliding(3, always_keep_system_message_first=True)
    add_one_by_one(memory, "S U1 U2")
    assert "S U1 U2" == shown(memory.messages())
    add_one_by_one(memory, "U3")
    assert "S U2 U3" == shown(memory.messages())
