"""Messages as JSON objects: the keys of each type, in LangChain4j's order."""

import re

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from chatmemory._json_path import LocatedError, each
from chatmemory.attributes import FrozenDict
from chatmemory.contents import (
    AudioContent,
    Content,
    ImageContent,
    PdfFileContent,
    TextContent,
    VideoContent,
)
from chatmemory.errors import MessageTypeError
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    CustomMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)


Fields: TypeAlias = dict[str, object]

# What java.net.URI refuses, which LangChain4j reads URLs with.
_NEVER_IN_A_URI = re.compile(r'[\s\0-\x1f\x7f-\x9f"<>\\^`{|}]|%(?![\dA-Fa-f]{2})|#.*#')


def write_messages(messages: Iterable[ChatMessage], extended: bool) -> list[Fields]:
    """Return messages as objects; see `write_message`."""
    if not isinstance(messages, Iterable):
        msg = f"messages must be a list, not {type(messages).__name__}"
        raise MessageTypeError(msg)
    return each(messages, "", lambda message: write_message(message, extended))


def write_message(message: ChatMessage, extended: bool) -> Fields:
    """Return a message as an object; if not *extended*, one that Java can read."""
    return _writer(_MESSAGES, message)(message, extended)


def _contents(contents: Iterable[Content], extended: bool) -> list[Fields]:
    return each(
        contents,
        ".contents",
        lambda content: _writer(_CONTENTS, content)(content, extended),
    )


def _writer(writers: Mapping[type, "_Writer"], value: object) -> "_Writer":
    # By the exact type: a subclass would come back as its base, not equal.
    write = writers.get(type(value))
    if write is None:
        known = ", ".join(known.__name__ for known in writers)
        msg = f"{type(value).__name__} has no form in JSON, only {known} have"
        raise MessageTypeError(msg)
    return write


def _system(message: SystemMessage, extended: bool) -> Fields:
    return {"text": message.text, **_additional(message, extended), "type": "SYSTEM"}


def _user(message: UserMessage, extended: bool) -> Fields:
    # LangChain4j takes an empty name for none.
    name = message.name if extended else message.name or None
    return {
        **_present(name=name),
        "contents": _contents(message.contents, extended),
        **_present(attributes=message.attributes or None),
        "type": "USER",
    }


def _ai(message: AiMessage, extended: bool) -> Fields:
    return {
        **_present(text=message.text, thinking=message.thinking),
        "toolExecutionRequests": each(
            message.tool_execution_requests,
            ".toolExecutionRequests",
            lambda request: _request(request, extended),
        ),
        "attributes": message.attributes,
        "type": "AI",
    }


def _request(request: ToolExecutionRequest, extended: bool) -> Fields:
    return {
        **_present(id=request.id, name=request.name, arguments=request.arguments),
        **_additional(request, extended),
    }


def _result(message: ToolExecutionResultMessage, extended: bool) -> Fields:
    return {
        **_present(id=message.id, toolName=message.tool_name),
        "contents": _contents(message.contents, extended),
        **_present(isError=message.is_error),
        "attributes": message.attributes,
        "type": "TOOL_EXECUTION_RESULT",
    }


def _custom(message: CustomMessage, extended: bool) -> Fields:
    return {"attributes": message.attributes, "type": "CUSTOM"}


def _text(content: TextContent, extended: bool) -> Fields:
    return {"text": content.text, **_additional(content, extended), "type": "TEXT"}


def _image(content: ImageContent, extended: bool) -> Fields:
    return {
        "image": {
            **_medium(content, ".image", extended),
            **_present(revisedPrompt=content.revised_prompt),
        },
        "detailLevel": content.detail_level,
        **_additional(content, extended),
        "type": "IMAGE",
    }


def _audio(content: AudioContent, extended: bool) -> Fields:
    data = content.binary_data
    audio = _present(
        url=_url(content.url, ".audio", extended),
        binaryData=None if data is None else b64encode(data).decode("ascii"),
        base64Data=content.base64_data,
        mimeType=content.mime_type,
    )
    return {
        **_present(audio=audio or None),
        **_additional(content, extended),
        "type": "AUDIO",
    }


def _video(content: VideoContent, extended: bool) -> Fields:
    video = _medium(content, ".video", extended)
    return {
        **_present(video=video or None),
        **_additional(content, extended),
        "type": "VIDEO",
    }


def _pdf(content: PdfFileContent, extended: bool) -> Fields:
    return {
        "pdfFile": _medium(content, ".pdfFile", extended),
        **_additional(content, extended),
        "type": "PDF",
    }


def _medium(
    content: ImageContent | VideoContent | PdfFileContent, path: str, extended: bool
) -> Fields:
    return _present(
        url=_url(content.url, path, extended),
        base64Data=content.base64_data,
        mimeType=content.mime_type,
    )


def _present(**fields: object) -> Fields:
    return {key: value for key, value in fields.items() if value is not None}


def _additional(
    value: "_WithoutAttributes", extended: bool
) -> Mapping[str, FrozenDict]:
    """Attributes where LangChain4j has none."""
    if not value.attributes:
        return {}
    if extended:
        return {"attributes": value.attributes}
    msg = (
        f"LangChain4j's JSON has no place for attributes of a {type(value).__name__}: "
        "use extended=True unless a Java service reads it"
    )
    raise LocatedError(msg, ".attributes")


def _url(url: str | None, path: str, extended: bool) -> str | None:
    if url is None or extended or not _NEVER_IN_A_URI.search(url):
        return url
    msg = (
        "LangChain4j reads a URL as a URI, which this is not: percent-encode it, "
        "or use extended=True unless a Java service reads it"
    )
    raise LocatedError(msg, f"{path}.url")


_WithoutAttributes: TypeAlias = SystemMessage | ToolExecutionRequest | Content
_Writer: TypeAlias = Callable[[Any, bool], Fields]

_MESSAGES: Mapping[type, _Writer] = {
    SystemMessage: _system,
    UserMessage: _user,
    AiMessage: _ai,
    ToolExecutionResultMessage: _result,
    CustomMessage: _custom,
}
_CONTENTS: Mapping[type, _Writer] = {
    TextContent: _text,
    ImageContent: _image,
    AudioContent: _audio,
    VideoContent: _video,
    PdfFileContent: _pdf,
}
