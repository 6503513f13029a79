"""
JSON values that can't change.

Attributes carry what only one provider understands. They belong to messages, and
messages are values: so what is given is copied, deeply, into forms that are equal to
the plain ones, hashable and picklable.
"""

import math

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn, TypeAlias, cast

from chatmemory.errors import InvalidMessageError, MessageTypeError


JsonValue: TypeAlias = (
    "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)


class FrozenDict(dict[str, JsonValue]):
    """A dict that refuses to change; what is nested in it is frozen as well."""

    __slots__ = ()

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        msg = "attributes can't change: build new ones, e.g. {**attributes, key: value}"
        raise TypeError(msg)

    # To the checkers, a Mapping is all that it is.
    if not TYPE_CHECKING:  # pragma: no branch
        __setitem__ = __delitem__ = __ior__ = _refuse
        clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type["FrozenDict"], tuple[dict[str, JsonValue]]]:
        return FrozenDict, (dict(self),)

    def __copy__(self) -> "FrozenDict":
        return self

    def __deepcopy__(self, _memo: object) -> "FrozenDict":
        return self


class FrozenList(tuple[JsonValue, ...]):
    """A tuple that is equal to the list of its items."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list):
            other = tuple(cast("list[object]", other))
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return super().__hash__()

    def __repr__(self) -> str:
        return repr(list(self))


NO_ATTRIBUTES = FrozenDict()


def freeze(attributes: Mapping[str, JsonValue] | None) -> FrozenDict:
    """
    Copy a mapping of JSON values into one that can't change.

    None is the empty mapping, as in LangChain4j. Raises `MessageTypeError` for what
    JSON has no form for, and `InvalidMessageError` for NaN, infinities and values
    that contain themselves.
    """
    if not attributes and (attributes is None or isinstance(attributes, Mapping)):
        return NO_ATTRIBUTES
    if isinstance(attributes, FrozenDict):
        return attributes
    if not isinstance(attributes, Mapping):
        msg = (
            f"attributes must be a mapping, not {type(attributes).__name__}: "
            "pass attributes={'key': value}"
        )
        raise MessageTypeError(msg)
    try:
        return _freeze_mapping(attributes)
    except RecursionError:
        msg = "attributes are nested too deeply, or contain themselves: pass plain JSON"
        raise InvalidMessageError(msg) from None


def _freeze_mapping(mapping: Mapping[str, JsonValue]) -> FrozenDict:
    return FrozenDict((_key(k), _freeze_value(v)) for k, v in mapping.items())


def _key(key: object) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    msg = f"attribute names must be str, not {type(key).__name__}: {key!r}"
    raise MessageTypeError(msg)


def _freeze_value(value: JsonValue) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, Mapping):
        return _freeze_mapping(value)
    if isinstance(value, list | tuple):
        return _freeze_items(value)
    msg = (
        f"attributes hold JSON values, not {type(value).__name__}: turn it into "
        "a str, a number, a list or a dict first (bytes: as base64 text)"
    )
    raise MessageTypeError(msg)


def _freeze_items(items: Iterable[JsonValue]) -> FrozenList:
    return FrozenList(_freeze_value(item) for item in items)


def _finite(value: float) -> float:
    if math.isfinite(value):
        return float.__float__(value)
    msg = f"attributes hold JSON values, and JSON has no {value!r}: use None or a str"
    raise InvalidMessageError(msg)
