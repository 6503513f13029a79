"""Reports about what a message is after it was written and read, each named after its id."""

import base64
import json

import pytest

from sqlalchemy import update

from chatmemory import (
    AiMessage,
    ImageContent,
    MessageTypeError,
    UserMessage,
    message_to_json,
    messages_from_json,
    messages_to_json,
)
from chatmemory.clients.openai import to_openai
from chatmemory.testing import Blocking
from notation import call, conversation, shown
from sendable import refusals


SIGNATURE = "EqQBCgIYAhIM+/=="


@pytest.mark.parametrize("thinking", ["", "Oslo is cold.", None])
def test_yeachan_heo_gajae_code_4247(tables, window, thinking):
    """Thinking and signature are kept as they came; no other vendor gets one of them."""
    signed = {"anthropic": {"signature": SIGNATURE}}
    said = [UserMessage("U"), AiMessage("A", thinking=thinking, attributes=signed)]
    window(tables()).add(*said)
    view = window(tables()).messages()
    assert said == view
    assert thinking == view[1].thinking
    assert [
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "A"},
    ] == to_openai(view)


def test_pydantic_pydantic_ai_3038(tables, window):
    """Dicts are refused as messages, and become messages where they are validated."""
    said = conversation("U1 A[c1] T:c1 A1")
    text = messages_to_json(said, extended=True)
    store = tables()
    memory = window(store)
    with pytest.raises(MessageTypeError, match="dict"):
        memory.add(*json.loads(text))
    with pytest.raises(MessageTypeError, match="dict"):
        memory.set(*json.loads(text))
    assert [] == tables().get_messages("user")
    memory.add(*messages_from_json(text))
    assert said == window(tables()).messages()


OLDER = {
    "null": (
        (
            '{"text":"hello","thinking":null,"toolExecutionRequests":null,'
            '"attributes":{"usage":{"details":null}},"type":"AI"}'
        ),
        AiMessage("hello", attributes={"usage": {"details": None}}),
    ),
    "null in an unknown field": (
        '{"text":"hello","usage":{"details":null},"type":"AI"}',
        AiMessage("hello", attributes={"usage": {"details": None}}),
    ),
    "no attributes yet": (
        '{"text":"hello","toolExecutionRequests":[],"type":"AI"}',
        AiMessage("hello"),
    ),
}


@pytest.mark.parametrize("form", OLDER)
def test_pydantic_pydantic_ai_2789(tables, window, by_hand, form):
    """A row that an older release wrote is read, with its nulls, and goes on."""
    body, message = OLDER[form]
    store = tables()
    window(store).add(*conversation("A"))
    inner = store.store if isinstance(store, Blocking) else store
    table = inner.metadata.tables[tables.options["message_table"]]
    older = update(table).values(body=body)
    by_hand(store, lambda connection: connection.execute(older))
    memory = window(tables())
    assert [message] == memory.messages()
    memory.add(*conversation("U"))
    assert [message, *conversation("U")] == window(tables()).messages()


def test_1jehuang_jcode_321(tables, window):
    """A reply that was interrupted while it thought is kept, but not sent."""
    memory = window(tables())
    memory.add(UserMessage("U1"))
    memory.add(AiMessage(thinking="Oslo is"))
    memory.add(UserMessage("U2"))
    view = window(tables()).messages()
    assert AiMessage(thinking="Oslo is") == view[1]
    assert [] == refusals(view)
    assert ["user", "user"] == [each["role"] for each in to_openai(view)]


def test_anthropics_anthropic_sdk_python_1598(tables, window):
    """Blocks that only one model understands come back verbatim, with its name."""
    blocks = [
        {"type": "thinking", "thinking": " Oslo\n", "signature": SIGNATURE},
        {"type": "redacted_thinking", "data": SIGNATURE, "a": None, "Z": 1.50},
        {"type": "text", "text": "é\u2028"},
    ]
    kept = {"model": "claude-sonnet-4", "content": blocks}
    window(tables()).add(
        UserMessage("U"), AiMessage("A", attributes={"anthropic": kept})
    )
    found = window(tables()).messages()[1].attributes["anthropic"]
    assert json.dumps(kept) == json.dumps(found, default=list)


def test_alibaba_open_code_review_811(tables, window):
    """Signed thinking before a call is the same to the byte after store and load."""
    signed = AiMessage(
        thinking="Oslo\n is cold. ",
        tool_execution_requests=[call("c1")],
        attributes={"anthropic": {"signature": SIGNATURE}},
    )
    window(tables()).add(UserMessage("U"), signed, *conversation("T:c1 A"))
    view = window(tables()).messages()
    assert signed == view[1]
    before, after = (
        message_to_json(each, extended=True).encode() for each in (signed, view[1])
    )
    assert before == after
    assert "T:c1 A" == shown(view[2:])


def test_pydantic_pydantic_ai_1492(tables, window):
    """An image has the same bytes and the same media type after dump, store and load."""
    image = b"\xff\xd8\xff\xe0" + bytes(range(256))
    content = ImageContent(
        base64_data=base64.b64encode(image).decode(), mime_type="image/jpeg"
    )
    said = [UserMessage([content])]
    assert said == messages_from_json(messages_to_json(said))
    window(tables()).add(*said)
    [found] = window(tables()).messages()[0].contents
    assert image == base64.b64decode(found.base64_data)
    assert "image/jpeg" == found.mime_type
