"""What is no message, or a message that can't be."""

import pytest

from chatmemory import (
    AiMessage,
    AudioContent,
    CustomMessage,
    ImageContent,
    InvalidMessageError,
    MessageTypeError,
    PdfFileContent,
    SystemMessage,
    TextContent,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
    VideoContent,
)
from notation import conversation, shown


SECRET = "what nobody but the model may read"


NO_MESSAGES = [
    (SECRET, "str: UserMessage(text) makes a message of a text"),
    (
        {"role": "user", "content": SECRET},
        "dict: chatmemory.clients has the converters, e.g. from_openai([message])",
    ),
    ([UserMessage(SECRET)], "list: pass the messages one by one: add(*messages)"),
    ((UserMessage(SECRET),), "tuple: pass the messages one by one: add(*messages)"),
    (None, "NoneType: chatmemory.clients has the converters"),
    (UserMessage, "type: chatmemory.clients has the converters"),
]


@pytest.mark.parametrize("verb", ["add", "set"])
@pytest.mark.parametrize(("wrong", "says"), NO_MESSAGES)
def test_no_messages(window, verb: str, wrong: object, says: str):
    """What is no message is refused with the converter to use, and without its text."""
    memory = window(9)
    memory.add(*conversation("S U1 A1"))
    with pytest.raises(MessageTypeError) as caught:
        getattr(memory, verb)(UserMessage("U2"), wrong)
    assert f"argument 1 is no message but {says}" == str(caught.value)
    assert "S U1 A1" == shown(memory.messages())


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_blank_system_messages(text: str):
    """A system message says something."""
    with pytest.raises(InvalidMessageError) as caught:
        SystemMessage(text)
    expected = (
        f"the text of a SystemMessage can't be blank: {text!r}; to have no system "
        "message, add none"
    )
    assert expected == str(caught.value)


NOT_STR = "must be str, not"
NOT_STR_OR_NONE = "must be str or None, not"
WRONG_TYPES = [
    (lambda: SystemMessage(None), f"'text' of SystemMessage {NOT_STR} NoneType"),
    (lambda: SystemMessage([SECRET]), f"'text' of SystemMessage {NOT_STR} list"),
    (lambda: TextContent(None), f"'text' of TextContent {NOT_STR} NoneType"),
    (
        lambda: UserMessage("U", name=1),
        f"'name' of UserMessage {NOT_STR_OR_NONE} int",
    ),
    (lambda: AiMessage([SECRET]), f"'text' of AiMessage {NOT_STR_OR_NONE} list"),
    (
        lambda: AiMessage(thinking=b"..."),
        f"'thinking' of AiMessage {NOT_STR_OR_NONE} bytes",
    ),
    (
        lambda: ToolExecutionRequest(id=1),
        f"'id' of ToolExecutionRequest {NOT_STR_OR_NONE} int",
    ),
    (
        lambda: ToolExecutionRequest(arguments={"secret": SECRET}),
        f"'arguments' of ToolExecutionRequest {NOT_STR_OR_NONE} dict",
    ),
    (
        lambda: ToolExecutionResultMessage(text="4", is_error=0),
        "'is_error' of ToolExecutionResultMessage must be bool or None, not int",
    ),
    (
        lambda: ToolExecutionResultMessage(text="4", tool_name=len),
        (
            f"'tool_name' of ToolExecutionResultMessage {NOT_STR_OR_NONE} "
            "builtin_function_or_method"
        ),
    ),
    (
        lambda: AudioContent(binary_data=SECRET),
        "'binary_data' of AudioContent must be bytes or None, not str",
    ),
    (
        lambda: ImageContent(base64_data=b"..."),
        f"'base64_data' of ImageContent {NOT_STR_OR_NONE} bytes",
    ),
    (
        lambda: VideoContent(url=1),
        f"'url' of VideoContent {NOT_STR_OR_NONE} int",
    ),
    (
        lambda: PdfFileContent(mime_type=None),
        f"'mime_type' of PdfFileContent {NOT_STR} NoneType",
    ),
]


@pytest.mark.parametrize(("make", "expected"), WRONG_TYPES)
def test_fields_of_a_wrong_type(make, expected: str):
    """The error names class, field and type, never the value."""
    with pytest.raises(MessageTypeError) as caught:
        make()
    assert expected == str(caught.value)


CONTENTS = (
    "contents are a str, or a list of TextContent, ImageContent, AudioContent, "
    "VideoContent and PdfFileContent, not {}; a provider's own dicts become messages in "
    "chatmemory.clients"
)
NO_CONTENTS = [
    (None, "NoneType"),
    (5, "int"),
    ({"type": "text", "text": SECRET}, "dict"),
    ([TextContent("fine"), {"type": "text", "text": SECRET}], "dict"),
    ([TextContent("fine"), SECRET], "str"),
    ([UserMessage(SECRET)], "UserMessage"),
    (SystemMessage(SECRET), "SystemMessage"),
    ((each for each in [TextContent(SECRET)]), "generator"),
    ({TextContent(SECRET)}, "set"),
    (b"bytes", "int"),
]


@pytest.mark.parametrize(("contents", "kind"), NO_CONTENTS)
def test_contents_of_a_wrong_type(contents: object, kind: str):
    """The error says what contents are, and where a provider's dicts are converted."""
    with pytest.raises(MessageTypeError) as caught:
        UserMessage(contents)
    assert CONTENTS.format(kind) == str(caught.value)


@pytest.mark.parametrize("contents", [[], ()])
def test_empty_contents(contents):
    """No content at all is not even an empty text."""
    for make, name in [
        (lambda: UserMessage(contents), "UserMessage"),
        (
            lambda: ToolExecutionResultMessage(contents=contents),
            "ToolExecutionResultMessage",
        ),
    ]:
        with pytest.raises(InvalidMessageError) as caught:
            make()
        expected = (
            f'the contents of {name} can\'t be empty: pass a text ("" is one) or at '
            "least one content"
        )
        assert expected == str(caught.value)


def test_a_result_has_text_or_contents():
    """Both, or neither, is no answer."""
    for options in [{}, {"text": SECRET, "contents": [TextContent(SECRET)]}]:
        with pytest.raises(InvalidMessageError) as caught:
            ToolExecutionResultMessage(id="c1", **options)
        expected = "a ToolExecutionResultMessage takes exactly one of text and contents"
        assert expected == str(caught.value)


@pytest.mark.parametrize(
    ("requests", "kind"),
    [
        (5, "int"),
        (None, "NoneType"),
        ([{"name": SECRET}], "dict"),
        ("c1", "str"),
        ([AiMessage(SECRET)], "AiMessage"),
        (ToolExecutionRequest(arguments=SECRET), "ToolExecutionRequest"),
    ],
)
def test_requests_of_a_wrong_type(requests: object, kind: str):
    """Calls are a list of `ToolExecutionRequest`."""
    with pytest.raises(MessageTypeError) as caught:
        AiMessage(tool_execution_requests=requests)
    expected = f"tool_execution_requests are a list of ToolExecutionRequest, not {kind}"
    assert expected == str(caught.value)


def test_detail_levels():
    """A detail level is one of five words."""
    with pytest.raises(InvalidMessageError) as caught:
        ImageContent(detail_level="EXTREME")
    expected = (
        "detail_level must be one of LOW, MEDIUM, HIGH, ULTRA_HIGH, AUTO: 'EXTREME'"
    )
    assert expected == str(caught.value)


ENDLESS: dict[str, object] = {}
ENDLESS["again"] = ENDLESS
VALUES = "attributes hold JSON values"
WRONG_ATTRIBUTES = [
    (
        [("a", 1)],
        MessageTypeError,
        "attributes must be a mapping, not list: pass attributes={'key': value}",
    ),
    (
        "",
        MessageTypeError,
        "attributes must be a mapping, not str: pass attributes={'key': value}",
    ),
    ({1: SECRET}, MessageTypeError, "attribute names must be str, not int: 1"),
    (
        {"a": [{2: SECRET}]},
        MessageTypeError,
        "attribute names must be str, not int: 2",
    ),
    (
        {"a": b"bytes"},
        MessageTypeError,
        (
            f"{VALUES}, not bytes: turn it into a str, a number, a list or a dict first "
            "(bytes: as base64 text)"
        ),
    ),
    (
        {"a": {SECRET}},
        MessageTypeError,
        (
            f"{VALUES}, not set: turn it into a str, a number, a list or a dict first "
            "(bytes: as base64 text)"
        ),
    ),
    (
        {"a": [float("nan")]},
        InvalidMessageError,
        f"{VALUES}, and JSON has no nan: use None or a str",
    ),
    (
        {"a": {"b": float("-inf")}},
        InvalidMessageError,
        f"{VALUES}, and JSON has no -inf: use None or a str",
    ),
    (
        ENDLESS,
        InvalidMessageError,
        "attributes are nested too deeply, or contain themselves: pass plain JSON",
    ),
]


@pytest.mark.parametrize(("attributes", "error", "expected"), WRONG_ATTRIBUTES)
def test_attributes(attributes: object, error: type, expected: str):
    """Attributes are what JSON has a form for; the rest is refused, whatever takes it."""
    for make in (UserMessage, SystemMessage, AiMessage, TextContent):
        with pytest.raises(error) as caught:
            make("text", attributes=attributes)
        assert expected == str(caught.value)
    with pytest.raises(error):
        CustomMessage(attributes)
    with pytest.raises(error):
        ToolExecutionResultMessage(text="4", attributes=attributes)
