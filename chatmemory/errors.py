"""
Everything that chatmemory raises, as one tree.

ChatMemoryError
├── InvalidMessageError (ValueError)
│   ├── ConflictingSystemMessagesError
│   ├── DuplicateToolCallError
│   └── OrphanToolResultError
├── MessageTypeError (TypeError)
├── InvalidMemoryIdError (ValueError)
├── InvalidOptionError (ValueError)
│   └── InvalidLimitError
├── InvalidTokenCountError (ValueError)
├── WindowOverflowError (ValueError)
├── InvalidStoreError (TypeError)
├── SyncNotSupportedError (TypeError)
├── AsyncNotSupportedError (TypeError)
├── MessageEncodeError (ValueError)
├── MessageDecodeError (ValueError)
├── UnsupportedContentError (ValueError)
├── EncodingUnavailableError (LookupError)
└── MissingExtraError (ImportError)

Each is also the builtin that a caller would catch who has never heard of us. What a
caller's own function, store or driver raises passes through as it is. The text of
messages never appears in an error: type, position and size do.
"""

from typing import Any, Literal


class ChatMemoryError(Exception):
    """The base of every error that chatmemory raises; all can be pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew without `__init__`: pickle knows nothing of its keywords.
        return type(self).__new__, (type(self), *self.args), vars(self)


class InvalidMessageError(ChatMemoryError, ValueError):
    """A message, or a field of one, has a value that it can't have."""


class ConflictingSystemMessagesError(InvalidMessageError):
    """One `add` or `set` holds two different system messages."""


class DuplicateToolCallError(InvalidMessageError):
    """An `AiMessage` uses the id of a call twice."""


class OrphanToolResultError(InvalidMessageError):
    """
    A tool result answers no call that the memory holds.

    `reason` says which of the three it is. "evicted" is known only to a memory object
    that has seen the eviction; to any other such a call was "never called".
    """

    def __init__(
        self,
        message: str,
        *,
        reason: Literal["never called", "evicted", "already answered"],
    ) -> None:
        super().__init__(message)
        self.reason = reason


class MessageTypeError(ChatMemoryError, TypeError):
    """Something is not a message or content, or a field of one has a wrong type."""


class InvalidMemoryIdError(ChatMemoryError, ValueError):
    """A memory id is not a usable `str`, `int` or `UUID`, or not the one expected."""


class InvalidOptionError(ChatMemoryError, ValueError):
    """An option has a value that it can't have."""


class InvalidLimitError(InvalidOptionError):
    """A limit, or what a limit function returned, is not a positive whole number."""


class InvalidTokenCountError(ChatMemoryError, ValueError):
    """A token count estimator returned something that is no count."""


class WindowOverflowError(ChatMemoryError, ValueError):
    """
    What has to stay exceeds the window, although everything else was evicted.

    `limit` and `need` are in the window's unit (messages or tokens); `largest_cost`
    is what the most expensive of the messages that have to stay costs, and
    `largest_type` its type.
    """

    def __init__(
        self,
        message: str,
        *,
        limit: int,
        need: int,
        largest_type: str,
        largest_cost: int,
    ) -> None:
        super().__init__(message)
        self.limit = limit
        self.need = need
        self.largest_type = largest_type
        self.largest_cost = largest_cost


class InvalidStoreError(ChatMemoryError, TypeError):
    """An object is no store, or a store broke its contract."""


class SyncNotSupportedError(ChatMemoryError, TypeError):
    """A sync verb was called, but the store has only async ones."""


class AsyncNotSupportedError(ChatMemoryError, TypeError):
    """An async verb was called, but the store has only sync ones."""


class MessageEncodeError(ChatMemoryError, ValueError):
    """A message can't be written as JSON."""


class MessageDecodeError(ChatMemoryError, ValueError):
    """
    Stored text is not the JSON of a message.

    `path` is where (as in `$[3].contents[0].image`); `memory_id` and `position` name
    the row of a store that holds it.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str = "$",
        memory_id: str | None = None,
        position: int | None = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.memory_id = memory_id
        self.position = position


class UnsupportedContentError(ChatMemoryError, ValueError):
    """
    A client has no form for a message or content.

    `client` is the client's name, `message_index` the position in what was converted,
    `content_type` the name of what has no form there.
    """

    def __init__(
        self, message: str, *, client: str, message_index: int, content_type: str
    ) -> None:
        super().__init__(message)
        self.client = client
        self.message_index = message_index
        self.content_type = content_type


class EncodingUnavailableError(ChatMemoryError, LookupError):
    """A tokenizer's vocabulary is neither cached nor installed."""


class MissingExtraError(ChatMemoryError, ImportError):
    """A module needs an extra that is not installed."""
