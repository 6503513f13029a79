"""
Taking fields out of JSON objects, with the conversions of LangChain4j's reader.

What was taken is gone from the object, so that in the end the unknown is left.
"""

from base64 import b64decode
from collections.abc import Callable, Mapping
from json import dumps
from typing import TypeAlias, TypeVar, cast

from chatmemory._json_path import LocatedError, each, step
from chatmemory._values import shortened
from chatmemory.attributes import NO_ATTRIBUTES, FrozenDict, JsonValue, freeze
from chatmemory.errors import InvalidMessageError


Fields: TypeAlias = dict[str, object]
Read = TypeVar("Read")

_KINDS: Mapping[type, str] = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_FLAGS = {"true": True, "false": False, "": None}


def as_object(value: object, path: str = "") -> Fields:
    """Return what has to be an object."""
    if isinstance(value, dict):
        return cast("Fields", value)
    raise _unexpected(value, "an object", path)


def as_list(value: object, path: str = "") -> list[object]:
    """Return what has to be an array."""
    if isinstance(value, list):
        return cast("list[object]", value)
    raise _unexpected(value, "an array", path)


def take_typed(readers: Mapping[str, Callable[[Fields], Read]], value: object) -> Read:
    """Read an object in the way that its `type` names."""
    fields = as_object(value)
    kind = fields.pop("type", None)
    if not isinstance(kind, str):
        raise _unexpected(kind, "a type", ".type")
    if kind not in readers:
        msg = f"the type is {shortened(kind)}: only {', '.join(readers)} are known"
        raise LocatedError(msg, ".type")
    return readers[kind](fields)


def take_object(fields: Fields, key: str) -> Fields:
    """Take an object; an empty one if there is none."""
    value = fields.pop(key, None)
    return {} if value is None else as_object(value, f".{key}")


def take_list(fields: Fields, key: str, read: Callable[[object], Read]) -> list[Read]:
    """Take an array and read its items; an empty one if there is none."""
    value = fields.pop(key, None)
    return [] if value is None else each(as_list(value, f".{key}"), f".{key}", read)


def take_text(fields: Fields, key: str, path: str = "") -> str | None:
    """Take a string, or a number or boolean as one."""
    value = fields.pop(key, None)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return _text_of_scalar(value, f"{path}.{key}")
    raise _unexpected(value, "a string", f"{path}.{key}")


def _text_of_scalar(value: float, path: str) -> str:
    try:
        return dumps(value, allow_nan=False)
    except ValueError:
        msg = "a string is expected here, not NaN or infinity"
        raise LocatedError(msg, path) from None


def take_required_text(fields: Fields, key: str) -> str:
    """Take a string that has to be there; it may be empty."""
    text = take_text(fields, key)
    if text is None:
        raise _unexpected(None, "a string", f".{key}")
    return text


def take_flag(fields: Fields, key: str) -> bool | None:
    """Take a boolean, or a whole number or string that stands for one."""
    value = fields.pop(key, None)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value != 0
    if isinstance(value, str) and value.strip().lower() in _FLAGS:
        return _FLAGS[value.strip().lower()]
    raise _unexpected(value, "true or false", f".{key}")


def take_bytes(fields: Fields, key: str, path: str) -> bytes | None:
    """Take bytes that stand there as base64."""
    text = take_text(fields, key, path)
    try:
        return None if text is None else b64decode(text, validate=True)
    except ValueError:
        msg = "base64 is expected here, and this is none"
        raise LocatedError(msg, f"{path}.{key}") from None


def take_attributes(fields: Fields, payload: Fields | None = None) -> FrozenDict:
    """Take the attributes, and what is left of an object and its payload with them."""
    if not fields and not payload:
        return NO_ATTRIBUTES
    attributes = take_object(fields, "attributes")
    for unknown in (fields, payload):
        if unknown:
            _add(attributes, unknown)
    try:
        return freeze(cast("Mapping[str, JsonValue]", attributes))
    except InvalidMessageError as error:
        raise LocatedError(str(error), ".attributes") from None


def _add(attributes: Fields, unknown: Fields) -> None:
    for key, value in unknown.items():
        if key in attributes:
            msg = "an unknown field that is among the attributes as well"
            raise LocatedError(msg, step(key))
        attributes[key] = value


def _unexpected(value: object, expected: str, path: str) -> LocatedError:
    return LocatedError(f"{expected} is expected here, not {_KINDS[type(value)]}", path)
