"""Reports about what windows evict, and when, each named after its id."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from chatmemory import (
    Change,
    ChatMessage,
    InMemoryChatMemoryStore,
    InvalidLimitError,
    MessageWindowChatMemory,
    SystemMessage,
    TokenWindowChatMemory,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
    WindowOverflowError,
)
from chatmemory.store import Changing
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, message, shown
from sendable import refusals
from ten_tokens import message_window, token_window
from validator import problems


@pytest.mark.parametrize(
    "direct_call",
    ["U{0} A[c{0}] T:c{0} A{0}", "A[c{0}] T:c{0}"],
    ids=["announced as a user", "alone"],
)
@pytest.mark.parametrize("eviction", ["turns", "sliding"])
def test_strands_agents_harness_sdk_578(direct_call: str, eviction: str):
    """Twenty tools that the application calls itself never exceed a window of twelve."""
    memory = MessageWindowChatMemory(max_messages=12, eviction=eviction)
    sizes = []
    for number in range(20):
        for each in conversation(direct_call.format(number)):
            memory.add(each)
            assert [] == problems(memory.messages())
            sizes.append(len(memory.messages()))
    assert 12 == max(sizes)


def test_strands_agents_harness_sdk_4087(tmp_path: Path):
    """What is pinned (here: the system message) is still first after a restart."""
    url = f"sqlite:///{tmp_path / 'chat.db'}"
    pinned = SystemMessage("You plan trips.\nThe user is called Kim.")
    with SqlChatMemoryStore.from_url(url) as store:
        memory = MessageWindowChatMemory(id="user", max_messages=4, store=store)
        memory.add(pinned)
        for each in conversation("U1 A1 U2 A2 U3 A3"):
            memory.add(each)
    with SqlChatMemoryStore.from_url(url) as store:
        memory = MessageWindowChatMemory(id="user", max_messages=4, store=store)
        assert [pinned, *conversation("U3 A3")] == memory.messages()
        memory.add(*conversation("U4 A4"))
        assert [pinned, *conversation("U4 A4")] == memory.messages()


@pytest.mark.parametrize("window", [message_window, token_window])
def test_spring_projects_spring_ai_6312(window):
    """A turn that is longer than the window keeps its question and its newest pair."""
    memory = window(4, overflow="keep")
    for each in conversation("S U1 A[c1] T:c1 A[c2] T:c2"):
        memory.add(each)
    assert "S U1 A[c2] T:c2" == shown(memory.messages())
    assert [] == refusals(memory.messages())
    memory = window(3, overflow="raise")
    memory.add(*conversation("S U1 A[c1]"))
    with pytest.raises(WindowOverflowError):
        memory.add(message("T:c1"))
    assert "S U1 A[c1]" == shown(memory.messages())


def growing() -> Callable[[str], int]:
    """Make a tokenizer that counts more each time, for whatever text."""
    asked = []

    def count(text: str) -> int:
        asked.append(text)
        return 1_000 * len(asked)

    return count


@pytest.mark.parametrize(
    "count", [lambda _text: 10**9, growing()], ids=["always too many", "ever more"]
)
@pytest.mark.parametrize("overflow", ["keep", "raise"])
def test_berriai_litellm_3329(count: Callable[[str], int], overflow: str):
    """A message that no tokenizer makes fit comes to an end: it is kept or refused."""
    memory = TokenWindowChatMemory(max_tokens=10, estimator=count, overflow=overflow)
    long = UserMessage("a long message " * 1_000)
    if overflow == "keep":
        memory.add(long)
        assert [long] == memory.messages()
    else:
        with pytest.raises(WindowOverflowError):
            memory.add(long)
        assert [] == memory.messages()


@pytest.mark.parametrize("eviction", ["turns", "sliding"])
def test_strands_agents_harness_sdk_702(eviction: str):
    """Of eight messages the old ones go, and the result among the last five is whole."""
    call = ToolExecutionRequest(id="c1", name="read_file", arguments="{}")
    result = ToolExecutionResultMessage.of(call, "a line of the file\n" * 5_000)
    said = conversation("U1 A1 U2 A2 U3 A[c1:read_file] T:c1 A3")
    said[6] = result
    memory = MessageWindowChatMemory(max_messages=5, eviction=eviction)
    memory.add(*said)
    left = {"turns": said[4:], "sliding": said[3:]}
    assert left[eviction] == memory.messages()
    assert memory.messages()[-2] is result


def beginnings(memory, turns: int) -> int:
    """Count how often the first message that is kept changes, over some turns."""
    first = []
    for number in range(turns):
        memory.add(message(f"U{number}"))
        first.append(memory.messages()[0])
        memory.add(message(f"A{number}"))
    return sum(before != after for before, after in pairwise(first))


def test_oguzbilgic_kern_ai_295():
    """With a budget of 1,000 and turns of 50 the cut moves once in ten turns."""
    of_25 = {"max_tokens": 1_000, "estimator": lambda _text: 21}
    moving = beginnings(TokenWindowChatMemory(**of_25), turns=100)
    blocks = beginnings(TokenWindowChatMemory(**of_25, evict_to=500), turns=100)
    assert (80, 8) == (moving, blocks)


def test_zeroclaw_labs_zeroclaw_10674():
    """With a cap of 100 and turns of twelve a low mark trims once in some turns."""
    loop = " ".join(f"A[c{number}] T:c{number}" for number in range(5))
    trims = {}
    for mark in (100, 50):
        memory = MessageWindowChatMemory(max_messages=100, evict_to=mark)
        sizes = []
        for number in range(50):
            memory.add(*conversation(f"U{number} {loop} A{number}"))
            sizes.append(len(memory.messages()))
        trims[mark] = sum(after < before + 12 for before, after in pairwise(sizes))
        assert max(sizes) <= 100
    assert {100: 42, 50: 9} == trims


def test_google_adk_python_5730():
    """A limit of 0 is not "no limit": it is refused by name, and nothing is returned."""
    with pytest.raises(InvalidLimitError, match="greater than zero: 0"):
        MessageWindowChatMemory(max_messages=0)
    limits = [5]
    memory = MessageWindowChatMemory(max_messages=lambda _id: limits[-1])
    memory.add(*conversation("U1 A1"))
    limits.append(0)
    with pytest.raises(InvalidLimitError, match="greater than zero: 0"):
        memory.messages()


def test_openclaw_openclaw_115273():
    """With blocks the prompt begins anew once a block, not each turn."""
    moving = beginnings(message_window(20), turns=40)
    blocks = beginnings(message_window(20, evict_to=10), turns=40)
    assert (30, 5) == (moving, blocks)


class LedgerStore(InMemoryChatMemoryStore):
    """Keeps also what was said in each step, as a store with a history does."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[list[ChatMessage]] = []

    def change_messages(self, memory_id: str, change: Changing) -> list[ChatMessage]:
        def noting(state: list[ChatMessage]) -> Change | None:
            changed = change(state)
            self.said += [] if changed is None else [changed.added]
            return changed

        return super().change_messages(memory_id, noting)


def test_pydantic_pydantic_ai_2914():
    """New are the two that were added, by identity, though the window dropped others."""
    store = LedgerStore()
    store.update_messages("user", conversation("U1 A1 U2 A2 U3 A3 U4 A4 U5 A5"))
    memory = MessageWindowChatMemory(id="user", max_messages=4, store=store)
    question, answer = conversation("U6 A6")
    memory.add(question, answer)
    assert "U5 A5 U6 A6" == shown(memory.messages())
    [new] = store.said
    assert [question, answer] == new
    assert new[0] is question
    assert new[1] is answer
