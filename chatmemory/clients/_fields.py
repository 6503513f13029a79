"""How clients take JSON apart, and where they keep what is only theirs."""

from collections.abc import Mapping
from typing import Protocol, cast, runtime_checkable

import attrs

from chatmemory.attributes import FrozenDict, JsonValue
from chatmemory.errors import MessageTypeError, UnsupportedContentError


@runtime_checkable
class SupportsModelDump(Protocol):
    """An object of the SDK, or any other pydantic model."""

    def model_dump(self, *, warnings: bool) -> Mapping[str, object]:
        """Return the fields as plain values."""
        ...


@attrs.frozen
class Client:
    """
    The fields of what one client sends and receives.

    `name` is the client's in attributes and errors, and its package's; `api` is what
    people call what it speaks to.
    """

    name: str
    api: str

    def fields_of(self, item: object, what: str) -> dict[str, object]:
        """Return a copy of the fields of a dict or an object of the SDK."""
        if isinstance(item, Mapping):
            return dict(cast("Mapping[str, object]", item))
        if isinstance(item, SupportsModelDump):
            # Pydantic's warnings would quote the values, and those users wrote.
            return dict(item.model_dump(warnings=False))
        msg = (
            f"{what} must be a dict or an object of the {self.name} package, "
            f"not {type(item).__name__}"
        )
        raise MessageTypeError(msg)

    def take_text(self, fields: dict[str, object], name: str) -> str | None:
        """Remove a field that is a text, null or not there."""
        value = fields.pop(name, None)
        if value is None or isinstance(value, str):
            return value
        raise MessageTypeError(self._wrong_type(name, "a str", value))

    def take_required_text(self, fields: dict[str, object], name: str) -> str:
        """Remove a field that has to be a text."""
        value = self.take_text(fields, name)
        if value is None:
            raise MessageTypeError(self._wrong_type(name, "a str", value))
        return value

    def take_list(self, fields: dict[str, object], name: str) -> list[object]:
        """Remove a field that is a list, or none of one."""
        value = fields.pop(name, None)
        if value is None:
            return []
        if isinstance(value, list | tuple):
            return list(cast("list[object]", value))
        raise MessageTypeError(self._wrong_type(name, "a list", value))

    def take_fields(self, fields: dict[str, object], name: str) -> dict[str, object]:
        """Remove a field that has fields itself."""
        return self.fields_of(fields.pop(name, None), repr(name))

    def _wrong_type(self, name: str, wanted: str, value: object) -> str:
        return (
            f"{name!r} must be {wanted}, not {type(value).__name__}: "
            f"pass what {self.api} has there"
        )

    def kept(self, fields: dict[str, object]) -> Mapping[str, JsonValue]:
        """Return attributes that keep fields for this client."""
        return {self.name: cast("Mapping[str, JsonValue]", fields)} if fields else {}

    def own(self, attributes: FrozenDict) -> dict[str, object]:
        """Return a copy, in plain JSON, of what attributes keep for this client."""
        fields = _thawed(attributes.get(self.name, {}))
        if isinstance(fields, dict):
            return cast("dict[str, object]", fields)
        msg = (
            f"attributes[{self.name!r}] must be a mapping of fields to send, "
            f"not {type(fields).__name__}"
        )
        raise MessageTypeError(msg)

    def unsupported(
        self, index: int, content_type: str, why: str
    ) -> UnsupportedContentError:
        """Say what the API has no form for, and the way out."""
        msg = f"{self.api} can't take {content_type} in message {index}: {why}"
        return UnsupportedContentError(
            msg, client=self.name, message_index=index, content_type=content_type
        )


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
