"""System and user messages."""

import attrs
import pytest

from chatmemory.cli.openai_rules import violations
from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.contents import (
    TextContent,
)
from chatmemory.errors import (
    InvalidMessageError,
    MessageTypeError,
    UnsupportedContentError,
)
from chatmemory.messages import (
    SystemMessage,
    UserMessage,
)
from openai_wire import assert_comes_back, call, calling, result, user, written


def test_system_message_is_sent_where_it_stands():
    """OpenAI takes a system message anywhere, so it is not moved."""
    assert [
        {"role": "user", "content": "Hi"},
        {"role": "system", "content": "Be brief."},
    ] == to_openai([UserMessage("Hi"), SystemMessage("Be brief.")])


def test_developer_role_is_kept():
    """A developer message is a system message that says so in its attributes."""
    history = [{"role": "developer", "content": "Be brief."}]

    messages = from_openai(history)

    assert [
        SystemMessage("Be brief.", attributes={"openai": {"role": "developer"}})
    ] == messages
    assert history == to_openai(messages)


def test_parts_of_a_system_message_are_joined_and_kept():
    """A cache mark on a part survives, although a system message is one text."""
    marked = {"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}}
    parts = [{"type": "text", "text": "a"}, marked]

    (message,) = from_openai([{"role": "system", "content": parts, "name": "boss"}])

    assert "ab" == message.text
    assert {"role": "system", "content": parts, "name": "boss"} == written(message)


def test_changed_text_wins_over_kept_parts():
    """Parts are sent only for as long as they say what the message says."""
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    (message,) = from_openai([{"role": "system", "content": parts}])

    changed = attrs.evolve(message, text="c")

    assert {"role": "system", "content": "c"} == written(changed)


@pytest.mark.parametrize("content", ["", " \n", [], None])
def test_blank_system_message_is_refused(content):
    """A system message has a text; the error says where it stands and what to do."""
    with pytest.raises(InvalidMessageError, match=r"message 0: .*add none"):
        from_openai([{"role": "system", "content": content}])


@pytest.mark.parametrize("text", ["Hi", "", " ", "\x00\udc80 Zoë"])
def test_user_text_is_a_str(text):
    """A single text is sent as a str, blank or not: OpenAI accepts it."""
    assert {"role": "user", "content": text} == written(UserMessage(text))
    assert_comes_back({"role": "user", "content": text})


def test_list_of_one_bare_text_becomes_a_str():
    """A list of one text part without further fields means the same as the text."""
    assert [UserMessage("Hi")] == from_openai([user({"type": "text", "text": "Hi"})])


def test_text_part_keeps_its_fields():
    """A part with a cache mark stays a part."""
    assert_comes_back(user({"type": "text", "text": "Hi", "cache_control": {}}))


def test_other_clients_attributes_are_not_sent():
    """What another client keeps on a content stays with it."""
    content = TextContent("Hi", attributes={"anthropic": {"cache_control": {}}})

    assert {"role": "user", "content": "Hi"} == written(UserMessage([content]))


def test_name_is_sent_if_there_is_one():
    """A user's name comes back; without one there is no such field."""
    history = [{"role": "user", "content": "Hi", "name": "Zoë"}]

    assert [UserMessage("Hi", name="Zoë")] == from_openai(history)
    assert history == to_openai(from_openai(history))
    assert {"role": "user", "content": "Hi"} == written(UserMessage("Hi", name=""))


def test_name_that_is_null_comes_back():
    """A null name is a field like any other that says nothing."""
    assert_comes_back({"role": "user", "content": "Hi", "name": None})


def test_refused_characters_of_a_name_are_replaced():
    """OpenAI refuses names with a space and some signs in them, so they become _."""
    message = written(UserMessage("Hi", name=r"Ann <A/B\C|D> Smith"))

    assert "Ann__A_B_C_D__Smith" == message["name"]
    assert [] == violations([message])


def test_unknown_fields_of_messages_come_back():
    """A field that no message has is kept and sent as it came."""
    history = [
        {"role": "system", "content": "a", "cache_control": {"type": "ephemeral"}},
        {"role": "user", "content": "b", "x": [1, {"y": None}]},
        {"role": "assistant", "content": "c", "prefix": False, "annotations": []},
        calling(call(index=0, extra_content={"google": {"thought_signature": "s"}})),
        result(cache_control=None),
    ]

    assert_comes_back(*history)


def test_kept_fields_are_sent_as_plain_json():
    """What was frozen in attributes is dicts and lists again when it is sent."""
    (message,) = to_openai(from_openai([{"role": "user", "content": "b", "x": [{}]}]))

    assert (list, dict) == (type(message["x"]), type(message["x"][0]))


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ([], InvalidMessageError),
        (None, MessageTypeError),
        (5, MessageTypeError),
        (["Hi"], MessageTypeError),
        ([{"type": "text"}], MessageTypeError),
        ([{"type": "text", "text": 5}], MessageTypeError),
        ([{"type": "image_url", "image_url": "https://a"}], MessageTypeError),
        ([{"type": "input_audio", "input_audio": {"data": ""}}], MessageTypeError),
    ],
)
def test_malformed_content_is_refused(content, error):
    """Content of a wrong type is a typed error that says in which message it is."""
    with pytest.raises(error, match=r"^message 1: "):
        from_openai(
            [{"role": "user", "content": "a"}, {"role": "user", "content": content}]
        )


@pytest.mark.parametrize(
    ("part", "content_type"),
    [
        ({"type": "tool_result", "text": "a"}, "tool_result"),
        ({"type": "refusal", "refusal": "a"}, "refusal"),
        ({"text": "a"}, "part without type"),
        ({"type": ["text"], "text": "a"}, "part without type"),
    ],
)
def test_unknown_part_is_refused(part, content_type):
    """A part of a type that user messages don't have is named in the error."""
    with pytest.raises(UnsupportedContentError, match="text, image_url") as caught:
        from_openai([{"role": "system", "content": "a"}, user(part)])

    assert ("openai", 1, content_type) == (
        caught.value.client,
        caught.value.message_index,
        caught.value.content_type,
    )
