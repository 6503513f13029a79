"""What was said: complete, and only ever appended to."""

from datetime import datetime

import attrs

from chatmemory.messages import ChatMessage


@attrs.frozen
class HistoryEntry:
    """
    One message of a history.

    `position` gives the order and is what `history(before=...)` takes; positions grow,
    with gaps. `created_at` (UTC) is for reading only.
    """

    position: int
    message: ChatMessage
    created_at: datetime
