"""
JSON documents as text that any database takes, and back.

The text can always be encoded as UTF-8. What JSON can't bring back equal is refused
when it is written, by its path.
"""

import json
import re

from collections.abc import Callable
from typing import cast

from chatmemory._json_path import LocatedError, step
from chatmemory.attributes import JsonValue
from chatmemory.errors import MessageTypeError


_encode = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
).encode

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def text_of(document: object) -> str:
    """Write a document; only what UTF-8 has no form for is escaped."""
    try:
        text = _encode(document)
    except RecursionError:
        msg = "attributes are nested too deeply to be written: make them flatter"
        raise LocatedError(msg) from None
    except ValueError:
        msg = "an int with more digits than Python converts: make it a str"
        raise LocatedError(msg, _path_to(_is_too_long, document)) from None
    return text if _is_utf8(text) else _escaped(text, document)


def document_of(text: str) -> object:
    """Read a document; an error has the position, and nothing of the text."""
    if not isinstance(text, str):
        msg = f"JSON is read from a str, not {type(text).__name__}: decode it first"
        raise MessageTypeError(msg)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = (
            f"not JSON at line {error.lineno}, column {error.colno} "
            f"(character {error.pos} of {len(text)}): {error.msg}"
        )
    except RecursionError:
        problem = "JSON that is nested too deeply"
    except ValueError:
        problem = "a number with more digits than Python converts"
    # Not while the error is handled: a JSONDecodeError carries the whole text along.
    raise LocatedError(problem)


def _is_utf8(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _escaped(text: str, document: object) -> str:
    if _SURROGATE_PAIR.search(text):
        msg = (
            "a str that holds the two halves of a surrogate pair as two characters, "
            "which JSON would join: join them first, with "
            "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'surrogatepass')"
        )
        raise LocatedError(msg, _path_to(_is_split, document))
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):x}", text)


def _is_split(value: object) -> bool:
    return isinstance(value, str) and _SURROGATE_PAIR.search(value) is not None


def _is_too_long(value: object) -> bool:
    if not isinstance(value, int):
        return False
    try:
        repr(value)
    except ValueError:
        return True
    return False


def _path_to(is_wanted: Callable[[object], bool], document: object) -> str:
    """Return where the wanted value is; for a key, where its object is."""
    pending = [("", cast("JsonValue", document))]
    while True:
        path, value = pending.pop()
        if is_wanted(value):
            return path
        if isinstance(value, dict):
            pending += [(path, key) for key in value]
            pending += [(path + step(key), item) for key, item in value.items()]
        elif isinstance(value, list | tuple):
            pending += [(f"{path}[{index}]", item) for index, item in enumerate(value)]
