"""What is refused."""

import subprocess
import sys

import pytest

from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.errors import (
    MessageTypeError,
    UnsupportedContentError,
)
from chatmemory.messages import (
    CustomMessage,
    UserMessage,
)
from openai_wire import exchange, user


@pytest.mark.parametrize(
    ("role", "way_out"),
    [("function", "tool_calls"), ("bot", "system, dev"), (None, "user"), ([], "tool")],
)
def test_unknown_role_is_refused(role, way_out):
    """A role that Chat has not, or no longer, is an error that says what to do."""
    with pytest.raises(UnsupportedContentError, match=way_out) as caught:
        from_openai([{"role": role, "content": "Hi", "name": "f"}])

    assert f"role {role!r}" == caught.value.content_type


@pytest.mark.parametrize("item", ["Hi", 1, None, ["user", "Hi"]])
def test_history_of_something_else_is_refused(item):
    """What has no fields is no message."""
    with pytest.raises(MessageTypeError, match="item 1 of a history must be a dict"):
        from_openai([{"role": "user", "content": "Hi"}, item])


@pytest.mark.parametrize("history", ["Hi", {"role": "user", "content": "Hi"}])
def test_a_single_message_is_no_history(history):
    """A text or one dict instead of a list is found out."""
    with pytest.raises(MessageTypeError, match="item 0 of a history"):
        from_openai(history)


def test_custom_message_is_refused():
    """No client can send an application's own messages."""
    with pytest.raises(UnsupportedContentError, match="leave it out") as caught:
        to_openai([UserMessage("Hi"), CustomMessage({"a": 1})])

    assert (1, "CustomMessage") == (
        caught.value.message_index,
        caught.value.content_type,
    )


def test_dict_is_no_message_to_send():
    """A provider's dict among messages is an error that names from_openai."""
    with pytest.raises(MessageTypeError, match=r"message 0: dict .* from_openai"):
        to_openai([{"role": "user", "content": "Hi"}])


def test_attributes_have_to_be_fields():
    """What is kept for this client are fields to send, whoever put it there."""
    message = UserMessage("Hi", attributes={"openai": "x"})

    with pytest.raises(MessageTypeError, match=r"message 0: .*must be a mapping"):
        to_openai([message])


def test_messages_may_come_from_an_iterator():
    """Nothing is lost if the messages can be read only once."""
    messages = exchange([None], [None])

    assert to_openai(messages) == to_openai(iter(messages))


def test_nothing_is_nothing():
    """No messages make no request, and an empty history no messages."""
    assert [] == to_openai([])
    assert [] == from_openai([])


def test_no_text_of_a_message_is_in_an_error():
    """Errors go to logs, and what users wrote does not belong there."""
    secret = {"type": "text", "text": {"my": "secret"}}

    with pytest.raises(MessageTypeError) as caught:
        from_openai([user(secret)])

    assert "secret" not in str(caught.value)


def test_no_sdk_is_imported():
    """The client works without the openai package, and does not load it."""
    code = "import sys, chatmemory.clients.openai; print('openai' in sys.modules)"

    output = subprocess.check_output([sys.executable, "-c", code], text=True)

    assert "False" == output.strip()
