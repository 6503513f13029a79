"""How the OpenAI client takes JSON apart, and where it keeps what is only OpenAI's."""

from collections.abc import Mapping
from typing import Protocol, cast, runtime_checkable

from chatmemory.attributes import FrozenDict, JsonValue
from chatmemory.errors import MessageTypeError, UnsupportedContentError


CLIENT = "openai"


@runtime_checkable
class SupportsModelDump(Protocol):
    """An object of the SDK, or any other pydantic model."""

    def model_dump(self, *, warnings: bool) -> Mapping[str, object]:
        """Return the fields as plain values."""
        ...


def fields_of(item: object, what: str) -> dict[str, object]:
    """Return a copy of the fields of a dict or an object of the SDK."""
    if isinstance(item, Mapping):
        return dict(cast("Mapping[str, object]", item))
    if isinstance(item, SupportsModelDump):
        # Pydantic's warnings would quote the values, and those are what users wrote.
        return dict(item.model_dump(warnings=False))
    msg = (
        f"{what} must be a dict or an object of the openai package, "
        f"not {type(item).__name__}"
    )
    raise MessageTypeError(msg)


def take_text(fields: dict[str, object], name: str) -> str | None:
    """Remove a field that is a text, null or not there."""
    value = fields.pop(name, None)
    if value is None or isinstance(value, str):
        return value
    raise MessageTypeError(_wrong_type(name, "a str", value))


def take_required_text(fields: dict[str, object], name: str) -> str:
    """Remove a field that has to be a text."""
    value = take_text(fields, name)
    if value is None:
        raise MessageTypeError(_wrong_type(name, "a str", value))
    return value


def take_list(fields: dict[str, object], name: str) -> list[object]:
    """Remove a field that is a list, or none of one."""
    value = fields.pop(name, None)
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return list(cast("list[object]", value))
    raise MessageTypeError(_wrong_type(name, "a list", value))


def take_fields(fields: dict[str, object], name: str) -> dict[str, object]:
    """Remove a field that has fields itself."""
    return fields_of(fields.pop(name, None), repr(name))


def _wrong_type(name: str, wanted: str, value: object) -> str:
    return (
        f"{name!r} must be {wanted}, not {type(value).__name__}: "
        "pass what OpenAI Chat has there"
    )


def kept(fields: dict[str, object]) -> Mapping[str, JsonValue]:
    """Return attributes that keep fields for this client."""
    return {CLIENT: cast("Mapping[str, JsonValue]", fields)} if fields else {}


def own(attributes: FrozenDict) -> dict[str, object]:
    """Return a copy, in plain JSON, of what attributes keep for this client."""
    fields = _thawed(attributes.get(CLIENT, {}))
    if isinstance(fields, dict):
        return cast("dict[str, object]", fields)
    msg = (
        f"attributes[{CLIENT!r}] must be a mapping of fields to send, "
        f"not {type(fields).__name__}"
    )
    raise MessageTypeError(msg)


def _thawed(value: JsonValue) -> object:
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_thawed(item) for item in value]
    return value


def with_own(
    known: Mapping[str, object], kept_fields: Mapping[str, object]
) -> dict[str, object]:
    """Return known fields and, behind them, the kept ones that are not known."""
    return {**known, **kept_fields, **known}


def unsupported(index: int, content_type: str, why: str) -> UnsupportedContentError:
    """Say what OpenAI Chat has no form for, and the way out."""
    msg = f"OpenAI Chat can't take {content_type} in message {index}: {why}"
    return UnsupportedContentError(
        msg, client=CLIENT, message_index=index, content_type=content_type
    )
