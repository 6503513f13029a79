"""
Every expectation of LangChain4j's TokenWindowChatMemoryTest, with "sliding".

The cases are named after the tests there, which are (c) the authors of LangChain4j,
Apache-2.0, and so is the rule by which they count. What the test of the message window
expects as well (`id`, `chat_memory_set_uses_reduced_store_ops` and the two of `set`) is
in test_both_windows.py.
"""

import pytest

from chatmemory import TokenWindowChatMemory
from langchain4j_tokens import LangChain4jEstimator, costing


ESTIMATOR = LangChain4jEstimator()

# The limit; then, step by step, what is added one by one | what is left of it = what
# LangChain4j says that it costs.
CASES = {
    "should_keep_specified_number_of_tokens_in_chat_memory": (
        33,
        [
            "U1x10 | U1x10 = 13",
            "A1x10 | U1x10 A1x10 = 23",
            "U2x10 | U1x10 A1x10 U2x10 = 33",
            "A2x10 | A1x10 U2x10 A2x10 = 33",
        ],
    ),
    "should_not_evict_system_message_from_chat_memory": (
        33,
        [
            "Sx10 U1x10 A1x10 | Sx10 U1x10 A1x10 = 33",
            "U2x10 | Sx10 A1x10 U2x10 = 33",
            "A2x10 | Sx10 U2x10 A2x10 = 33",
        ],
    ),
    "should_keep_only_the_latest_system_message_in_chat_memory": (
        40,
        ["S1x9 Ux10 Ax10 | S1x9 Ux10 Ax10 = 32", "S2x9 | Ux10 Ax10 S2x9 = 32"],
    ),
    "should_not_add_the_same_system_message_to_chat_memory_if_it_is_already_there": (
        33,
        ["Sx10 Ux10 Ax10 | Sx10 Ux10 Ax10 = 33", "Sx10 | Sx10 Ux10 Ax10 = 33"],
    ),
    "should_evict_orphan_ToolExecutionResultMessage_when_evicting_"
    "AiMessage_with_ToolExecutionRequest": (
        39,
        [
            "Ux12 | Ux12 = 15",
            "A[1] | Ux12 A[1] = 39",
            "T:1 | A[1] T:1 = 32",
            "A2x11 | A2x11 = 14",
        ],
    ),
    "should_evict_orphan_ToolExecutionResultMessage_when_evicting_"
    "AiMessage_with_ToolExecutionRequest_when_SystemMessage_is_present": (
        48,
        [
            "Sx9 | Sx9 = 12",
            "Ux12 | Sx9 Ux12 = 24",
            "A[1] | Sx9 Ux12 A[1] = 48",
            "T:1 | Sx9 A[1] T:1 = 41",
            "A2x11 | Sx9 A2x11 = 23",
        ],
    ),
    "should_evict_orphan_ToolExecutionResultMessage_when_evicting_"
    "AiMessage_with_ToolExecutionRequest_when_SystemMessage_is_present_2": (
        36,
        [
            "Sx9 | Sx9 = 12",
            "Ux12 | Sx9 Ux12 = 24",
            "A[1] | Sx9 A[1] = 36",
            "T:1 | Sx9 = 12",
        ],
    ),
    "should_evict_multiple_orphan_ToolExecutionResultMessages_when_evicting_"
    "AiMessage_with_ToolExecutionRequests": (
        82,
        [
            "Ux17 | Ux17 = 20",
            "A[1,2] | Ux17 A[1,2] = 77",
            "T:1 | Ux17 A[1,2] T:1 = 82",
            "T:2 | A[1,2] T:1 T:2 = 70",
            "A2x20 | A2x20 = 23",
        ],
    ),
    "should_evict_multiple_orphan_ToolExecutionResultMessages_when_evicting_"
    "AiMessage_with_ToolExecutionRequests_when_SystemMessage_is_present": (
        91,
        [
            "Sx9 | Sx9 = 12",
            "Ux17 | Sx9 Ux17 = 29",
            "A[1,2] | Sx9 Ux17 A[1,2] = 86",
            "T:1 | Sx9 Ux17 A[1,2] T:1 = 91",
            "T:2 | Sx9 A[1,2] T:1 T:2 = 79",
            "A2x20 | Sx9 A2x20 = 32",
        ],
    ),
    "should_work_even_if_the_first_message_exceeds_max_tokens": (
        2,
        ["U1x25 |  = 3", "A1x10 |  = 3", "U2x25 |  = 3", "A2x10 |  = 3"],
    ),
    "should_not_fail_even_with_just_system_message": (2, ["Sx10 | Sx10 = 13"]),
    "system_message_first_disabled, S first": (
        100,
        ["Sx10 Ux10 Ax10 | Sx10 Ux10 Ax10 = 33"],
    ),
    "system_message_first_disabled, U first": (
        100,
        ["Ux10 Sx10 Ax10 | Ux10 Sx10 Ax10 = 33"],
    ),
}


def sliding(max_tokens, **options) -> TokenWindowChatMemory:
    return TokenWindowChatMemory(
        max_tokens=max_tokens, estimator=ESTIMATOR, eviction="sliding", **options
    )


def add_one_by_one(memory: TokenWindowChatMemory, text: str) -> None:
    for message in costing(text):
        memory.add(message)


@pytest.mark.parametrize("name", CASES)
def test_what_is_left(name: str):
    """After each step is left what LangChain4j leaves, and it costs the same."""
    limit, steps = CASES[name]
    memory = sliding(limit)
    for step in steps:
        added, left, cost = step.replace(" = ", " | ").split(" | ")
        add_one_by_one(memory, added)
        assert costing(left) == memory.messages()
        assert int(cost) == ESTIMATOR.count_messages(memory.messages())


def test_store_and_clear():
    """store_and_clear: two messages fill a limit of their cost and that of a request."""
    first, second, third = costing("U1x5 U2x5 U3x5")
    cost = ESTIMATOR.count_unit([first])
    assert 3 + cost == ESTIMATOR.count_messages([first])
    memory = sliding(3 + cost + ESTIMATOR.count_unit([second]))
    memory.add(first)
    memory.add(second)
    assert [first, second] == memory.messages()
    memory.add(third)
    assert [second, third] == memory.messages()
    memory.clear()
    memory.clear()
    assert [] == memory.messages()


@pytest.mark.parametrize(
    ("memory_id", "added", "left"),
    [
        ("short", "U1x10 A1x10 U2x10 A2x10", "A1x10 U2x10 A2x10"),
        ("long", "U1x10 A1x10 U2x10 A2x10 U3x10", "U1x10 A1x10 U2x10 A2x10 U3x10"),
        ("other", "U1x10 A1x10 U2x10 A2x10", "U1x10 A1x10 U2x10 A2x10"),
    ],
)
def test_dynamic_max_tokens_behavior(memory_id: str, added: str, left: str):
    """dynamic_max_tokens_behavior: each id has a limit of its own."""
    limits = {"short": 33, "long": 60}
    memory = sliding(lambda asked: limits.get(asked, 45), id=memory_id)
    add_one_by_one(memory, added)
    assert costing(left) == memory.messages()


def test_dynamic_max_tokens_can_change_for_same_id():
    """dynamic_max_tokens_can_change_for_same_id: it counts at once, also for reading."""
    limits = [33]
    memory = sliding(lambda _id: limits[-1], id="same-id")
    add_one_by_one(memory, "U1x10 A1x10 U2x10")
    assert costing("U1x10 A1x10 U2x10") == memory.messages()
    add_one_by_one(memory, "A2x10")
    assert costing("A1x10 U2x10 A2x10") == memory.messages()
    limits.append(43)
    add_one_by_one(memory, "U3x10")
    assert costing("A1x10 U2x10 A2x10 U3x10") == memory.messages()
    limits.append(33)
    assert costing("U2x10 A2x10 U3x10") == memory.messages()


@pytest.mark.parametrize("added", ["Sx10 Ux10 Ax10", "Ux10 Sx10 Ax10"])
def test_system_message_first_enabled(added: str):
    """system_message_first_enabled: it is shown first, whenever it was added."""
    memory = sliding(100, always_keep_system_message_first=True)
    add_one_by_one(memory, added)
    assert costing("Sx10 Ux10 Ax10") == memory.messages()


def test_system_message_first_with_message_eviction():
    """system_message_first_with_message_eviction: the oldest goes, and it stays first."""
    memory = sliding(35, always_keep_system_message_first=True)
    add_one_by_one(memory, "Sx10 U1x10 U2x10")
    assert costing("Sx10 U1x10 U2x10") == memory.messages()
    add_one_by_one(memory, "U3x10")
    assert costing("Sx10 U2x10 U3x10") == memory.messages()
