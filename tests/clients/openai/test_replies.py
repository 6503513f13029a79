"""A message of what the model answered."""

import pytest

from chatmemory.clients.openai import reply_from_openai
from chatmemory.errors import (
    InvalidMessageError,
    MessageTypeError,
)
from chatmemory.messages import (
    AiMessage,
)
from openai_wire import call, request


REPLY = {"role": "assistant", "content": "4", "refusal": None, "annotations": []}


@pytest.mark.parametrize(
    "response",
    [
        REPLY,
        {"message": REPLY, "index": 0},
        {"id": "chatcmpl-1", "choices": [{"message": REPLY}, {"message": {}}]},
        {"choices": [{"message": {"content": "4"}}]},
    ],
)
def test_reply_of_a_response(response):
    """A response, its first choice and its message give the same, without noise."""
    assert AiMessage("4") == reply_from_openai(response)


def test_reply_keeps_what_says_something():
    """Annotations that are there are kept, and so are unknown fields."""
    citation = {"type": "url_citation", "url_citation": {"url": "https://a"}}
    reply = REPLY | {"annotations": [citation], "extra_content": {"a": None}}

    assert {"annotations": [citation], "extra_content": {"a": None}} == (
        reply_from_openai(reply).attributes["openai"]
    )


def test_what_the_sdk_parsed_is_left_out():
    """What `parse` adds are objects of the application, and no fields of the API."""
    function = {"name": "f", "arguments": "{}", "parsed_arguments": object()}
    reply = REPLY | {"parsed": object(), "tool_calls": [call(function=function)]}

    assert AiMessage("4", tool_execution_requests=[request(id="c1")]) == (
        reply_from_openai(reply)
    )


@pytest.mark.parametrize(
    "response", [{"choices": []}, {"choices": None}, {"error": {"message": "secret"}}]
)
def test_response_without_choices_is_refused(response):
    """A response that holds no reply is an error that says what to look at."""
    with pytest.raises(InvalidMessageError, match="its error field, and ask again"):
        reply_from_openai(response)


def test_streamed_chunk_is_refused():
    """A part of a reply is none; the error names what adds it up."""
    with pytest.raises(MessageTypeError, match="get_final_completion"):
        reply_from_openai({"choices": [{"delta": {"content": "4"}}]})


def test_message_of_somebody_else_is_no_reply():
    """Only the assistant replies."""
    with pytest.raises(MessageTypeError, match="assistant"):
        reply_from_openai({"role": "user", "content": "Hi"})


@pytest.mark.parametrize("response", ["4", None, {"choices": [None]}])
def test_response_of_something_else_is_refused(response):
    """What has no fields is no response."""
    with pytest.raises(MessageTypeError, match="must be a dict or an object"):
        reply_from_openai(response)
