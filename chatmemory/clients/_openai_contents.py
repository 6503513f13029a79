"""The content parts of OpenAI Chat, in both directions."""

import base64
import re

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from chatmemory.attributes import JsonValue
from chatmemory.clients._fields import with_own
from chatmemory.clients._openai_fields import (
    fields_of,
    kept,
    own,
    take_fields,
    take_list,
    take_required_text,
    take_text,
    unsupported,
)
from chatmemory.contents import (
    AudioContent,
    Content,
    DetailLevel,
    ImageContent,
    PdfFileContent,
    TextContent,
    VideoContent,
)


FILENAME = "file"
DATA_URL = re.compile(r"data:([^;,]+);base64,(.*)", re.DOTALL)
DETAILS = {
    DetailLevel.LOW: "low",
    DetailLevel.MEDIUM: "auto",
    DetailLevel.HIGH: "high",
    DetailLevel.ULTRA_HIGH: "high",
    DetailLevel.AUTO: "auto",
}
LEVELS = {
    "low": DetailLevel.LOW,
    "high": DetailLevel.HIGH,
    "original": DetailLevel.ULTRA_HIGH,
}
AUDIO_FORMATS = {
    "audio/mpeg": "mp3",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
    "audio/vnd.wave": "wav",
}


class _Source(NamedTuple):
    url: str | None
    base64_data: str | None
    mime_type: str | None


def read_contents(index: int, fields: dict[str, object]) -> str | list[Content]:
    """Remove the content of a message: a text, or parts."""
    content = fields.get("content")
    if content is None or isinstance(content, str):
        return take_required_text(fields, "content")
    return [_read_part(index, part) for part in take_list(fields, "content")]


def _read_part(index: int, part: object) -> Content:
    fields = fields_of(part, "a content part")
    return _READERS[take_kind(index, fields, _READERS)](fields)


def take_kind(
    index: int, fields: dict[str, object], kinds: Mapping[str, object] | Sequence[str]
) -> str:
    """Remove the type of a part; it has to be one of *kinds*."""
    kind = fields.pop("type", None)
    if isinstance(kind, str) and kind in kinds:
        return kind
    found = kind if isinstance(kind, str) else "part without type"
    raise unsupported(index, found, f"pass parts of type {', '.join(kinds)}")


def _read_text(fields: dict[str, object]) -> TextContent:
    text = take_required_text(fields, "text")
    return TextContent(text, attributes=kept(fields))


def _read_image(fields: dict[str, object]) -> ImageContent:
    inner = take_fields(fields, "image_url")
    source = _take_source(inner, "url")
    level = _level(inner.get("detail"))
    if inner.get("detail") in ("auto", "low", "high"):
        del inner["detail"]
    return ImageContent(
        **source._asdict(),
        detail_level=level,
        attributes=_kept_part(fields, "image_url", inner),
    )


def _read_video(fields: dict[str, object]) -> VideoContent:
    inner = take_fields(fields, "video_url")
    source = _take_source(inner, "url")
    return VideoContent(
        **source._asdict(), attributes=_kept_part(fields, "video_url", inner)
    )


def _read_audio(fields: dict[str, object]) -> AudioContent:
    inner = take_fields(fields, "input_audio")
    return AudioContent(
        base64_data=take_required_text(inner, "data"),
        mime_type=f"audio/{take_required_text(inner, 'format')}",
        attributes=_kept_part(fields, "input_audio", inner),
    )


def _read_file(fields: dict[str, object]) -> PdfFileContent:
    inner = take_fields(fields, "file")
    source = _take_source(inner, "file_data")
    if source.url is not None:
        inner["file_data"] = source.url
    return PdfFileContent(
        base64_data=source.base64_data,
        mime_type=source.mime_type or "application/pdf",
        attributes=_kept_part(fields, "file", inner),
    )


_READERS: dict[str, Callable[[dict[str, object]], Content]] = {
    "text": _read_text,
    "image_url": _read_image,
    "input_audio": _read_audio,
    "file": _read_file,
    "video_url": _read_video,
}


def _take_source(inner: dict[str, object], name: str) -> _Source:
    url = take_text(inner, name)
    match = DATA_URL.fullmatch(url or "")
    return _Source(None, match[2], match[1]) if match else _Source(url, None, None)


def _kept_part(
    fields: dict[str, object], kind: str, inner: dict[str, object]
) -> Mapping[str, JsonValue]:
    return kept({**fields, kind: inner} if inner else fields)


def _level(detail: object) -> DetailLevel:
    return LEVELS.get(str(detail), DetailLevel.AUTO)


def write_contents(index: int, contents: Sequence[Content]) -> object:
    """Return a str for a single text with nothing kept, else parts."""
    parts = [_write_part(index, content) for content in contents]
    is_bare = [part.keys() for part in parts] == [{"type", "text"}]
    return parts[0]["text"] if is_bare else parts


def write_texts(index: int, contents: Sequence[Content]) -> object:
    """Return the contents of a tool result; only texts can be in one."""
    for content in contents:
        if not isinstance(content, TextContent):
            why = "a tool result is text; put the rest into a user message behind it"
            raise unsupported(index, type(content).__name__, why)
    return write_contents(index, contents)


def _write_part(index: int, content: Content) -> dict[str, object]:
    fields = own(content.attributes)
    match content:
        case TextContent():
            return with_own({"type": "text", "text": content.text}, fields)
        case ImageContent():
            return _part(fields, "image_url", _image(index, content, fields))
        case AudioContent():
            return _part(fields, "input_audio", _audio(index, content))
        case VideoContent():
            return _part(fields, "video_url", {"url": _url(index, content)})
        case _:  # PdfFileContent: no other is left
            return _part(fields, "file", _file(index, content, fields))


def _part(
    fields: dict[str, object], kind: str, known: dict[str, object]
) -> dict[str, object]:
    inner = with_own(known, _kept_inner(fields, kind))
    return with_own({"type": kind, kind: inner}, fields)


def _kept_inner(fields: dict[str, object], kind: str) -> dict[str, object]:
    return fields_of(fields.get(kind, {}), f"what attributes keep as {kind!r}")


def _image(
    index: int, content: ImageContent, fields: dict[str, object]
) -> dict[str, object]:
    known: dict[str, object] = {"url": _url(index, content)}
    kept_detail = _kept_inner(fields, "image_url").get("detail")
    if _level(kept_detail) is not content.detail_level:
        known["detail"] = DETAILS[content.detail_level]
    return known


def _audio(index: int, content: AudioContent) -> dict[str, object]:
    mime_type = content.mime_type or ""
    data = content.base64_data
    if data is None and content.binary_data is not None:
        data = base64.b64encode(content.binary_data).decode("ascii")
    if data is None or not mime_type.startswith("audio/"):
        why = "it needs data and a mime_type like audio/wav; OpenAI loads no audio URL"
        raise unsupported(index, "AudioContent", why)
    audio_format = AUDIO_FORMATS.get(mime_type, mime_type.removeprefix("audio/"))
    return {"data": data, "format": audio_format}


def _file(
    index: int, content: PdfFileContent, fields: dict[str, object]
) -> dict[str, object]:
    inner = _kept_inner(fields, "file")
    if content.base64_data is not None:
        data_url = f"data:{content.mime_type};base64,{content.base64_data}"
        return {"file_data": data_url, "filename": inner.get("filename", FILENAME)}
    if "file_id" in inner or "file_data" in inner:
        return {}
    why = "it needs base64_data; OpenAI loads no file URL"
    raise unsupported(index, "PdfFileContent", why)


def _url(index: int, content: ImageContent | VideoContent) -> str:
    if content.url is not None:
        return content.url
    if content.base64_data is not None and content.mime_type:
        return f"data:{content.mime_type};base64,{content.base64_data}"
    why = "it needs a url, or base64_data and its mime_type"
    raise unsupported(index, type(content).__name__, why)
