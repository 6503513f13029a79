"""What the model says."""

import attrs
import pytest

from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.errors import (
    MessageTypeError,
    UnsupportedContentError,
)
from chatmemory.messages import (
    AiMessage,
    UserMessage,
)
from openai_wire import assert_comes_back, call, calling, result, written


@pytest.mark.parametrize("content", ["", "Let me see.", None])
def test_text_beside_calls_comes_back(content):
    """An empty text and no text are two things where there are calls."""
    assert_comes_back(calling(call()) | {"content": content}, result())


@pytest.mark.parametrize("fields", [{}, {"content": []}, {"content": None}])
def test_no_content_beside_calls_is_null(fields):
    """Missing, [] and null mean the same, and null is what OpenAI writes."""
    (message,) = from_openai(
        [{"role": "assistant", "tool_calls": [call(None)], **fields}]
    )

    assert message.text is None
    assert calling(call("call_0_0")) == written(message)


@pytest.mark.parametrize("tool_calls", [None, []])
def test_no_calls_are_left_out(tool_calls):
    """OpenAI refuses an empty list of calls, so there is none."""
    history = [{"role": "assistant", "content": "Hi", "tool_calls": tool_calls}]

    assert [AiMessage("Hi")] == from_openai(history)
    assert {"role": "assistant", "content": "Hi"} == written(AiMessage("Hi"))


@pytest.mark.parametrize(
    "message",
    [
        AiMessage(),
        AiMessage(""),
        AiMessage(thinking="Hm."),
        AiMessage(attributes={"openai": {"refusal": None, "prefix": True}}),
    ],
)
def test_message_with_nothing_to_send_is_left_out(message):
    """Providers refuse an assistant's message without anything in it."""
    assert [{"role": "user", "content": "Hi"}] == to_openai(
        [UserMessage("Hi"), message]
    )


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "text", "text": "a", "x": 1}],
        [{"type": "text", "text": "a"}, {"type": "text", "text": ""}],
        [{"type": "refusal", "refusal": "No."}],
        [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "No."}],
    ],
)
def test_parts_of_an_assistant_come_back(parts):
    """Parts with more to them than their text are kept, refusals among them."""
    assert_comes_back({"role": "assistant", "content": parts})


@pytest.mark.parametrize("parts", [[{"type": "thinking"}], [{"type": "image_url"}]])
def test_unknown_part_of_an_assistant_is_refused(parts):
    """An assistant has text and refusals; the error says so."""
    with pytest.raises(UnsupportedContentError, match="text, refusal"):
        from_openai([{"role": "assistant", "content": parts}])


def test_text_part_of_an_assistant_needs_its_text():
    """A text part without text is a typed error."""
    with pytest.raises(MessageTypeError, match="'text' must be a str"):
        from_openai([{"role": "assistant", "content": [{"type": "text"}]}])


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("thinking", ["Hm.", ""])
def test_thinking_goes_back_where_it_came_from(field, thinking):
    """DeepSeek wants reasoning_content back, Groq reasoning, both also when empty."""
    history = [{"role": "assistant", "content": "4", field: thinking}]

    (message,) = from_openai(history)

    assert thinking == message.thinking
    assert history == to_openai([message])


@pytest.mark.parametrize("other", ["b", None])
def test_reasoning_content_comes_before_reasoning(other):
    """Of two fields with thinking one is it, and the other comes back as well."""
    history = [
        {
            "role": "assistant",
            "content": "4",
            "reasoning_content": "a",
            "reasoning": other,
        }
    ]

    assert "a" == from_openai(history)[0].thinking
    assert history == to_openai(from_openai(history))


def test_thinking_that_is_not_text_comes_back():
    """A field of another type is one like any other."""
    history = [{"role": "assistant", "content": "4", "reasoning": {"a": 1}}]

    assert from_openai(history)[0].thinking is None
    assert history == to_openai(from_openai(history))


def test_changed_thinking_is_sent_and_removed_thinking_is_not():
    """The field is remembered, but what is in it belongs to the message."""
    (message,) = from_openai([{"role": "assistant", "content": "4", "reasoning": "a"}])

    assert "b" == written(attrs.evolve(message, thinking="b"))["reasoning"]
    assert {"role": "assistant", "content": "4"} == written(
        attrs.evolve(message, thinking=None)
    )


def test_thinking_of_other_providers_is_not_sent():
    """Chat has no place for thinking, unless it came from there."""
    assert {"role": "assistant", "content": "4"} == written(
        AiMessage("4", thinking="Hm.", attributes={"anthropic": {"signature": "s"}})
    )


def test_refusal_comes_back():
    """A refusal stands in for content."""
    assert_comes_back({"role": "assistant", "content": None, "refusal": "No."})


def test_audio_is_kept_whole_and_sent_as_its_id():
    """The API takes back only the id of what the model spoke."""
    audio = {"id": "audio_1", "data": "AA==", "expires_at": 1, "transcript": "Hi"}

    (message,) = from_openai([{"role": "assistant", "content": None, "audio": audio}])

    assert audio == message.attributes["openai"]["audio"]
    assert {
        "role": "assistant",
        "content": None,
        "audio": {"id": "audio_1"},
    } == written(message)


def test_what_gateways_add_for_nothing_is_left_out():
    """A function_call and an audio with nothing in them are not sent back."""
    message = {
        "role": "assistant",
        "content": "4",
        "function_call": {"name": "", "arguments": ""},
        "audio": {"id": "", "data": ""},
    }

    assert [{"role": "assistant", "content": "4"}] == to_openai(from_openai([message]))


@pytest.mark.parametrize("field", ["audio", "function_call", "refusal", "x"])
def test_null_fields_come_back(field):
    """A null is a field like any other."""
    assert_comes_back({"role": "assistant", "content": "4", field: None})


def test_function_call_is_refused():
    """The legacy form of calls has a new one, and the error says so."""
    function_call = {"name": "f", "arguments": "{}"}

    with pytest.raises(UnsupportedContentError, match="tool_calls") as caught:
        from_openai(
            [{"role": "assistant", "content": None, "function_call": function_call}]
        )

    assert "function_call" == caught.value.content_type
