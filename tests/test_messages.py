"""Messages, contents and their attributes are values."""

import copy
import pickle

from collections import OrderedDict
from enum import IntEnum, StrEnum

import attrs
import pytest

from hypothesis import given

from chatmemory import (
    AiMessage,
    AudioContent,
    ChatMessage,
    CustomMessage,
    DetailLevel,
    ImageContent,
    InvalidMessageError,
    PdfFileContent,
    SystemMessage,
    TextContent,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
    VideoContent,
)
from chatmemory.attributes import NO_ATTRIBUTES
from strategies import messages


REQUEST = ToolExecutionRequest(id="c1", name="add", arguments='{"a":2}')


def test_natural_construction():
    """What is obvious is positional, and every list may be any sequence."""
    text = TextContent("Hi")
    image = ImageContent(url="https://example.org/a.png")
    assert (text,) == UserMessage("Hi").contents
    assert (text,) == UserMessage(text).contents
    assert (text, image) == UserMessage([text, image]).contents
    assert (text, image) == UserMessage((text, image)).contents
    assert (REQUEST,) == AiMessage(
        tool_execution_requests=[REQUEST]
    ).tool_execution_requests
    assert (text,) == ToolExecutionResultMessage(text="Hi").contents
    assert (text, image) == ToolExecutionResultMessage(contents=[text, image]).contents
    assert (image,) == ToolExecutionResultMessage(contents=image).contents


def test_defaults():
    """They are those of LangChain4j."""
    assert (None, None, (), {}) == attrs.astuple(AiMessage(), recurse=False)
    assert (None, None, None, {}) == attrs.astuple(ToolExecutionRequest())
    assert ("", None) == (UserMessage("").text, UserMessage("").name)
    assert ToolExecutionResultMessage(text="").is_error is None
    assert DetailLevel.LOW is ImageContent().detail_level
    assert "application/pdf" == PdfFileContent().mime_type
    assert {} == CustomMessage().attributes
    assert {} == CustomMessage(None).attributes


def test_a_detail_level_is_a_word():
    """The word does as well as the member."""
    assert DetailLevel.HIGH is ImageContent(detail_level="HIGH").detail_level


@pytest.mark.parametrize("contents", ["4", TextContent("4"), [TextContent("4")]])
def test_a_result_of_a_request(contents):
    """`of` takes id and name from the request."""
    expected = ToolExecutionResultMessage(
        id="c1", tool_name="add", text="4", is_error=False
    )
    assert expected == ToolExecutionResultMessage.of(REQUEST, contents, is_error=False)
    assert ToolExecutionResultMessage.of(REQUEST, contents).is_error is None


def test_text():
    """`text` is the text, if that is all there is; otherwise the error says what is."""
    assert "Hi" == UserMessage("Hi").text
    assert "4" == ToolExecutionResultMessage(text="4").text
    for contents, kinds in [
        ([TextContent("a"), TextContent("b")], "TextContent, TextContent"),
        (ImageContent(), "ImageContent"),
        ([TextContent("a"), PdfFileContent()], "TextContent, PdfFileContent"),
    ]:
        with pytest.raises(InvalidMessageError) as caught:
            UserMessage(contents).text  # noqa: B018
        expected = (
            f"this UserMessage is not a single text but [{kinds}]: read its contents"
        )
        assert expected == str(caught.value)
        with pytest.raises(InvalidMessageError):
            ToolExecutionResultMessage(contents=contents).text  # noqa: B018


def test_messages_are_frozen():
    """No field can be set, and none added."""
    values = [
        *(SystemMessage("S"), UserMessage("U"), AiMessage("A"), CustomMessage()),
        *(REQUEST, ToolExecutionResultMessage(text="T"), TextContent("T")),
        *(ImageContent(), AudioContent(), VideoContent(), PdfFileContent()),
    ]
    for value in values:
        for name in [*(field.name for field in attrs.fields(type(value))), "other"]:
            with pytest.raises(AttributeError):
                setattr(value, name, "changed")


def test_lists_are_copied():
    """Who changes a list that a message was made of does not change the message."""
    contents, requests = [TextContent("Hi")], [REQUEST]
    user = UserMessage(contents)
    reply = AiMessage(tool_execution_requests=requests)
    contents.clear()
    requests.clear()
    assert "Hi" == user.text
    assert (REQUEST,) == reply.tool_execution_requests


@given(messages())
def test_copies_are_equal(message: ChatMessage):
    """Pickled, copied or built anew from its fields, a message is equal, and so its hash."""
    fields = {
        field.name: getattr(message, field.name)
        for field in attrs.fields(type(message))
    }
    copies = [
        *(copy.copy(message), copy.deepcopy(message)),
        *(pickle.loads(pickle.dumps(message, n)) for n in (2, pickle.HIGHEST_PROTOCOL)),
        attrs.evolve(message, attributes=dict(message.attributes)),
    ]
    if isinstance(message, SystemMessage | AiMessage):
        text = fields.pop("text")
        copies.append(type(message)(text, **fields))
    for each in copies:
        assert message == each
        assert hash(message) == hash(each)


@given(messages(), messages())
def test_equality_is_by_value(one: ChatMessage, other: ChatMessage):
    """Two messages are equal if they are of one class and all their fields are equal."""
    is_equal = type(one) is type(other) and attrs.astuple(one) == attrs.astuple(other)
    assert is_equal == (one == other)
    assert 2 - is_equal == len({one, other})


@given(messages())
def test_every_message_can_be_shown(message: ChatMessage):
    """A repr begins with the class, and holds for what is in the message."""
    assert repr(message).startswith(f"{type(message).__name__}(")


REPRS = [
    (SystemMessage("Be brief."), "SystemMessage('Be brief.')"),
    (UserMessage("Hi"), "UserMessage([TextContent('Hi')])"),
    (UserMessage("Hi", name="Kl"), "UserMessage([TextContent('Hi')], name='Kl')"),
    (AiMessage(), "AiMessage()"),
    (AiMessage("A", thinking="hm"), "AiMessage('A', thinking='hm')"),
    (
        AiMessage(tool_execution_requests=[REQUEST]),
        (
            "AiMessage(tool_execution_requests=[ToolExecutionRequest(id='c1', name='add', "
            "arguments='{\"a\":2}')])"
        ),
    ),
    (
        ToolExecutionResultMessage.of(REQUEST, "4", is_error=False),
        (
            "ToolExecutionResultMessage(id='c1', tool_name='add', "
            "contents=[TextContent('4')], is_error=False)"
        ),
    ),
    (
        CustomMessage({"a": [1, None], "b": {"c": "d"}}),
        "CustomMessage({'a': [1, None], 'b': {'c': 'd'}})",
    ),
    (
        ImageContent(url="a.png", detail_level="HIGH"),
        "ImageContent(url='a.png', detail_level=<DetailLevel.HIGH: 'HIGH'>)",
    ),
    (PdfFileContent(), "PdfFileContent()"),
]


@pytest.mark.parametrize(("value", "expected"), REPRS)
def test_repr(value: object, expected: str):
    """A repr is what one would type, without what is as it is by default."""
    assert expected == repr(value)


def test_long_values_are_shown_short():
    """Of a long text or of bytes the repr shows how much there is."""
    long = f"SystemMessage('{'x' * 60}'… (100,000 characters))"
    assert long == repr(SystemMessage("x" * 100_000))
    assert f"SystemMessage('{'x' * 60}')" == repr(SystemMessage("x" * 60))
    audio = AudioContent(binary_data=bytes(2_000), base64_data="A" * 61)
    expected = (
        "AudioContent(binary_data=<2,000 bytes>, "
        f"base64_data='{'A' * 60}'… (61 characters))"
    )
    assert expected == repr(audio)
    nested = CustomMessage({"signatures": ["s" * 61, {"t": "t" * 61}]})
    expected = (
        f"CustomMessage({{'signatures': ['{'s' * 60}'… (61 characters), "
        f"{{'t': '{'t' * 60}'… (61 characters)}}]}})"
    )
    assert expected == repr(nested)


class Word(StrEnum):
    """A str that is something else as well."""

    A = "a"


class Number(IntEnum):
    """An int that is something else as well."""

    ONE = 1


class Half(float):
    """A float that is something else as well."""


def test_attributes_are_copied_as_json():
    """What is given is copied, and of subclasses the plain value is kept."""
    given_ = OrderedDict(
        [(Word.A, (Word.A, Number.ONE, Half(0.5), True, None)), ("b", {"c": [{}]})]
    )
    message = CustomMessage(given_)
    given_["b"]["c"].append("changed")
    given_.clear()
    expected = {"a": ["a", 1, 0.5, True, None], "b": {"c": [{}]}}
    assert expected == message.attributes
    assert str(expected) == str(message.attributes)
    kinds = [str, int, float, bool, type(None)]
    assert kinds == [type(value) for value in message.attributes["a"]]


def test_attributes_of_nothing():
    """No attributes, `None` and an empty mapping are the same."""
    for attributes in (None, {}, OrderedDict()):
        assert NO_ATTRIBUTES is UserMessage("U", attributes=attributes).attributes
        assert UserMessage("U") == UserMessage("U", attributes=attributes)


def test_attributes_are_shared():
    """Frozen ones are taken as they are, so `evolve` copies nothing."""
    message = UserMessage("U", attributes={"a": 1})
    assert message.attributes is attrs.evolve(message, name="Klaus").attributes
    for copied in (copy.copy, copy.deepcopy):
        assert message.attributes is copied(message).attributes
        assert message.attributes is copied(message.attributes)


CHANGES = [
    lambda attributes: attributes.__setitem__("a", 1),
    lambda attributes: attributes.__delitem__("a"),
    lambda attributes: attributes.__ior__({"b": 2}),
    lambda attributes: attributes.clear(),
    lambda attributes: attributes.pop("a"),
    lambda attributes: attributes.popitem(),
    lambda attributes: attributes.setdefault("b", 2),
    lambda attributes: attributes.update(b=2),
]


@pytest.mark.parametrize("change", CHANGES)
def test_attributes_refuse_to_change(change):
    """At any depth, they say how to get others instead."""
    message = CustomMessage({"a": {"a": 1}, "list": []})
    for attributes in (message.attributes, message.attributes["a"]):
        with pytest.raises(TypeError, match=r"build new ones, e\.g\. \{\*\*attributes"):
            change(attributes)
    assert {"a": {"a": 1}, "list": []} == message.attributes
    assert not hasattr(message.attributes["list"], "append")


def test_lists_in_attributes():
    """They are equal to lists and tuples of their items, and to nothing else."""
    frozen = CustomMessage({"list": [1, [2]]}).attributes["list"]
    assert [1, [2]] == frozen
    assert (1, (2,)) == frozen
    assert [1] != frozen
    assert "[1, [2]]" != frozen
    assert hash(frozen) == hash(copy.deepcopy(frozen))
    assert frozen == pickle.loads(pickle.dumps(frozen))
