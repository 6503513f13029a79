"""
The messages of a conversation, as values.

They are frozen: equal by value, hashable, picklable. Every message and request takes
`attributes=`, a mapping of JSON values that is copied and can't change; what only one
provider understands lives there under that client's name.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import attrs

from chatmemory._values import (
    Value,
    is_bool_or_none,
    is_str,
    is_str_or_none,
)
from chatmemory.attributes import NO_ATTRIBUTES, FrozenDict, JsonValue, freeze
from chatmemory.contents import CONTENT_TYPES, Content, TextContent
from chatmemory.errors import InvalidMessageError, MessageTypeError


def _not_blank(instance: object, field: "attrs.Attribute[str]", value: str) -> None:
    if not value.strip():
        msg = (
            f"the text of a SystemMessage can't be blank: {value!r}; "
            "to have no system message, add none"
        )
        raise InvalidMessageError(msg)


def _contents(value: str | Content | Iterable[Content]) -> tuple[Content, ...]:
    if isinstance(value, str):
        return (TextContent(value),)
    if isinstance(value, CONTENT_TYPES):
        return (value,)
    if not isinstance(value, Sequence):
        raise MessageTypeError(_not_contents(value))
    return tuple(_content(item) for item in value)


def _content(item: object) -> Content:
    if isinstance(item, CONTENT_TYPES):
        return item
    raise MessageTypeError(_not_contents(item))


def _not_contents(value: object) -> str:
    return (
        f"contents are a str, or a list of TextContent, ImageContent, AudioContent, "
        f"VideoContent and PdfFileContent, not {type(value).__name__}; "
        "a provider's own dicts become messages in chatmemory.clients"
    )


def _not_empty(
    instance: object,
    field: "attrs.Attribute[tuple[Content, ...]]",
    value: tuple[Content, ...],
) -> None:
    if not value:
        msg = (
            f"the contents of {type(instance).__name__} can't be empty: "
            'pass a text ("" is one) or at least one content'
        )
        raise InvalidMessageError(msg)


def _single_text(message: object, contents: tuple[Content, ...]) -> str:
    first = contents[0]
    if len(contents) == 1 and isinstance(first, TextContent):
        return first.text
    kinds = ", ".join(type(content).__name__ for content in contents)
    msg = (
        f"this {type(message).__name__} is not a single text but [{kinds}]: "
        "read its contents"
    )
    raise InvalidMessageError(msg)


@attrs.frozen(repr=False)
class SystemMessage(Value):
    """What the model is told to be; its text is not blank."""

    text: str = attrs.field(validator=[is_str, _not_blank])
    attributes: FrozenDict = attrs.field(
        default=NO_ATTRIBUTES, converter=freeze, kw_only=True
    )


@attrs.frozen(repr=False)
class UserMessage(Value):
    """What a user says: `UserMessage("Hi")`, or a list of contents."""

    contents: tuple[Content, ...] = attrs.field(
        converter=_contents, validator=_not_empty
    )
    name: str | None = attrs.field(default=None, validator=is_str_or_none, kw_only=True)
    attributes: FrozenDict = attrs.field(
        default=NO_ATTRIBUTES, converter=freeze, kw_only=True
    )

    @property
    def text(self) -> str:
        """The text, if that is all there is; otherwise `InvalidMessageError`."""
        return _single_text(self, self.contents)


@attrs.frozen(repr=False, kw_only=True)
class ToolExecutionRequest(Value):
    """
    A call: which tool the model wants run, with which arguments.

    `arguments` is a JSON text as the model wrote it; it is not parsed here.
    """

    id: str | None = attrs.field(default=None, validator=is_str_or_none)
    name: str | None = attrs.field(default=None, validator=is_str_or_none)
    arguments: str | None = attrs.field(default=None, validator=is_str_or_none)
    attributes: FrozenDict = attrs.field(default=NO_ATTRIBUTES, converter=freeze)


def _requests(
    value: Iterable[ToolExecutionRequest],
) -> tuple[ToolExecutionRequest, ...]:
    if not isinstance(value, Iterable):
        raise MessageTypeError(_not_a_request(value))
    requests = tuple(value)
    for request in requests:
        if not isinstance(request, ToolExecutionRequest):
            raise MessageTypeError(_not_a_request(request))
    return requests


def _not_a_request(value: object) -> str:
    return (
        "tool_execution_requests are a list of ToolExecutionRequest, "
        f"not {type(value).__name__}"
    )


@attrs.frozen(repr=False)
class AiMessage(Value):
    """
    What the model says: text, thinking, calls, or nothing at all.

    `thinking` is the model's reasoning where a provider hands it out.
    """

    text: str | None = attrs.field(default=None, validator=is_str_or_none)
    thinking: str | None = attrs.field(
        default=None, validator=is_str_or_none, kw_only=True
    )
    tool_execution_requests: tuple[ToolExecutionRequest, ...] = attrs.field(
        default=(), converter=_requests, kw_only=True
    )
    attributes: FrozenDict = attrs.field(
        default=NO_ATTRIBUTES, converter=freeze, kw_only=True
    )


def _either(
    text: str | None, contents: str | Content | Sequence[Content] | None
) -> str | Content | Sequence[Content]:
    if text is None and contents is not None:
        return contents
    if text is not None and contents is None:
        return text
    msg = "a ToolExecutionResultMessage takes exactly one of text and contents"
    raise InvalidMessageError(msg)


@attrs.frozen(repr=False, init=False, kw_only=True)
class ToolExecutionResultMessage(Value):
    """
    The answer to a call.

    It takes exactly one of `text` and `contents`. `is_error` is None if nobody said
    whether the tool failed.
    """

    id: str | None = attrs.field(default=None, validator=is_str_or_none)
    tool_name: str | None = attrs.field(default=None, validator=is_str_or_none)
    contents: tuple[Content, ...] = attrs.field(
        converter=_contents, validator=_not_empty
    )
    is_error: bool | None = attrs.field(default=None, validator=is_bool_or_none)
    attributes: FrozenDict = attrs.field(default=NO_ATTRIBUTES, converter=freeze)

    def __init__(
        self,
        *,
        id: str | None = None,
        tool_name: str | None = None,
        text: str | None = None,
        contents: str | Content | Sequence[Content] | None = None,
        is_error: bool | None = None,
        attributes: Mapping[str, JsonValue] | None = None,
    ) -> None:
        contents = _either(text, contents)
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - made by attrs
            id=id,
            tool_name=tool_name,
            contents=contents,
            is_error=is_error,
            attributes=attributes,
        )

    @classmethod
    def of(
        cls,
        request: ToolExecutionRequest,
        contents: str | Content | Sequence[Content],
        *,
        is_error: bool | None = None,
    ) -> "ToolExecutionResultMessage":
        """Answer a request: the result takes its id and the name of its tool."""
        return cls(
            id=request.id, tool_name=request.name, contents=contents, is_error=is_error
        )

    @property
    def text(self) -> str:
        """The text, if that is all there is; otherwise `InvalidMessageError`."""
        return _single_text(self, self.contents)


@attrs.frozen(repr=False)
class CustomMessage(Value):
    """A message of the application's own; no client can send it."""

    attributes: FrozenDict = attrs.field(default=NO_ATTRIBUTES, converter=freeze)


ChatMessage: TypeAlias = (
    SystemMessage | UserMessage | AiMessage | ToolExecutionResultMessage | CustomMessage
)
MESSAGE_TYPES = (
    SystemMessage,
    UserMessage,
    AiMessage,
    ToolExecutionResultMessage,
    CustomMessage,
)
