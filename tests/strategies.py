"""
Messages as Hypothesis makes them: half of them like real ones, half of them anything.

Every field of every type takes part. A text has any characters, lone surrogates and NUL
included, but no high surrogate directly before a low one: JSON has no form for that.
"""

import re

from functools import cache

from hypothesis import strategies as st

from chatmemory.attributes import JsonValue
from chatmemory.contents import (
    AudioContent,
    Content,
    DetailLevel,
    ImageContent,
    PdfFileContent,
    TextContent,
    VideoContent,
)
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    CustomMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)


PHRASES = [
    "",
    "Hi!",
    "Could you find me a flight from Oslo to Lisbon on Friday, please?",
    "请帮我找一班星期五从奥斯陆到里斯本的航班。",
    "金曜日にオスロからリスボンへのフライトを探してください。",
    "أريد رحلة من أوسلو إلى لشبونة يوم الجمعة.",
    "ओस्लो से लिस्बन की उड़ान चाहिए।",
    "Naïve café, 5 € “quoted”, it's fine 👩‍👩‍👧 🇳🇴",
    "def f(x):\n\treturn {'a': [x]}  # \\n is no line break\r\n",
    '{"from": "OSL", "to": "LIS", "price": 1e3, "tags": ["a", null]}',
    "<|endoftext|> and <b>&amp;</b>",
    "line\u2028separator, \x00 NUL, \x1f, \x7f",
    "a lone half: \ud83d",
    "the other half: \ude00 and more",
    "a line that somebody repeats. " * 20,
]
TOOLS = ["search_flights", "book", "get_weather", "calculator", "werkzeug.für-alles"]
URLS = [
    "https://example.org/a.png",
    "https://example.org/a b.png",
    "data:image/png;base64,aGk=",
    "",
]
MIME_TYPES = ["image/png", "audio/wav", "video/mp4", "application/pdf", ""]
NUMBERS = [0, 1, -1, 2**31, 2**63, -(2**64), 10**400]
NAMES = ["openai", "anthropic.signature", "cache_control", "type", "text", "", "名"]

_SPLIT_CHARACTER = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _without_split_characters(text: str) -> str:
    return _SPLIT_CHARACTER.sub(lambda found: " ".join(found[0]), text)


@cache
def texts(*, min_size: int = 0) -> st.SearchStrategy[str]:
    """Texts as people, models and tools write them, and any others."""
    return st.sampled_from(
        [phrase for phrase in PHRASES if len(phrase) >= min_size]
    ) | st.text(st.characters(), min_size=min_size, max_size=12).map(
        _without_split_characters
    )


@cache
def json_values(*, depth: int = 2) -> st.SearchStrategy[JsonValue]:
    """Values of attributes: scalars, and up to *depth* levels of lists and objects."""
    scalars: st.SearchStrategy[JsonValue] = st.one_of(
        st.none(),
        st.booleans(),
        st.sampled_from(NUMBERS),
        st.floats(allow_nan=False, allow_infinity=False),
        texts(),
    )
    if depth == 0:
        return scalars
    inner = json_values(depth=depth - 1)
    return scalars | st.lists(inner, max_size=2) | _json_objects(inner)


def _json_objects(
    values: st.SearchStrategy[JsonValue],
) -> st.SearchStrategy[dict[str, JsonValue]]:
    return st.dictionaries(st.sampled_from(NAMES) | texts(), values, max_size=2)


@cache
def attributes() -> st.SearchStrategy[dict[str, JsonValue]]:
    """Attributes; most often there are none."""
    return st.just({}) | st.builds(dict) | _json_objects(json_values())


def _maybe(values: list[str]) -> st.SearchStrategy[str | None]:
    return st.none() | st.sampled_from(values) | texts()


def text_contents() -> st.SearchStrategy[TextContent]:
    """Texts as contents."""
    return st.builds(TextContent, texts(), attributes=attributes())


def image_contents() -> st.SearchStrategy[ImageContent]:
    """Images, with any of their fields."""
    return st.builds(
        ImageContent,
        url=_maybe(URLS),
        base64_data=_maybe(["aGk="]),
        mime_type=_maybe(MIME_TYPES),
        revised_prompt=st.none() | texts(),
        detail_level=st.sampled_from(DetailLevel),
        attributes=attributes(),
    )


def audio_contents() -> st.SearchStrategy[AudioContent]:
    """Sounds, with any of their fields."""
    return st.builds(
        AudioContent,
        url=_maybe(URLS),
        binary_data=st.none() | st.binary(max_size=8),
        base64_data=_maybe(["aGk="]),
        mime_type=_maybe(MIME_TYPES),
        attributes=attributes(),
    )


def video_contents() -> st.SearchStrategy[VideoContent]:
    """Videos, with any of their fields."""
    return st.builds(
        VideoContent,
        url=_maybe(URLS),
        base64_data=_maybe(["aGk="]),
        mime_type=_maybe(MIME_TYPES),
        attributes=attributes(),
    )


def pdf_file_contents() -> st.SearchStrategy[PdfFileContent]:
    """PDF files, with any of their fields."""
    return st.builds(
        PdfFileContent,
        url=_maybe(URLS),
        base64_data=_maybe(["aGk="]),
        mime_type=st.sampled_from(MIME_TYPES) | texts(),
        attributes=attributes(),
    )


@cache
def contents() -> st.SearchStrategy[Content]:
    """Contents of every type."""
    return st.one_of(
        text_contents(),
        image_contents(),
        audio_contents(),
        video_contents(),
        pdf_file_contents(),
    )


def _text_or_contents() -> st.SearchStrategy[str | list[Content]]:
    return texts() | st.lists(contents(), min_size=1, max_size=3)


def system_messages() -> st.SearchStrategy[SystemMessage]:
    """System messages; none is blank."""
    return st.builds(
        SystemMessage, texts(min_size=1).filter(str.strip), attributes=attributes()
    )


def user_messages() -> st.SearchStrategy[UserMessage]:
    """User messages, of one text or of several contents."""
    return st.builds(
        UserMessage,
        _text_or_contents(),
        name=st.none() | st.sampled_from(["", "Klaus"]) | texts(),
        attributes=attributes(),
    )


def tool_execution_requests() -> st.SearchStrategy[ToolExecutionRequest]:
    """Calls, some of them without an id."""
    return st.builds(
        ToolExecutionRequest,
        id=_maybe(["call_1", "call_2", ""]),
        name=_maybe(TOOLS),
        arguments=_maybe(["{}", '{"city": "Zürich", "days": 3}', '{"bro']),
        attributes=attributes(),
    )


def ai_messages() -> st.SearchStrategy[AiMessage]:
    """Answers, with or without text, thinking and calls."""
    return st.builds(
        AiMessage,
        st.none() | texts(),
        thinking=st.none() | texts(),
        tool_execution_requests=st.lists(tool_execution_requests(), max_size=3),
        attributes=attributes(),
    )


def tool_execution_result_messages() -> st.SearchStrategy[ToolExecutionResultMessage]:
    """Results, of one text or of several contents."""
    return st.builds(
        ToolExecutionResultMessage,
        id=_maybe(["call_1", "call_2", ""]),
        tool_name=_maybe(TOOLS),
        contents=_text_or_contents(),
        is_error=st.none() | st.booleans(),
        attributes=attributes(),
    )


def custom_messages() -> st.SearchStrategy[CustomMessage]:
    """Messages of an application's own."""
    return st.builds(CustomMessage, attributes())


@cache
def messages() -> st.SearchStrategy[ChatMessage]:
    """Messages of every type; in a list of them no result has to fit a call."""
    return st.one_of(
        user_messages(),
        ai_messages(),
        tool_execution_result_messages(),
        system_messages(),
        custom_messages(),
    )
