"""
How many tokens messages cost.

An estimator counts for one model. What a provider bills follows from how it renders
messages, so the rules are the estimator's own; `chatmemory.tiktoken` has those of
OpenAI's models. The ones here need nothing that has to be installed.
"""

import math

from collections.abc import Callable, Sequence
from typing import Protocol

from chatmemory.contents import TextContent
from chatmemory.errors import InvalidOptionError, InvalidTokenCountError
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)


MESSAGE_OVERHEAD = 4
REPLY_OVERHEAD = 3
ONE_CALL = 8
PARALLEL_CALL = 15
MEDIUM = 765


class TokenCountEstimator(Protocol):
    """
    Counts tokens, all in the same model's unit.

    A count is a whole number, zero or more, and depends on the arguments alone: the
    memories ask once and remember. A `CustomMessage` costs nothing.
    """

    def count_text(self, text: str, /) -> int:
        """Return what a text costs; the names of special tokens in it are text."""
        ...

    def count_unit(self, unit: Sequence[ChatMessage], /) -> int:
        """
        Return what one message costs, or a tool group.

        A tool group is an `AiMessage` with calls and the results that answer them, in
        call order: providers bill it as one. While some are still missing, a memory
        adds up the messages one by one.
        """
        ...

    def count_messages(self, messages: Sequence[ChatMessage], /) -> int:
        """
        Return what a whole request costs: its units and a fixed part.

        The fixed part is what is returned for no messages at all.
        """
        ...


def checked_count(count: object) -> int:
    """Return a count; raises `InvalidTokenCountError` if it is none."""
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    msg = f"an estimator must return a whole number of tokens, 0 or more: {count!r}"
    raise InvalidTokenCountError(msg)


class TextTokenCountEstimator:
    """
    Count with a function for texts, and add what messages cost around them.

    *count* is any tokenizer: `lambda text: len(tokenizer.encode(text))`. What is added
    is the usual rendering of a chat: 4 tokens a message, 8 for a single call, 15 for
    each of several calls, 765 for an image or file whatever its size (an image of
    1024 x 1024 pixels with GPT-4o), and 3 for the request. On recorded OpenAI requests
    that is exact for text and within about a tenth for calls.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        if not callable(count):
            msg = f"count must be a function from str to int: {count!r}"
            raise InvalidOptionError(msg)
        self._function = count

    def count_text(self, text: str, /) -> int:
        """Return what the function says; `InvalidTokenCountError` if that is no count."""
        return checked_count(self._function(text))

    def count_unit(self, unit: Sequence[ChatMessage], /) -> int:
        """Return the sum of the messages' costs; a tool group gets no discount."""
        return sum(self._count_message(message) for message in unit)

    def count_messages(self, messages: Sequence[ChatMessage], /) -> int:
        """Return the sum of the messages' costs and 3 for the request."""
        return REPLY_OVERHEAD + self.count_unit(messages)

    def _count_message(self, message: ChatMessage) -> int:
        match message:
            case SystemMessage():
                return MESSAGE_OVERHEAD + self.count_text(message.text)
            case UserMessage():
                return (
                    MESSAGE_OVERHEAD
                    + self._count_contents(message)
                    + self._name(message.name)
                )
            case AiMessage():
                return MESSAGE_OVERHEAD + self._count_ai(message)
            case ToolExecutionResultMessage():
                return (
                    MESSAGE_OVERHEAD
                    + self._count_contents(message)
                    + self._optional(message.tool_name)
                )
            case _:
                return 0

    def _count_contents(self, message: UserMessage | ToolExecutionResultMessage) -> int:
        return sum(
            self.count_text(content.text)
            if isinstance(content, TextContent)
            else MEDIUM
            for content in message.contents
        )

    def _count_ai(self, message: AiMessage) -> int:
        requests = message.tool_execution_requests
        overhead = ONE_CALL if len(requests) == 1 else PARALLEL_CALL
        calls = sum(overhead + self._count_request(request) for request in requests)
        return self._optional(message.text) + calls

    def _count_request(self, request: ToolExecutionRequest) -> int:
        return self._optional(request.name) + self._optional(request.arguments)

    def _name(self, name: str | None) -> int:
        return 1 + self.count_text(name) if name else 0

    def _optional(self, text: str | None) -> int:
        return self.count_text(text) if text else 0


class Utf8TokenCountEstimator(TextTokenCountEstimator):
    """
    Estimate without a tokenizer: one token for each *bytes_per_token* of UTF-8.

    With the default of 4 the estimate is 0.66 (JSON) to 1.0 (European languages,
    Chinese, Japanese, Korean) to 1.9 (Hindi, Tamil, Bengali) times the count of the
    o200k_base vocabulary; `bytes_per_token=2.6` is on the safe side for JSON as well.
    Messages cost what `TextTokenCountEstimator` says.
    """

    def __init__(self, *, bytes_per_token: float = 4) -> None:
        if not bytes_per_token > 0:
            msg = f"bytes_per_token must be greater than zero: {bytes_per_token!r}"
            raise InvalidOptionError(msg)
        super().__init__(self._count_bytes)
        self._bytes_per_token = bytes_per_token

    def _count_bytes(self, text: str) -> int:
        size = len(text.encode("utf-8", "surrogatepass"))
        return math.ceil(size / self._bytes_per_token)
