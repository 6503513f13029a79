"""
What a message can hold: text, images, audio, video and PDF files.

The fields are those of LangChain4j. A medium is a URL or data; which of the two, and
whether it is there at all, is not checked here but by the client that sends it.
"""

from enum import StrEnum
from typing import TypeAlias

import attrs

from chatmemory._values import (
    Value,
    is_bytes_or_none,
    is_str,
    is_str_or_none,
)
from chatmemory.attributes import NO_ATTRIBUTES, FrozenDict, freeze
from chatmemory.errors import InvalidMessageError


class DetailLevel(StrEnum):
    """How closely a model is to look at an image; more detail costs more tokens."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"
    ULTRA_HIGH = "ULTRA_HIGH"
    AUTO = "AUTO"


def _detail_level(value: DetailLevel | str) -> DetailLevel:
    try:
        return DetailLevel(value)
    except ValueError:
        msg = f"detail_level must be one of {', '.join(DetailLevel)}: {value!r}"
        raise InvalidMessageError(msg) from None


@attrs.frozen(repr=False)
class TextContent(Value):
    """A text; it may be empty."""

    text: str = attrs.field(validator=is_str)
    attributes: FrozenDict = attrs.field(
        default=NO_ATTRIBUTES, converter=freeze, kw_only=True
    )


@attrs.frozen(repr=False, kw_only=True)
class ImageContent(Value):
    """An image, by `url` or as `base64_data` with its `mime_type`."""

    url: str | None = attrs.field(default=None, validator=is_str_or_none)
    base64_data: str | None = attrs.field(default=None, validator=is_str_or_none)
    mime_type: str | None = attrs.field(default=None, validator=is_str_or_none)
    revised_prompt: str | None = attrs.field(default=None, validator=is_str_or_none)
    detail_level: DetailLevel = attrs.field(
        default=DetailLevel.LOW, converter=_detail_level
    )
    attributes: FrozenDict = attrs.field(default=NO_ATTRIBUTES, converter=freeze)


@attrs.frozen(repr=False, kw_only=True)
class AudioContent(Value):
    """A sound, by `url`, as `binary_data` or as `base64_data`."""

    url: str | None = attrs.field(default=None, validator=is_str_or_none)
    binary_data: bytes | None = attrs.field(default=None, validator=is_bytes_or_none)
    base64_data: str | None = attrs.field(default=None, validator=is_str_or_none)
    mime_type: str | None = attrs.field(default=None, validator=is_str_or_none)
    attributes: FrozenDict = attrs.field(default=NO_ATTRIBUTES, converter=freeze)


@attrs.frozen(repr=False, kw_only=True)
class VideoContent(Value):
    """A video, by `url` or as `base64_data`."""

    url: str | None = attrs.field(default=None, validator=is_str_or_none)
    base64_data: str | None = attrs.field(default=None, validator=is_str_or_none)
    mime_type: str | None = attrs.field(default=None, validator=is_str_or_none)
    attributes: FrozenDict = attrs.field(default=NO_ATTRIBUTES, converter=freeze)


@attrs.frozen(repr=False, kw_only=True)
class PdfFileContent(Value):
    """A PDF file, by `url` or as `base64_data`."""

    url: str | None = attrs.field(default=None, validator=is_str_or_none)
    base64_data: str | None = attrs.field(default=None, validator=is_str_or_none)
    mime_type: str = attrs.field(default="application/pdf", validator=is_str)
    attributes: FrozenDict = attrs.field(default=NO_ATTRIBUTES, converter=freeze)


Content: TypeAlias = (
    TextContent | ImageContent | AudioContent | VideoContent | PdfFileContent
)
CONTENT_TYPES = (TextContent, ImageContent, AudioContent, VideoContent, PdfFileContent)
