"""An estimator with which a window of tokens holds as many messages as one of messages."""

from collections.abc import Sequence

from chatmemory import ChatMessage, MessageWindowChatMemory, TokenWindowChatMemory


class TenTokens:
    """Counts ten tokens for each message, whatever is in it."""

    def count_text(self, text: str) -> int:
        return 10

    def count_unit(self, unit: Sequence[ChatMessage]) -> int:
        return 10 * len(unit)

    def count_messages(self, messages: Sequence[ChatMessage]) -> int:
        return 10 * len(messages)


def message_window(room: int, **options) -> MessageWindowChatMemory:
    """Make a message window with room for so many messages."""
    return MessageWindowChatMemory(max_messages=room, **options)


def token_window(
    room: int, *, evict_to: int | None = None, **options
) -> TokenWindowChatMemory:
    """Make a token window with room for so many messages."""
    return TokenWindowChatMemory(
        max_tokens=10 * room,
        estimator=TenTokens(),
        evict_to=None if evict_to is None else 10 * evict_to,
        **options,
    )


WINDOWS = [message_window, token_window]
