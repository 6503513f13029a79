"""A memory as its rows say, and what a change makes of the rows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import attrs

from chatmemory.errors import InvalidMessageError
from chatmemory.messages import ChatMessage
from chatmemory.store import Change


T = TypeVar("T")


@attrs.frozen
class Head:
    """
    The row of a memory: its version, and which rows of messages it consists of.

    Those are all from `head` up to but not including `next_position`, and before them
    the ones that `pins` lists, as in "0 17-20". Ids of memories are never used again,
    so `memory` and `version` together tell one state from any other.
    """

    memory: int
    version: int
    next_position: int
    head: int
    pins: str

    def positions(self) -> list[int]:
        """List the positions of the messages, oldest first."""
        pinned = (
            position for low, high in self.pinned() for position in _span(low, high)
        )
        return [*pinned, *range(self.head, self.next_position)]

    def pinned(self) -> Iterator[tuple[int, int]]:
        """List the pins as ranges, both ends included."""
        for part in self.pins.split():
            low, _, high = part.partition("-")
            yield int(low), int(high or low)

    def dead(self) -> Iterator[tuple[int, int]]:
        """List the ranges before `head` that the memory has left behind."""
        start = 0
        for low, high in [*self.pinned(), (self.head, self.head)]:
            if start < low:
                yield start, low - 1
            start = high + 1

    def moved_to(self, positions: Sequence[int], next_position: int) -> "Head":
        """Return the row of the next version, which has the messages at *positions*."""
        head = next_position
        pinned = list(positions)
        while pinned and pinned[-1] == head - 1:
            head = pinned.pop()
        pins = " ".join(_ranges(pinned))
        return Head(self.memory, self.version + 1, next_position, head, pins)


def _span(low: int, high: int) -> range:
    return range(low, high + 1)


def _ranges(positions: Iterable[int]) -> Iterator[str]:
    low = high = -2
    for position in positions:
        if position != high + 1:
            yield from _range(low, high)
            low = position
        high = position
    yield from _range(low, high)


def _range(low: int, high: int) -> Iterator[str]:
    if low >= 0:
        yield str(low) if low == high else f"{low}-{high}"


@attrs.frozen
class State:
    """
    The messages of a memory at one version, and about how many bytes each takes.

    `positions` are those of their rows.
    """

    head: Head
    positions: list[int]
    messages: list[ChatMessage]
    sizes: list[int]

    @classmethod
    def empty(cls, head: Head) -> "State":
        """Return the state of a memory without messages."""
        return cls(head, [], [], [])


@attrs.frozen
class Delta:
    """
    What a change means for the rows.

    `kept` are the indexes of the messages that stay, `new` the messages to write, and
    `alive` the indexes among those that belong to the memory afterwards.
    """

    kept: list[int]
    new: list[ChatMessage]
    alive: list[int]

    def apply(self, state: State, sizes: list[int]) -> State:
        """Return the state afterwards; the new messages are of these sizes."""
        first = state.head.next_position
        positions = [state.positions[i] for i in self.kept]
        positions += [first + i for i in self.alive]
        return State(
            head=state.head.moved_to(positions, first + len(self.new)),
            positions=positions,
            messages=_joined(state.messages, self.kept, self.new, self.alive),
            sizes=_joined(state.sizes, self.kept, sizes, self.alive),
        )


def _joined(old: list[T], kept: list[int], new: list[T], alive: list[int]) -> list[T]:
    return [*(old[i] for i in kept), *(new[i] for i in alive)]


def delta(state: State, change: Change, *, keep_history: bool) -> Delta:
    """
    Compare a state with what is to become of it, object by object.

    With *keep_history*, what was said and is gone again is written as well. Raises
    `InvalidMessageError` for a change that does not say what it adds.
    """
    after = change.messages
    kept: list[int] = []
    for index, message in enumerate(state.messages):
        if len(kept) < len(after) and message is after[len(kept)]:
            kept.append(index)
    new = after[len(kept) :]
    if not keep_history:
        return Delta(kept, new, list(range(len(new))))
    alive: list[int] = []
    for index, message in enumerate(change.added):
        if len(alive) < len(new) and message is new[len(alive)]:
            alive.append(index)
    if len(alive) < len(new):
        msg = (
            f"the change has {len(new)} new messages, but only {len(alive)} of them are "
            "in Change.added: list everything there that is said in this step, in order"
        )
        raise InvalidMessageError(msg)
    return Delta(kept, change.added, alive)


# What a message takes beside its JSON, about.
OVERHEAD = 200


def size_of(body: str) -> int:
    """Return about how many bytes a message takes that is this long as JSON."""
    return len(body) + OVERHEAD
