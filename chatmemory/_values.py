"""What messages and contents share as values: checked fields, and a readable repr."""

from collections.abc import Callable
from typing import Any, cast

import attrs

from chatmemory.errors import MessageTypeError


SHOWN_CHARACTERS = 60


class Value:
    """Base of the frozen classes: a repr that a person can read."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = [
            _shown(field, getattr(self, field.name))
            for field in attrs.fields(cast("type[attrs.AttrsInstance]", type(self)))
            if getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def _shown(field: "attrs.Attribute[Any]", value: object) -> str:
    text = shortened(value)
    return f"{field.name}={text}" if field.kw_only else text


def shortened(value: object) -> str:
    """Return a repr in which long text and bytes end in their size."""
    if isinstance(value, str) and len(value) > SHOWN_CHARACTERS:
        return f"{value[:SHOWN_CHARACTERS]!r}… ({len(value):,} characters)"
    if isinstance(value, bytes):
        return f"<{len(value):,} bytes>"
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        return f"[{', '.join(shortened(item) for item in items)}]"
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return f"{{{', '.join(f'{key!r}: {shortened(item)}' for key, item in pairs)}}}"
    return repr(value)


_Check = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def must_be(expected: type, *, or_none: bool = False) -> _Check:
    """
    Return a validator for the exact kind of a field.

    Its error names class, field and type, never the value: that may be what a user
    wrote.
    """
    wanted = f"{expected.__name__} or None" if or_none else expected.__name__

    def check(instance: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if isinstance(value, expected) or (or_none and value is None):
            return
        msg = (
            f"{field.name!r} of {type(instance).__name__} must be {wanted}, "
            f"not {type(value).__name__}"
        )
        raise MessageTypeError(msg)

    return check


is_str = must_be(str)
is_str_or_none = must_be(str, or_none=True)
is_bool_or_none = must_be(bool, or_none=True)
is_bytes_or_none = must_be(bytes, or_none=True)
