"""
Reports about calls without results and results without calls, each named after its id.

What they have in common: the provider refuses the next request, and often every one
after it.
"""

import asyncio
import subprocess
import sys

from pathlib import Path

import pytest

from chatmemory import (
    AiMessage,
    InMemoryChatMemoryStore,
    MessageWindowChatMemory,
    ToolExecutionResultMessage,
)
from chatmemory.conversation import repair, unanswered
from chatmemory.placeholders import is_placeholder
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, message, shown
from sendable import refusals
from ten_tokens import WINDOWS
from validator import problems


def add_one_by_one(memory: MessageWindowChatMemory, text: str) -> None:
    for each in conversation(text):
        memory.add(each)


def test_langchain_ai_langchain_33245():
    """The last six messages do not begin with the result of a call that is gone."""
    memory = MessageWindowChatMemory(max_messages=6)
    add_one_by_one(memory, "S U1 A[c1] T:c1 A1 U2")
    assert "S U1 A[c1] T:c1 A1 U2" == shown(memory.messages())
    add_one_by_one(memory, "A2 U3")
    assert "S U2 A2 U3" == shown(memory.messages())
    assert [] == refusals(memory.messages())


def test_aaif_goose_goose_1624():
    """Ctrl-C while a tool runs leaves a session that goes on with a placeholder."""
    memory = MessageWindowChatMemory(max_messages=20)

    def turn(question: str) -> None:
        memory.add(message(question))
        memory.add(message("A[c1]"))
        for call in unanswered(memory.messages()):
            memory.add(ToolExecutionResultMessage.of(call, slow_tool()))

    def slow_tool() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        turn("U1")
    memory.add(message("U2"))
    assert "U1 A[c1] (c1) U2" == shown(memory.messages())
    assert [] == refusals(memory.messages())


def test_pydantic_pydantic_ai_7977():
    """A run that is cancelled during its first tool leaves a history for a new prompt."""
    memory = MessageWindowChatMemory(max_messages=20)

    async def run(tool_runs: asyncio.Event) -> None:
        await memory.aadd(*conversation("U1 A[c1]"))
        tool_runs.set()
        await asyncio.Event().wait()

    async def cancel_and_go_on() -> None:
        tool_runs = asyncio.Event()
        running = asyncio.create_task(run(tool_runs))
        await tool_runs.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await memory.aadd(message("U2"))

    asyncio.run(cancel_and_go_on())
    assert "U1 A[c1] (c1) U2" == shown(memory.messages())
    assert [] == refusals(memory.messages())


def test_pydantic_pydantic_ai_1995(tmp_path: Path):
    """A suspended call is loaded without its result, which completes it when it comes."""
    url = f"sqlite:///{tmp_path / 'chat.db'}"
    with SqlChatMemoryStore.from_url(url) as store:
        memory = MessageWindowChatMemory(id="user", max_messages=20, store=store)
        memory.add(*conversation("U A[c1]"))
    with SqlChatMemoryStore.from_url(url) as store:
        memory = MessageWindowChatMemory(id="user", max_messages=20, store=store)
        assert ["c1"] == [call.id for call in unanswered(memory.messages())]
        memory.add(message("T:c1"))
        assert "U A[c1] T:c1" == shown(memory.messages())
        assert [] == refusals(memory.messages())


def test_spring_projects_spring_ai_5940():
    """With a window of three, no step shows half of a pair."""
    memory = MessageWindowChatMemory(max_messages=3)
    said = []
    for each in conversation("U1 A[c1] T:c1 A1 U2"):
        memory.add(each)
        said.append(each)
        assert [] == problems(memory.messages(), said=said)
    assert "U1 A1 U2" == shown(memory.messages())
    assert [] == refusals(memory.messages())


@pytest.mark.parametrize(
    ("eviction", "left"), [("turns", "S U1 A1 U2"), ("sliding", "S A1 U2")]
)
def test_langchain4j_langchain4j_585(eviction: str, left: str):
    """Both results go in the step in which their call goes, with either eviction."""
    memory = MessageWindowChatMemory(max_messages=5, eviction=eviction)
    add_one_by_one(memory, "S U1 A[c1,c2] T:c1 T:c2 A1 U2")
    assert left == shown(memory.messages())
    assert [] == refusals(memory.messages())


@pytest.mark.parametrize("eviction", ["turns", "sliding"])
def test_jetbrains_koog_2169(eviction: str):
    """The last three messages would begin with a result: it goes with its request."""
    store = InMemoryChatMemoryStore()
    store.update_messages("user", conversation("U1 A[c1] T:c1 A1 U2"))
    memory = MessageWindowChatMemory(
        id="user", max_messages=3, store=store, eviction=eviction
    )
    left = {"turns": "U2", "sliding": "A1 U2"}
    assert left[eviction] == shown(memory.messages())
    assert [] == refusals(memory.messages())


DIES_WHILE_A_TOOL_RUNS = """
import os, sys
from chatmemory import *
from chatmemory_stores.sql import SqlChatMemoryStore

store = SqlChatMemoryStore.from_url(sys.argv[1])
memory = MessageWindowChatMemory(id="user", max_messages=20, store=store)
call = ToolExecutionRequest(id="c1", name="tool", arguments="{}")
memory.add(SystemMessage("S"), UserMessage("U1"))
memory.add(AiMessage(tool_execution_requests=[call]))
os._exit(9)
"""


def test_langchain4j_langchain4j_3806(tmp_path: Path):
    """After a crash between call and result the conversation works again."""
    url = f"sqlite:///{tmp_path / 'chat.db'}"
    command = [sys.executable, "-c", DIES_WHILE_A_TOOL_RUNS, url]
    assert 9 == subprocess.run(command, check=False).returncode
    with SqlChatMemoryStore.from_url(url) as store:
        memory = MessageWindowChatMemory(id="user", max_messages=20, store=store)
        memory.add(message("U2"))
        view = memory.messages()
    assert "S U1 A[c1] (c1) U2" == shown(view)
    assert is_placeholder(view[3])
    assert [] == refusals(view)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("limit", range(1, 8))
def test_berriai_litellm_10696(window, limit: int):
    """Wherever the limit cuts, all three results are kept or none of them."""
    memory = window(limit, overflow="keep")
    said = conversation("S U1 A[c1,c2,c3] T:c1 T:c2 T:c3 U2")
    memory.add(*said)
    results = shown(memory.messages()).count("T:")
    assert (3 if limit == 7 else 0) == results
    assert [] == refusals(memory.messages(), said=said)


def test_langchain_ai_langchain_34282():
    """Ten parallel results are kept with their call, though six messages are wanted."""
    calls = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
    group = f"A[{','.join(calls)}] {' '.join(f'T:{call}' for call in calls)}"
    memory = MessageWindowChatMemory(max_messages=6)
    add_one_by_one(memory, f"U1 {group}")
    assert f"U1 {group}" == shown(memory.messages())
    assert [] == refusals(memory.messages())
    add_one_by_one(memory, "A1 U2")
    assert "U1 A1 U2" == shown(memory.messages())


def test_pydantic_pydantic_ai_5837():
    """The finished sibling's result is kept, the cancelled one's says: interrupted."""
    memory = MessageWindowChatMemory(max_messages=20)
    memory.add(*conversation("U1 A[c1,c2] T:c1"))
    memory.add(*conversation("U2"))
    view = memory.messages()
    assert "U1 A[c1,c2] T:c1 (c2) U2" == shown(view)
    assert "interrupted" in view[3].text
    assert view[3].is_error
    assert [] == refusals(view)


def test_pydantic_pydantic_ai_4728():
    """One interrupted run does not break the requests of later ones."""
    store = InMemoryChatMemoryStore()
    for added in ["U1 A[c1]", "U2", "A2 U3", "A3 U4"]:
        memory = MessageWindowChatMemory(id="user", max_messages=20, store=store)
        memory.add(*conversation(added))
        if added != "U1 A[c1]":
            assert [] == refusals(memory.messages())
    assert "U1 A[c1] (c1) U2 A2 U3 A3 U4" == shown(memory.messages())
    assert "U1 A[c1] U2 A2 U3 A3 U4" == shown(store.get_messages("user"))


def test_langchain_ai_langgraph_4289():
    """A thread that was cut off is repaired by one line, also outside of a memory."""
    thread = [*conversation("U1"), AiMessage("let me see"), *conversation("A[c1] U2")]
    assert ["messages[2].tool_calls[0]: has no result directly behind"] == [
        found for found in refusals(thread) if found.startswith("messages")
    ]
    assert [] == refusals(repair(thread).messages)
    memory = MessageWindowChatMemory(max_messages=20)
    memory.add(*thread)
    assert repair(thread).messages == memory.messages()
