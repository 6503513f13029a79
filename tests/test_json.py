import json
import sys

from pathlib import Path

import attrs
import pytest

from hypothesis import given, settings
from hypothesis import strategies as st

from chatmemory.attributes import FrozenDict
from chatmemory.contents import (
    AudioContent,
    DetailLevel,
    ImageContent,
    PdfFileContent,
    TextContent,
    VideoContent,
)
from chatmemory.errors import (
    MessageDecodeError,
    MessageEncodeError,
    MessageTypeError,
)
from chatmemory.json import (
    message_from_json,
    message_to_json,
    messages_from_json,
    messages_to_json,
)
from chatmemory.messages import (
    AiMessage,
    CustomMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from strategies import messages


CASES = json.loads(
    (Path(__file__).parent / "data" / "langchain4j_json.json").read_text("utf-8")
)

WEATHER = ToolExecutionRequest(name="weather", arguments='{"city": "Munich"}')
KLAUS = {"name": "Klaus", "age": 42, "extra": ["one", "two"]}

# What the `java` of each case that LangChain4j writes says, in our words.
OBJECTS = {
    "ai_attr_numbers": AiMessage(
        "x", attributes={"f": 1e-7, "g": 100.0, "h": 1e7, "i": 12345678.9}
    ),
    "ai_attr_order": AiMessage(
        "x", attributes={"zeta": 1, "alpha": 1, "mid": 1, "b": 1, "a": 1}
    ),
    "ai_full": AiMessage(
        "test-text",
        thinking="test-thinking",
        tool_execution_requests=[WEATHER],
        attributes=KLAUS,
    ),
    "ai_nothing": AiMessage(),
    "ai_text": AiMessage("hello"),
    "ai_thinking_only": AiMessage(thinking="t"),
    "ai_tool_no_id": AiMessage(tool_execution_requests=[WEATHER]),
    "ai_tools_edge": AiMessage(
        "t",
        tool_execution_requests=[
            ToolExecutionRequest(id="1", name="n", arguments="{}"),
            ToolExecutionRequest(),
            ToolExecutionRequest(id="", name="", arguments=""),
        ],
    ),
    "audio_binary": UserMessage(
        AudioContent(binary_data=b"\x01\x02\x03\xff", mime_type="audio/wav")
    ),
    "audio_null": UserMessage(AudioContent()),
    "audio_url": UserMessage(AudioContent(url="http://a")),
    "custom": CustomMessage({"k1": "v1", "k2": "v2"}),
    "custom_empty": CustomMessage(),
    "custom_type_attr": CustomMessage({"type": "X", "n": None}),
    "image_detail_auto": UserMessage(
        ImageContent(url="http://image.url", detail_level="AUTO")
    ),
    "image_empty": UserMessage(ImageContent()),
    "image_revised_prompt": UserMessage(
        ImageContent(url="http://u", revised_prompt="rp")
    ),
    "pdf_url": UserMessage(PdfFileContent(url="http://p")),
    "system_escapes": SystemMessage('héllo "q" \\ / \n\t\b\f\x01\x1f\u2028 😀 <b>&\''),
    "system_hello": SystemMessage("hello"),
    "tool_isError_false": ToolExecutionResultMessage(
        id="1", tool_name="w", text="s", is_error=False
    ),
    "tool_multi": ToolExecutionResultMessage(
        id="1",
        tool_name="w",
        contents=[
            TextContent("a"),
            ImageContent(base64_data="aGk=", mime_type="image/png"),
        ],
        attributes={"k": "v"},
    ),
    "tool_result": ToolExecutionResultMessage(
        id="12345", tool_name="weather", text="sunny"
    ),
    "user_attr_long": UserMessage("x", attributes={"l": 5}),
    # LangChain4j's order of these keys is that of a Java HashMap.
    "user_attr_order": UserMessage(
        "x", attributes={"zeta": 1, "mid": 1, "a": 1, "b": 1, "alpha": 1}
    ),
    "user_attributes": UserMessage("hello", attributes=KLAUS),
    "user_audio_base64": UserMessage(
        AudioContent(base64_data="bXAz", mime_type="audio/mp3")
    ),
    "user_image_base64": UserMessage(
        ImageContent(base64_data="aGVsbG8=", mime_type="image/png")
    ),
    "user_multi": UserMessage(
        [
            TextContent("a"),
            ImageContent(url="http://x/y.png", detail_level="ULTRA_HIGH"),
            TextContent("b"),
        ]
    ),
    "user_text": UserMessage("hello"),
    "user_video_base64": UserMessage(
        VideoContent(base64_data="bXA0", mime_type="video/mp4")
    ),
    "video_url": UserMessage(VideoContent(url="http://v")),
}

FOO = {"foo": 1}

# What LangChain4j refuses and we read, and why.
LENIENT = {
    # A field that a newer version adds must not make a conversation unreadable.
    "read_unknown_field_system": SystemMessage("hi", attributes={"extra": 1}),
    "read_ai_unknown": AiMessage("hi", attributes=FOO),
    "read_user_unknown": UserMessage("a", attributes=FOO),
    "read_custom_unknown": CustomMessage({"k": "v", "x": 1}),
    # Old data stays readable: LangChain4j itself has written it until 0.25.
    "legacy_0.21_user_text": UserMessage("hello"),
    # A URL is checked by who sends it, here as in the constructor.
    "read_image_bad_url": UserMessage(ImageContent(url="http://a b")),
    # The last of equal keys wins, whichever they are.
    "read_dup_type": UserMessage("b"),
}

# What LangChain4j reads as a message or content that is null, which nothing here is.
STRICT = {
    "read_json_null": "$",
    "list_null_elem": "$[0]",
    "read_content_null": "$.contents[0]",
}


def cases(kind, *, accepted=None):
    """Return the cases of a kind by name, without those that we decide differently."""
    return [
        pytest.param(case, id=case["name"])
        for case in CASES
        if case["kind"] == kind
        and accepted in (None, case.get("accepted"))
        and case["name"] not in LENIENT | STRICT
    ]


def pairs(text):
    """Parse JSON so that the order of keys counts."""
    return json.loads(text, object_pairs_hook=lambda found: ("object", found))


def typed(value):
    """Turn a value into one that is equal only if all types in it are the same."""
    if attrs.has(type(value)):
        return type(value), [
            typed(getattr(value, field.name)) for field in attrs.fields(type(value))
        ]
    if isinstance(value, dict):
        return "object", [(key, typed(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [typed(item) for item in value]
    return type(value), repr(value)


@pytest.mark.parametrize("case", cases("write+read"))
def test_writes_as_langchain4j(case):
    """A message is written with LangChain4j's keys, in its order."""
    assert pairs(case["json"]) == pairs(message_to_json(OBJECTS[case["name"]]))


@pytest.mark.parametrize("case", cases("write+read"))
def test_reads_what_langchain4j_writes(case):
    """What LangChain4j wrote is the message that it was."""
    assert typed(OBJECTS[case["name"]]) == typed(message_from_json(case["json"]))


@pytest.mark.parametrize("case", cases("write+read"))
def test_without_additional_attributes_the_forms_are_one(case):
    """The extended form of what LangChain4j has a place for is LangChain4j's form."""
    message = OBJECTS[case["name"]]

    assert message_to_json(message) == message_to_json(message, extended=True)


@pytest.mark.parametrize("case", cases("read", accepted=True))
def test_reads_what_langchain4j_reads(case):
    """Old and sloppy forms are read as what LangChain4j would make of them."""
    message = message_from_json(case["json"])

    assert pairs(case["rewritten_json"]) == pairs(message_to_json(message))


@pytest.mark.parametrize("case", cases("read", accepted=False))
def test_refuses_what_langchain4j_refuses(case):
    """What is no message for LangChain4j is none for us."""
    with pytest.raises(MessageDecodeError):
        message_from_json(case["json"])


@pytest.mark.parametrize("case", cases("read_list", accepted=True))
def test_reads_lists_that_langchain4j_reads(case):
    """None and null are no messages; the rest is read."""
    written = messages_to_json(messages_from_json(case["json"]))

    assert pairs(case["json"] or "null") in (pairs(written), None)


@pytest.mark.parametrize("case", cases("read_list", accepted=False))
def test_refuses_lists_that_langchain4j_refuses(case):
    """One bad message fails the whole list."""
    with pytest.raises(MessageDecodeError):
        messages_from_json(case["json"])


@pytest.mark.parametrize("case", cases("write_list"))
def test_writes_lists_as_langchain4j(case):
    """A list is an array of messages, without spaces."""
    written = {
        "list_empty": messages_to_json([]),
        "list_one_user": messages_to_json([UserMessage("hello")]),
    }

    assert case["json"] == written[case["name"]]


@pytest.mark.parametrize("name", LENIENT)
def test_reads_what_only_langchain4j_refuses(name):
    """Where we are more lenient than LangChain4j, nothing is lost."""
    [case] = [case for case in CASES if case["name"] == name]

    assert case["accepted"] is False
    assert LENIENT[name] == message_from_json(case["json"])


@pytest.mark.parametrize("name", STRICT)
def test_refuses_null_for_a_message_or_content(name):
    """A null in a list is a mistake that LangChain4j doesn't notice."""
    [case] = [case for case in CASES if case["name"] == name]
    read = messages_from_json if case["kind"] == "read_list" else message_from_json

    assert case["accepted"] is True
    with pytest.raises(MessageDecodeError, match="object is expected") as caught:
        read(case["json"])
    assert STRICT[name] == caught.value.path


@settings(deadline=None)
@given(st.lists(messages(), max_size=3))
def test_everything_comes_back_equal(written):
    """The extended form brings back every message, down to the types in attributes."""
    text = messages_to_json(iter(written), extended=True)

    assert typed(written) == typed(messages_from_json(text))
    assert text.encode()


@settings(deadline=None)
@given(messages())
def test_langchain4j_form_is_the_same_or_refused(message):
    """What the default form can't hold is refused; it never writes something else."""
    try:
        plain = message_to_json(message)
    except MessageEncodeError:
        plain = None
    expected = message
    if isinstance(message, UserMessage) and message.name == "":
        expected = attrs.evolve(message, name=None)

    assert plain in (None, message_to_json(expected, extended=True))


@settings(deadline=None)
@given(messages())
def test_a_list_holds_what_the_messages_are_alone(message):
    """Stores may write messages one by one and join them."""
    alone = message_to_json(message, extended=True)

    assert f"[{alone},{alone}]" == messages_to_json([message, message], extended=True)
    assert typed(message_from_json(alone)) == typed(message)


def test_text_stays_compact():
    """All that UTF-8 has a form for is written as it is, on one line."""
    text = message_to_json(UserMessage("北京 \u2028 € 😀 \x7f"))

    assert (
        '{"contents":[{"text":"北京 \u2028 € 😀 \x7f","type":"TEXT"}],"type":"USER"}'
        == text
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\ud83d", r"\ud83d"),
        ("\ude00\ud83d", r"\ude00\ud83d"),
        ("\\\ud83d\\ude00", r"\\\ud83d\\ude00"),
        ("é\ud800😀", "é\\ud800😀"),
        ("\ud83d\\\ude00", r"\ud83d\\\ude00"),
    ],
)
def test_lone_surrogates_are_escaped(text, written):
    """Lone surrogates come back, and don't keep the text from being UTF-8."""
    message = SystemMessage(text)
    actual = message_to_json(message)

    assert f'{{"text":"{written}","type":"SYSTEM"}}' == actual
    assert actual.encode()
    assert message == message_from_json(actual)


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (SystemMessage("secret \ud83d\ude00"), "$[1].text"),
        (
            UserMessage([TextContent(""), TextContent("\ud83d\ude00")]),
            "$[1].contents[1].text",
        ),
        (
            AiMessage(attributes={"a.b": [1, {"c": "\ud83d\ude00"}]}),
            '$[1].attributes["a.b"][1].c',
        ),
        (CustomMessage({"a": {"\ud83d\ude00": 1}}), "$[1].attributes.a"),
    ],
)
def test_split_characters_are_refused(message, path):
    """A character in two halves would come back as one: it is refused by its path."""
    with pytest.raises(MessageEncodeError, match="surrogate pair") as caught:
        messages_to_json([UserMessage("a"), message], extended=True)

    assert str(caught.value).startswith(f"{path}: ")
    assert "secret" not in str(caught.value)


def test_the_way_out_of_split_characters():
    """What the error says to do makes the text one that can be written."""
    text = "\ud800 \ud83d\ude00"
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")

    assert "\ud800 😀" == joined
    assert UserMessage(joined) == message_from_json(
        message_to_json(UserMessage(joined))
    )


@pytest.mark.parametrize(
    ("message", "path", "owner"),
    [
        (SystemMessage("a", attributes=FOO), "$[0].attributes", "SystemMessage"),
        (
            UserMessage([TextContent("a"), TextContent("b", attributes=FOO)]),
            "$[0].contents[1].attributes",
            "TextContent",
        ),
        (
            AiMessage(tool_execution_requests=[ToolExecutionRequest(attributes=FOO)]),
            "$[0].toolExecutionRequests[0].attributes",
            "ToolExecutionRequest",
        ),
        (
            ToolExecutionResultMessage(contents=ImageContent(attributes=FOO)),
            "$[0].contents[0].attributes",
            "ImageContent",
        ),
        (
            UserMessage(AudioContent(attributes=FOO)),
            "$[0].contents[0].attributes",
            "AudioContent",
        ),
        (
            UserMessage(VideoContent(attributes=FOO)),
            "$[0].contents[0].attributes",
            "VideoContent",
        ),
        (
            UserMessage(PdfFileContent(attributes=FOO)),
            "$[0].contents[0].attributes",
            "PdfFileContent",
        ),
    ],
)
def test_additional_attributes_need_the_extended_form(message, path, owner):
    """LangChain4j refuses unknown fields, so we don't write them where it reads."""
    with pytest.raises(MessageEncodeError) as caught:
        messages_to_json([message])

    assert (
        f"{path}: LangChain4j's JSON has no place for attributes of a {owner}: "
        "use extended=True unless a Java service reads it"
    ) == str(caught.value)


def test_where_additional_attributes_are_written():
    """They stand before the type; a request has no type, and they come last."""
    content = TextContent("a", attributes=FOO)
    request = ToolExecutionRequest(id="1", attributes=FOO)

    assert '{"text":"a","attributes":{"foo":1},"type":"SYSTEM"}' == message_to_json(
        SystemMessage("a", attributes=FOO), extended=True
    )
    assert (
        '{"contents":[{"text":"a","attributes":{"foo":1},"type":"TEXT"}],"type":"USER"}'
    ) == message_to_json(UserMessage(content), extended=True)
    assert '[{"id":"1","attributes":{"foo":1}}]' in message_to_json(
        AiMessage(tool_execution_requests=[request]), extended=True
    )


@pytest.mark.parametrize(
    "url",
    [
        "http://a b",
        "http://a/ü\u3000",
        "http://a/%zz",
        "http://a/{x}",
        "C:\\a.png",
        "a#b#c",
        "a|b",
    ],
)
@pytest.mark.parametrize(
    "content", [ImageContent, AudioContent, VideoContent, PdfFileContent]
)
def test_a_url_that_java_would_refuse_needs_the_extended_form(content, url):
    """LangChain4j reads URLs as URIs; a bad one would make the whole list unreadable."""
    message = UserMessage(content(url=url))

    with pytest.raises(MessageEncodeError, match=r"^\$\.contents\[0\]\.\w+\.url: "):
        message_to_json(message)
    assert message == message_from_json(message_to_json(message, extended=True))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "a",
        "http://a/b?c=d&e=[1]#f",
        "http://a/%20ü😀",
        "data:image/png;base64,aG+/k=",
    ],
)
def test_any_uri_is_written(url):
    """Relative, empty, international and data URLs are URIs for Java."""
    message = UserMessage(ImageContent(url=url))

    assert message == message_from_json(message_to_json(message))


def test_an_empty_name():
    """LangChain4j has no empty name; the extended form keeps it."""
    message = UserMessage("a", name="")

    assert UserMessage("a") == message_from_json(message_to_json(message))
    assert message == message_from_json(message_to_json(message, extended=True))


@pytest.mark.parametrize("message", [{"role": "user"}, "a", None, TextContent("a")])
def test_only_messages_are_written(message):
    """What is no message is refused by its type."""
    with pytest.raises(MessageTypeError, match=type(message).__name__):
        message_to_json(message)
    with pytest.raises(MessageTypeError, match=type(message).__name__):
        messages_to_json([message])


def test_a_subclass_is_not_written():
    """A subclass would come back as what it is derived from, so not equal."""

    class Loud(TextContent):
        __slots__ = ()

    with pytest.raises(MessageTypeError, match="Loud"):
        message_to_json(UserMessage(Loud("a")))


@pytest.mark.parametrize("given", [None, 5, UserMessage("a")])
def test_only_iterables_are_written_as_lists(given):
    """A single message is no list of messages."""
    with pytest.raises(MessageTypeError, match=type(given).__name__):
        messages_to_json(given)


@pytest.mark.parametrize(
    "number", [True, 1, 1.0, -0.0, 0, 2**200, 5e-324, 0.1 + 0.2, 1e22]
)
def test_numbers_are_exact(number):
    """Numbers in attributes keep their type and every digit."""
    message = CustomMessage({"n": number})

    assert typed(message) == typed(message_from_json(message_to_json(message)))


def test_an_int_that_python_does_not_convert():
    """Python bounds the digits that it converts: more are refused, both ways."""
    digits = sys.get_int_max_str_digits()
    message = AiMessage(attributes={"a": ["b", 10**digits, 5]})

    with pytest.raises(MessageEncodeError, match=r"^\$\.attributes\.a\[1\]: an int"):
        message_to_json(message)
    with pytest.raises(MessageDecodeError, match="number with more digits"):
        message_from_json(f'{{"type":"CUSTOM","a":1{"0" * digits}}}')


def test_attributes_too_deep_to_write():
    """What the encoder can't descend to is refused."""
    attributes = FrozenDict()
    for _ in range(100_000):
        attributes = FrozenDict(a=attributes)

    with pytest.raises(MessageEncodeError, match="nested too deeply"):
        message_to_json(CustomMessage(attributes))


@pytest.mark.parametrize("depth", [400, 100_000])
def test_json_too_deep_to_read(depth):
    """Deep JSON is refused, whether the parser or the attributes give up."""
    with pytest.raises(MessageDecodeError, match="nested too deeply"):
        message_from_json(f'{{"type":"CUSTOM","a":{"[" * depth}{"]" * depth}}}')


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1, column 1 (character 0 of 0)"),
        ('{"text":"secret"', "line 1, column 17 (character 16 of 16)"),
        ('{"text":\n secret}', "line 2, column 2 (character 10 of 17)"),
        ('{"text":"secret"} x', "line 1, column 19 (character 18 of 19)"),
        ("{'text':'secret'}", "line 1, column 2 (character 1 of 17)"),
        ('{"text":"secret\n"}', "line 1, column 16 (character 15 of 18)"),
        ("\ufeff[]", "line 1, column 1 (character 0 of 3)"),
    ],
)
@pytest.mark.parametrize("read", [message_from_json, messages_from_json])
def test_what_is_not_json(read, text, where):
    """The error says where, and neither it nor what it came from holds the text."""
    with pytest.raises(MessageDecodeError) as caught:
        read(text)

    assert f"$: not JSON at {where}: " in str(caught.value)
    assert "secret" not in str(caught.value)
    assert not isinstance(caught.value.__context__, json.JSONDecodeError)
    assert caught.value.__context__.__context__ is None


def test_only_str_is_read():
    """Bytes are decoded by who knows their encoding."""
    with pytest.raises(MessageTypeError, match="bytes"):
        message_from_json(b"{}")
    with pytest.raises(MessageTypeError, match="bytes"):
        messages_from_json(b"[]")
    with pytest.raises(MessageTypeError, match="NoneType"):
        message_from_json(None)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("5", ""),
        ("[]", ""),
        ("{}", ".type"),
        ('{"type":null}', ".type"),
        ('{"type":["SYSTEM"]}', ".type"),
        ('{"type":"system"}', ".type"),
        ('{"type":"SYSTEM"}', ".text"),
        ('{"type":"SYSTEM","text":" \\n"}', ".text"),
        ('{"type":"SYSTEM","text":["a"]}', ".text"),
        ('{"type":"SYSTEM","text":NaN}', ".text"),
        ('{"type":"SYSTEM","text":1e999}', ".text"),
        ('{"type":"SYSTEM","text":"a","attributes":5}', ".attributes"),
        ('{"type":"CUSTOM","attributes":{"a":NaN}}', ".attributes"),
        ('{"type":"CUSTOM","attributes":{"a":[-Infinity]}}', ".attributes"),
        ('{"type":"CUSTOM","a":1e999}', ".attributes"),
        ('{"type":"CUSTOM","attributes":{"a":1},"a":1}', ".a"),
        ('{"type":"CUSTOM","attributes":{"a.b":1},"a.b":1}', '["a.b"]'),
        ('{"type":"USER"}', ".contents"),
        ('{"type":"USER","contents":5}', ".contents"),
        ('{"type":"USER","contents":{}}', ".contents"),
        ('{"type":"USER","text":"a","name":{}}', ".name"),
        ('{"type":"USER","text":"a","contents":[{"type":"TEXT","text":"a"}]}', ".text"),
        ('{"type":"AI","thinking":[]}', ".thinking"),
        ('{"type":"AI","toolExecutionRequests":{}}', ".toolExecutionRequests"),
        ('{"type":"AI","toolExecutionRequests":[{},5]}', ".toolExecutionRequests[1]"),
        (
            '{"type":"AI","toolExecutionRequests":[{"arguments":{}}]}',
            ".toolExecutionRequests[0].arguments",
        ),
        (
            '{"type":"AI","toolExecutionRequests":[{}],"toolExecutionRequest":{}}',
            ".toolExecutionRequest",
        ),
        ('{"type":"AI","toolExecutionRequest":5}', ".toolExecutionRequest"),
        ('{"type":"AI","toolExecutionRequest":{"id":[]}}', ".toolExecutionRequest.id"),
        ('{"type":"TOOL_EXECUTION_RESULT","text":"a","isError":1.0}', ".isError"),
        ('{"type":"TOOL_EXECUTION_RESULT","text":"a","isError":"no"}', ".isError"),
        ('{"type":"TOOL_EXECUTION_RESULT","text":"a","isError":[]}', ".isError"),
    ],
)
def test_errors_name_the_path(text, path):
    """Wherever the problem is, the error has the path to it."""
    with pytest.raises(MessageDecodeError) as alone:
        message_from_json(text)
    with pytest.raises(MessageDecodeError) as listed:
        messages_from_json(f'[{{"type":"CUSTOM"}},{text}]')

    assert f"${path}" == alone.value.path
    assert f"$[1]{path}" == listed.value.path
    assert str(listed.value).startswith(f"$[1]{path}: ")


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ("null", ""),
        ("{}", ".type"),
        ('{"type":"TEXT_FILE"}', ".type"),
        ('{"type":"TEXT"}', ".text"),
        ('{"type":"IMAGE"}', ".image"),
        ('{"type":"IMAGE","image":"a"}', ".image"),
        ('{"type":"IMAGE","image":{}}', ".detailLevel"),
        ('{"type":"IMAGE","image":{},"detailLevel":5}', ".detailLevel"),
        ('{"type":"IMAGE","image":{},"detailLevel":true}', ".detailLevel"),
        ('{"type":"IMAGE","image":{"url":{}}}', ".image.url"),
        ('{"type":"IMAGE","image":{"revisedPrompt":{}}}', ".image.revisedPrompt"),
        ('{"type":"AUDIO","audio":{"binaryData":"a"}}', ".audio.binaryData"),
        ('{"type":"AUDIO","audio":{"binaryData":"é"}}', ".audio.binaryData"),
        ('{"type":"VIDEO","video":{"base64Data":[]}}', ".video.base64Data"),
        ('{"type":"PDF","pdfFile":{"mimeType":[]}}', ".pdfFile.mimeType"),
    ],
)
def test_errors_name_the_path_within_contents(content, path):
    """The path goes on into contents, in user messages and tool results."""
    for kind in "USER", "TOOL_EXECUTION_RESULT":
        with pytest.raises(MessageDecodeError) as caught:
            message_from_json(
                f'{{"contents":[{{"text":"","type":"TEXT"}},{content}],"type":"{kind}"}}'
            )

        assert f"$.contents[1]{path}" == caught.value.path


def test_errors_hold_no_text():
    """What users said stays out of errors, wherever it stands."""
    for text in (
        '{"type":"SYSTEM","text":["secret"]}',
        '{"type":{"text":"secret"}}',
        '{"type":"USER","contents":"secret"}',
        '{"type":"USER","contents":[{"type":"IMAGE","image":{},"detailLevel":"secret"}]}',
        '{"type":"CUSTOM","attributes":"secret"}',
        '{"type":"USER","contents":[{"type":"AUDIO","audio":{"binaryData":"secret!"}}]}',
        '{"type":"USER","text":"secret","contents":[{"type":"TEXT","text":"secret"}]}',
        '{"type":"TOOL_EXECUTION_RESULT","text":"secret","isError":"secret"}',
        '{"type":"CUSTOM","attributes":{"a":"secret"},"a":"secret"}',
    ):
        with pytest.raises(MessageDecodeError) as caught:
            message_from_json(text)

        assert "secret" not in str(caught.value)


def test_long_names_are_cut_in_errors():
    """A path is to be read by a person."""
    with pytest.raises(MessageDecodeError) as caught:
        message_from_json(
            f'{{"type":"CUSTOM","attributes":{{"{"a" * 99}":1}},"{"a" * 99}":1}}'
        )

    assert f'$["{"a" * 60}\\u2026"]' == caught.value.path


@pytest.mark.parametrize(
    ("given", "text"),
    [("5", "5"), ("1.5", "1.5"), ("true", "true"), ("false", "false"), ('""', "")],
)
def test_scalars_become_text(given, text):
    """Numbers and booleans are taken for text, as LangChain4j does."""
    assert UserMessage(text, name=text) == message_from_json(
        f'{{"type":"USER","contents":[{{"type":"TEXT","text":{given}}}],"name":{given}}}'
    )


@pytest.mark.parametrize(
    ("given", "is_error"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("1", True),
        ("0", False),
        ("-5", True),
        ('"true"', True),
        ('" False "', False),
        ('""', None),
    ],
)
def test_is_error_is_read_leniently(given, is_error):
    """Numbers and strings are taken for booleans, as LangChain4j does."""
    expected = ToolExecutionResultMessage(text="a", is_error=is_error)
    actual = message_from_json(
        f'{{"type":"TOOL_EXECUTION_RESULT","text":"a","isError":{given}}}'
    )

    assert typed(expected) == typed(actual)


@pytest.mark.parametrize("level", DetailLevel)
def test_detail_levels_by_name_and_number(level):
    """A level is its name, or its place in LangChain4j's list of them."""
    image = '{"type":"IMAGE","image":{},"detailLevel":%s}'
    text = f'{{"type":"USER","contents":[{image},{image}]}}'
    content = ImageContent(detail_level=level)

    actual = message_from_json(text % (f'"{level}"', list(DetailLevel).index(level)))

    assert typed(UserMessage([content, content])) == typed(actual)


def test_a_single_request_is_read():
    """Until 0.24 LangChain4j wrote one request, not a list of them."""
    text = '{"toolExecutionRequest":{"name":"add","arguments":"{}"},"type":"AI"}'
    request = ToolExecutionRequest(name="add", arguments="{}")

    assert AiMessage(tool_execution_requests=[request]) == message_from_json(text)


def test_a_text_beside_empty_contents_is_read():
    """Both an old and a new field may be there, as long as one of them is empty."""
    result = '{"type":"TOOL_EXECUTION_RESULT","text":"a","contents":[]}'
    user = '{"type":"USER","text":null,"contents":[{"type":"TEXT","text":"a"}]}'

    assert ToolExecutionResultMessage(text="a") == message_from_json(result)
    assert UserMessage("a") == message_from_json(user)


def test_unknown_fields_are_kept_where_they_stand():
    """At every level what is unknown becomes an attribute, and is written as one."""
    text = """[
        {"type":"USER","contents":[{"type":"IMAGE","detailLevel":"LOW","a":[1],
            "image":{"url":"u","b":{"c":null}},"attributes":{"d":true}}]},
        {"type":"AI","toolExecutionRequests":[{"id":"1","type":"function"}],"e":"x"}
    ]"""
    image = ImageContent(url="u", attributes={"d": True, "a": [1], "b": {"c": None}})
    request = ToolExecutionRequest(id="1", attributes={"type": "function"})
    expected = [
        UserMessage([image]),
        AiMessage(tool_execution_requests=[request], attributes={"e": "x"}),
    ]

    actual = messages_from_json(text)

    assert expected == actual
    assert expected == messages_from_json(messages_to_json(actual, extended=True))


@pytest.mark.parametrize("key", ["audio", "video", "pdfFile"])
def test_media_without_payload(key):
    """A medium may be absent, null or empty, and is the same then."""
    kind = {"audio": "AUDIO", "video": "VIDEO", "pdfFile": "PDF"}[key]
    expected = {"audio": AudioContent, "video": VideoContent, "pdfFile": PdfFileContent}

    for payload in "", f'"{key}":null,', f'"{key}":{{}},':
        assert UserMessage(expected[key]()) == message_from_json(
            f'{{"type":"USER","contents":[{{{payload}"type":"{kind}"}}]}}'
        )
