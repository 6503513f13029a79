"""
Messages from JSON objects, in the forms that LangChain4j has written over time.

What it dropped is still read: until 0.25 a user message was a `text`, until 0.24 an
AI message had one `toolExecutionRequest`, and until 1.12 a tool result was a `text`.
"""

from collections.abc import Callable, Mapping
from typing import TypedDict

from chatmemory._json_fields import (
    Fields,
    as_list,
    as_object,
    take_attributes,
    take_bytes,
    take_flag,
    take_list,
    take_object,
    take_required_text,
    take_text,
    take_typed,
)
from chatmemory._json_path import LocatedError, each, within
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


def read_messages(document: object) -> list[ChatMessage]:
    """Read an array of messages; one that can't be read fails them all."""
    return each(as_list(document), "", read_message)


def read_message(document: object) -> ChatMessage:
    """Read the object of a message, which is used up."""
    return take_typed(_MESSAGES, document)


def _system(fields: Fields) -> SystemMessage:
    text = take_required_text(fields, "text")
    if not text.strip():
        msg = "the text of a SystemMessage can't be blank"
        raise LocatedError(msg, ".text")
    return SystemMessage(text, attributes=take_attributes(fields))


def _user(fields: Fields) -> UserMessage:
    return UserMessage(
        _contents(fields),
        name=take_text(fields, "name"),
        attributes=take_attributes(fields),
    )


def _ai(fields: Fields) -> AiMessage:
    return AiMessage(
        take_text(fields, "text"),
        thinking=take_text(fields, "thinking"),
        tool_execution_requests=_requests(fields),
        attributes=take_attributes(fields),
    )


def _requests(fields: Fields) -> list[ToolExecutionRequest]:
    requests = take_list(fields, "toolExecutionRequests", _request)
    single = fields.pop("toolExecutionRequest", None)
    if single is None:
        return requests
    if requests:
        msg = "toolExecutionRequests are there as well, and only one of them can be"
        raise LocatedError(msg, ".toolExecutionRequest")
    return [within(".toolExecutionRequest", _request, single)]


def _request(value: object) -> ToolExecutionRequest:
    fields = as_object(value)
    return ToolExecutionRequest(
        id=take_text(fields, "id"),
        name=take_text(fields, "name"),
        arguments=take_text(fields, "arguments"),
        attributes=take_attributes(fields),
    )


def _result(fields: Fields) -> ToolExecutionResultMessage:
    return ToolExecutionResultMessage(
        id=take_text(fields, "id"),
        tool_name=take_text(fields, "toolName"),
        contents=_contents(fields),
        is_error=take_flag(fields, "isError"),
        attributes=take_attributes(fields),
    )


def _custom(fields: Fields) -> CustomMessage:
    return CustomMessage(take_attributes(fields))


def _contents(fields: Fields) -> list[Content]:
    contents = take_list(fields, "contents", _content)
    text = take_text(fields, "text")
    if contents and text is not None:
        msg = "contents are there as well, and only one can be"
        raise LocatedError(msg, ".text")
    if text is not None:
        return [TextContent(text)]
    if not contents:
        msg = "at least one content is expected here"
        raise LocatedError(msg, ".contents")
    return contents


def _content(value: object) -> Content:
    return take_typed(_CONTENTS, value)


def _text(fields: Fields) -> TextContent:
    return TextContent(
        take_required_text(fields, "text"), attributes=take_attributes(fields)
    )


class _Medium(TypedDict):
    url: str | None
    base64_data: str | None


def _medium(payload: Fields, path: str) -> _Medium:
    return {
        "url": take_text(payload, "url", path),
        "base64_data": take_text(payload, "base64Data", path),
    }


def _image(fields: Fields) -> ImageContent:
    image = as_object(fields.pop("image", None), ".image")
    return ImageContent(
        **_medium(image, ".image"),
        mime_type=take_text(image, "mimeType", ".image"),
        revised_prompt=take_text(image, "revisedPrompt", ".image"),
        detail_level=_detail_level(fields),
        attributes=take_attributes(fields, image),
    )


def _detail_level(fields: Fields) -> DetailLevel:
    value = fields.pop("detailLevel", None)
    for ordinal, level in enumerate(DetailLevel):
        if value == level or (type(value) is int and value == ordinal):
            return level
    msg = f"one of {', '.join(DetailLevel)} is expected here"
    raise LocatedError(msg, ".detailLevel")


def _audio(fields: Fields) -> AudioContent:
    audio = take_object(fields, "audio")
    return AudioContent(
        **_medium(audio, ".audio"),
        binary_data=take_bytes(audio, "binaryData", ".audio"),
        mime_type=take_text(audio, "mimeType", ".audio"),
        attributes=take_attributes(fields, audio),
    )


def _video(fields: Fields) -> VideoContent:
    video = take_object(fields, "video")
    return VideoContent(
        **_medium(video, ".video"),
        mime_type=take_text(video, "mimeType", ".video"),
        attributes=take_attributes(fields, video),
    )


def _pdf(fields: Fields) -> PdfFileContent:
    pdf = take_object(fields, "pdfFile")
    mime_type = take_text(pdf, "mimeType", ".pdfFile")
    return PdfFileContent(
        **_medium(pdf, ".pdfFile"),
        mime_type="application/pdf" if mime_type is None else mime_type,
        attributes=take_attributes(fields, pdf),
    )


_MESSAGES: Mapping[str, Callable[[Fields], ChatMessage]] = {
    "SYSTEM": _system,
    "USER": _user,
    "AI": _ai,
    "TOOL_EXECUTION_RESULT": _result,
    "CUSTOM": _custom,
}
_CONTENTS: Mapping[str, Callable[[Fields], Content]] = {
    "TEXT": _text,
    "IMAGE": _image,
    "AUDIO": _audio,
    "VIDEO": _video,
    "PDF": _pdf,
}
