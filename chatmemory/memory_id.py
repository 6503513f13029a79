"""Whose memory: what an id may be, and the text that it is to a store."""

from typing import TypeAlias
from uuid import UUID

from chatmemory._values import shortened
from chatmemory.errors import InvalidMemoryIdError


MemoryId: TypeAlias = str | int | UUID

LONGEST = 255


def memory_id_text(memory_id: MemoryId) -> str:
    """
    Return the text of a memory id, which is all that a store sees of it.

    `1` and `"1"` are one memory. Raises `InvalidMemoryIdError` for what is no str, int
    or UUID, for a bool, and for text that is empty, longer than 255 characters, or not
    storable everywhere (NUL, lone surrogates).
    """
    if isinstance(memory_id, bool) or not isinstance(memory_id, str | int | UUID):
        msg = f"a memory id must be a str, an int or a UUID: {memory_id!r}"
        raise InvalidMemoryIdError(msg)
    text = _text(memory_id)
    if not 0 < len(text) <= LONGEST:
        msg = (
            f"a memory id must have 1 to {LONGEST} characters, not {len(text)}: "
            f"{shortened(memory_id)}"
        )
        raise InvalidMemoryIdError(msg)
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        msg = f"a memory id can't hold NUL or lone surrogates: {memory_id!r}"
        raise InvalidMemoryIdError(msg)
    return text


def _text(memory_id: MemoryId) -> str:
    if isinstance(memory_id, str):
        return str.__str__(memory_id)
    if not isinstance(memory_id, int):
        return str(memory_id)
    if memory_id.bit_length() > 4 * LONGEST:  # Python may refuse to write it
        msg = (
            f"a memory id must have 1 to {LONGEST} characters, which an int of "
            f"{memory_id.bit_length():,} bits has not"
        )
        raise InvalidMemoryIdError(msg)
    return int.__repr__(memory_id)
