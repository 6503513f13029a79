"""Reports about what stores keep, and in which order, each named after its id."""

from datetime import datetime

import pytest

from sqlalchemy import update

from chatmemory import (
    AiMessage,
    Change,
    MessageEncodeError,
    MessageTypeError,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
    messages_from_json,
    messages_to_json,
)
from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.testing import Blocking
from notation import conversation, shown


ONE_TIME = datetime(2000, 1, 1)  # noqa: DTZ001 - the column has no zone


def texts(entries) -> str:
    return shown(entry.message for entry in entries)


def message_table(store, tables):
    inner = store.store if isinstance(store, Blocking) else store
    return inner.metadata.tables[tables.options["message_table"]]


def test_microsoft_agent_framework_4924(logged, window, history):
    """What was written out and restored between two turns is not saved again."""
    memory = window(logged())
    memory.add(*conversation("U1 A1"))
    saved = messages_to_json(memory.messages(), extended=True)
    store = logged()
    memory = window(store)
    memory.set(*messages_from_json(saved))
    memory.add(*conversation("U2 A2"))
    assert "U1 A1 U2 A2" == shown(memory.messages())
    assert "U1 A1 U2 A2" == texts(history(store))


def test_run_llama_llama_index_23183(tables, window):
    """A message that can't be written is refused, and what it was to replace stays."""
    store = tables()
    memory = window(store)
    memory.add(*conversation("U1"))
    with pytest.raises(MessageTypeError):
        memory.set(*conversation("U2"), AiMessage("A", attributes={"x": object()}))
    with pytest.raises(MessageTypeError):
        memory.set(*conversation("U2"), object())
    unwritable = UserMessage("\ud83d\ude00")
    with pytest.raises(MessageEncodeError):
        memory.set(*conversation("U2"), unwritable)
    with pytest.raises(MessageEncodeError):
        store.update_messages("user", [*conversation("U2"), unwritable])
    assert "U1" == shown(memory.messages())
    assert "U1" == shown(tables().get_messages("user"))


def test_pydantic_pydantic_ai_530(tables, window):
    """A run goes on where it was after each restart, also between call and result."""
    for step in ("U1 A[c1]", "T:c1 A1", "U2"):
        window(tables()).add(*conversation(step))
    assert "U1 A[c1] T:c1 A1 U2" == shown(window(tables()).messages())


def test_langchain4j_langchain4j_1980(logged, history, written):
    """Of three messages, two of which are there, one is written; positions stay."""
    first, second, third = conversation("U1 A1 U2")
    logged().update_messages("user", [first, second])
    store = logged()
    before = history(store)
    written.clear()
    store.update_messages("user", [first, second, third])
    assert 1 == sum("U2" in row for row in written)
    assert not [row for row in written if "U1" in row or "A1" in row]
    assert before == history(store)[:2]
    assert "U1 A1 U2" == texts(history(store))


def test_langchain_ai_langchain_14458(logged, window, history):
    """A wrapper that hands back the whole prompt with the reply saves nothing twice."""
    for question, reply in (conversation("U1 A1"), conversation("U2 A2")):
        memory = window(logged())
        prompt = [*memory.messages(), question]
        memory.set(*prompt, reply)
    assert "U1 A1 U2 A2" == shown(memory.messages())
    assert "U1 A1 U2 A2" == texts(history(logged()))


def test_open_webui_open_webui_15616(tables, window):
    """A NUL comes back wherever it stood."""
    call = ToolExecutionRequest(id="c\0", name="t\0", arguments='{"a": "\0"}')
    said = [
        UserMessage("a\0b", name="\0"),
        AiMessage("\0", thinking="a\0", tool_execution_requests=[call]),
        ToolExecutionResultMessage.of(call, "a\0b"),
        AiMessage("b", attributes={"k\0": "v\0"}),
    ]
    window(tables()).add(*said)
    assert said == window(tables()).messages()


def test_spring_projects_spring_ai_2781(logged, history):
    """Ten messages of one batch have an order of their own, which no reader reverses."""
    ten = conversation("U0 A0 U1 A1 U2 A2 U3 A3 U4 A4")
    logged().update_messages("user", ten)
    store = logged()
    assert ten == store.get_messages("user")
    entries = history(store, limit=10)
    assert ten == [entry.message for entry in entries]
    positions = [entry.position for entry in entries]
    assert sorted(set(positions)) == positions


def test_run_llama_llama_index_22963(tables):
    """One message of three, or the only one, goes, and the order of the rest stays."""

    def without(index):
        return lambda state: Change([*state[:index], *state[index + 1 :]], [])

    store = tables()
    store.update_messages("three", conversation("U A U2"))
    store.update_messages("one", conversation("U"))
    store.change_messages("three", without(1))
    store.change_messages("one", without(0))
    for each in (store, tables()):
        assert "U U2" == shown(each.get_messages("three"))
        assert [] == each.get_messages("one")


def test_spring_projects_spring_ai_6895(tables, by_hand):
    """A question comes before its answer in each read, though both have one time."""
    tables.options["cache_bytes"] = 0
    store = tables()
    store.update_messages("user", conversation("U1 A1"))
    table = message_table(store, tables)
    tied = update(table).values(created_at=ONE_TIME)
    by_hand(store, lambda connection: connection.execute(tied))
    assert ["U1 A1"] * 20 == [shown(store.get_messages("user")) for _ in range(20)]


def test_openai_openai_agents_python_2426(logged, window, history):
    """Call and output of a run are saved with its question and its answer."""
    call = {"name": "weather", "arguments": '{"city":"Oslo"}'}
    run = [
        {"role": "user", "content": "Oslo?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
        {"role": "assistant", "content": "It rains."},
    ]
    memory = window(logged())
    for message in from_openai(run):
        memory.add(message)
    store = logged()
    assert run == to_openai(window(store).messages())
    assert run == to_openai([entry.message for entry in history(store)])


def test_langchain4j_langchain4j_1107(logged, window, history):
    """The memory is the last ten of thirty messages, the history is all thirty."""
    said = conversation(" ".join(f"U{number} A{number}" for number in range(15)))
    memory = window(logged(), 10)
    for message in said:
        memory.add(message)
    store = logged()
    assert said[-10:] == window(store, 10).messages()
    assert said == [entry.message for entry in history(store)]


def test_microsoft_agent_framework_8441(logged, window, history):
    """A question is kept when its first reply is a call and the window is too small."""
    memory = window(logged(), 3)
    for message in conversation("U1 A[c1] T:c1 A1"):
        memory.add(message)
        assert "U1" == memory.messages()[0].text
    store = logged()
    assert "U1 A1" == shown(window(store, 3).messages())
    assert "U1 A[c1] T:c1 A1" == texts(history(store))


def test_google_adk_python_4917(logged, history, by_hand):
    """A page is read without the other 2,950 messages: here none of them can be read."""
    store = logged()
    said = [UserMessage(f"U{number}") for number in range(3_000)]
    store.update_messages("user", said)
    last = history(store, limit=50)
    start = last[0].position
    table = message_table(store, logged)
    is_other = (table.c.position < start - 50) | (table.c.position >= start)
    broken = update(table).where(is_other).values(body="broken")
    by_hand(store, lambda connection: connection.execute(broken))
    page = history(logged(), before=start, limit=50)
    assert said[-100:-50] == [entry.message for entry in page]


def test_agno_agi_agno_8805(tables, window, written):
    """Turn 501 writes about as many bytes as turn 2."""

    def size_of(turn: str) -> int:
        written.clear()
        memory.add(*conversation(turn))
        return sum(map(len, written))

    memory = window(tables(), 10_000)
    memory.add(*conversation("U0001 A0001"))
    early = size_of("U0002 A0002")
    memory.add(*conversation(" ".join(f"U{n:04} A{n:04}" for n in range(3, 501))))
    assert 1_000 == len(memory.messages())
    late = size_of("U0501 A0501")
    assert 0 < late <= early + 20


def test_langchain_ai_langchain_redis_178(logged, history, by_hand):
    """Two hundred messages keep their order when all have the same time."""
    said = [UserMessage(f"U{number}") for number in range(200)]
    store = logged()
    store.update_messages("user", said)
    tied = update(message_table(store, logged)).values(created_at=ONE_TIME)
    by_hand(store, lambda connection: connection.execute(tied))
    another = logged()
    assert said == another.get_messages("user")
    assert said == [entry.message for entry in history(another, limit=200)]
