"""A memory as its rows say, and what a change makes of the rows."""

from collections.abc import Iterator

import attrs

from chatmemory.messages import ChatMessage


@attrs.frozen
class State:
    """
    The state of a memory at one version.

    `positions` are those of the messages' rows, `sizes` about how many bytes each
    message takes in memory.
    """

    memory: int
    version: int
    next_position: int
    positions: list[int]
    messages: list[ChatMessage]
    sizes: list[int]

    @classmethod
    def empty(cls, memory: int) -> "State":
        """Return the state of a memory that has just begun."""
        return cls(memory, 0, 0, [], [], [])


@attrs.frozen
class Delta:
    """
    What has to be written: rows to drop, as ranges of positions, and messages to add.

    `kept` are the indexes of the messages that stay.
    """

    kept: list[int]
    dropped: list[tuple[int, int]]
    new: list[ChatMessage]


# What a message takes beside its JSON, about.
OVERHEAD = 200


def size_of(body: str) -> int:
    """Return about how many bytes a message takes that is this long as JSON."""
    return len(body) + OVERHEAD


def after(state: State, change: Delta, bodies: list[str]) -> State:
    """Return the state after a change whose new messages were written as *bodies*."""
    first = state.next_position
    stop = first + len(bodies)
    return State(
        memory=state.memory,
        version=state.version + 1,
        next_position=stop,
        positions=[*(state.positions[i] for i in change.kept), *range(first, stop)],
        messages=[*(state.messages[i] for i in change.kept), *change.new],
        sizes=[*(state.sizes[i] for i in change.kept), *map(size_of, bodies)],
    )


def delta(state: State, messages: list[ChatMessage]) -> Delta:
    """
    Compare a state with what is to become of it.

    Rows whose messages still come in this order stay; the rest goes, and what is left of
    *messages* is new.
    """
    kept: list[int] = []
    for index, message in enumerate(state.messages):
        if len(kept) < len(messages) and _same(message, messages[len(kept)]):
            kept.append(index)
    return Delta(kept, list(_dropped(state.positions, kept)), messages[len(kept) :])


def _same(one: ChatMessage, other: ChatMessage) -> bool:
    return one is other or one == other


def _dropped(positions: list[int], kept: list[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for index in [*kept, len(positions)]:
        if start < index:
            yield positions[start], positions[index - 1]
        start = index + 1
