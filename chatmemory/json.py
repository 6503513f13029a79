"""
Messages as JSON, in the form that LangChain4j writes and reads.

By default exactly its form, for a Java service to read: it refuses a whole conversation
for one field that it does not know, and for a URL that is no URI. With `extended=True`
the same, and `attributes` also where LangChain4j has none: on a system message, a
content and a request. That form holds every message, and is what the stores write.

Either form is read, and what earlier versions of LangChain4j wrote. Unknown fields, at
any level, become attributes of the message, content or request that they stand in; one
that is among its attributes already is refused, as is a null in a list, which
LangChain4j takes for a message.
"""

from collections.abc import Iterable

from chatmemory._json_path import LocatedError
from chatmemory._json_reader import read_message, read_messages
from chatmemory._json_text import document_of, text_of
from chatmemory._json_writer import write_message, write_messages
from chatmemory.errors import MessageDecodeError, MessageEncodeError
from chatmemory.messages import ChatMessage


__all__ = [
    "message_from_json",
    "message_to_json",
    "messages_from_json",
    "messages_to_json",
]


def message_to_json(message: ChatMessage, *, extended: bool = False) -> str:
    """
    Write one message as a JSON object, on one line.

    The text can be encoded as UTF-8, whatever the message holds. Raises
    `MessageEncodeError` for what the form has no place for, and for what no JSON brings
    back equal: a `str` that holds the two halves of a surrogate pair as two characters,
    and an int with more digits than Python converts (4,300 unless set otherwise).
    """
    try:
        return text_of(write_message(message, extended))
    except LocatedError as error:
        raise MessageEncodeError(str(error)) from None


def messages_to_json(messages: Iterable[ChatMessage], *, extended: bool = False) -> str:
    """Write messages as one JSON array, each as `message_to_json` does."""
    try:
        return text_of(write_messages(messages, extended))
    except LocatedError as error:
        raise MessageEncodeError(str(error)) from None


def message_from_json(text: str) -> ChatMessage:
    """
    Read one message from a JSON object.

    Raises `MessageDecodeError` with the `path` to what can't be read, or with the
    position in its text if that is not JSON at all.
    """
    try:
        return read_message(document_of(text))
    except LocatedError as error:
        raise MessageDecodeError(str(error), path=f"${error.path}") from None


def messages_from_json(text: str | None) -> list[ChatMessage]:
    """
    Read messages from a JSON array; None and `null` are an empty one.

    One message that can't be read fails them all, with `MessageDecodeError` as in
    `message_from_json`.
    """
    if text is None:
        return []
    try:
        document = document_of(text)
        return [] if document is None else read_messages(document)
    except LocatedError as error:
        raise MessageDecodeError(str(error), path=f"${error.path}") from None
