"""What was stored is decoded equal by every driver, or refused before the write."""

import base64
import random

import pytest

from drivers import DRIVERS, tables_of

from chatmemory import (
    AiMessage,
    CustomMessage,
    ImageContent,
    MessageEncodeError,
    MessageWindowChatMemory,
    ToolExecutionRequest,
    UserMessage,
    messages_to_json,
)
from notation import conversation, shown


@pytest.fixture(scope="module", params=DRIVERS)
def store(request, tmp_path_factory):
    """Open a store without a cache."""
    with tables_of(request.param, tmp_path_factory.mktemp("fidelity")) as tables:
        yield tables()


def check_comes_back(store, memory_id, *messages):
    """Equal, and as JSON as well, where 1, 1.0 and True are not the same."""
    store.update_messages(memory_id, list(messages))
    found = store.get_messages(memory_id)
    assert list(messages) == found
    assert messages_to_json(messages, extended=True) == messages_to_json(
        found, extended=True
    )


# A high surrogate is never directly before a low one: JSON has no form for that.
EVERY_CODE_POINT = "".join(
    chr(point)
    for span in [
        range(0xD800),
        range(0xDC00, 0xE000),
        range(0xD800, 0xDC00),
        range(0xE000, 0x110000),
    ]
    for point in span
)


def test_every_code_point(store):
    """There is no character that a text can't have."""
    assert 0x110000 == len(set(EVERY_CODE_POINT))
    check_comes_back(store, "code points", UserMessage(EVERY_CODE_POINT))


@pytest.mark.parametrize(
    "text",
    ["a\0b", "\ud83d", chr(0xDE00), "👩‍👩‍👧", "é e\u0301", "שלום \u202e", " x "],
    ids=["NUL", "high", "low", "four bytes", "combining", "right to left", "spaces"],
)
def test_text_in_every_field(store, text):
    """Names, ids of calls and names of attributes take the same characters."""
    request = ToolExecutionRequest(
        id=text, name=text, arguments=text, attributes={text: text}
    )
    user = UserMessage(text, name=text, attributes={text: [text]})
    ai = AiMessage(text, thinking=text, tool_execution_requests=[request])
    check_comes_back(store, "fields", user, ai, CustomMessage({text: {text: text}}))


@pytest.mark.parametrize("text", ["x" * 10_000_000, "é" * 5_000_000], ids=["x", "é"])
def test_a_text_of_10_mb(store, text):
    """Long texts are neither cut nor refused."""
    check_comes_back(store, "long", UserMessage(text))


def test_an_image_of_5_mb(store):
    """Pictures are kept as base64, to the last byte."""
    data = base64.b64encode(random.Random(0).randbytes(5_000_000)).decode()
    image = ImageContent(base64_data=data, mime_type="image/png")
    check_comes_back(store, "image", UserMessage([image]))


def test_10_000_messages(store):
    """Long memories come back whole, in order, and grow."""
    messages = [UserMessage(str(number * 389 % 5_000)) for number in range(10_000)]
    check_comes_back(store, "many", *messages)
    memory = MessageWindowChatMemory(id="many", max_messages=20_000, store=store)
    memory.add(*conversation("A"))
    assert [*messages, *conversation("A")] == store.get_messages("many")


@pytest.mark.parametrize(
    "value",
    [
        None,
        [True, 1, 1.0, False, 0, 0.0, -0.0],
        [2**63, -(2**63) - 1, 2**64, 10**400],
        [1e-7, 1e300, 5e-324, 0.1, 1e22, 1.7976931348623157e308],
        {"": [], "a": {}, "b": [[{"c": ""}]]},
    ],
    ids=["null", "look equal", "beyond 64 bits", "floats", "nested"],
)
def test_attributes(store, value):
    """All JSON values keep value and type."""
    check_comes_back(store, "attributes", CustomMessage({"value": value}))


@pytest.mark.parametrize(
    ("refused", "named"),
    [
        (UserMessage("\ud83d" + "\ude00"), "surrogate pair"),
        (UserMessage("U", name="\ud83d" + "\ude00"), "surrogate pair"),
        (CustomMessage({"n": 10**5_000}), "digits"),
    ],
    ids=["text", "name", "number"],
)
def test_what_json_has_no_form_for_is_refused(store, refused, named):
    """The error names it, and nothing of its batch is written."""
    store.update_messages("refused", conversation("U1 A1"))
    memory = MessageWindowChatMemory(id="refused", max_messages=9, store=store)
    with pytest.raises(MessageEncodeError, match=named):
        memory.add(UserMessage("fine"), refused)
    assert "U1 A1" == shown(store.get_messages("refused"))
