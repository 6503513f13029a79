"""
One step of a memory: what an `add` or `set` makes of the state that a store has.

A step is decided before the store is asked, on the state that the memory has seen last:
so tokens are counted while no row is locked. If the store has that very state, the
decision stands; if not, the step is decided anew.
"""

from collections.abc import Container, Sequence
from operator import is_

import attrs

from chatmemory._admission import take
from chatmemory._structure import Conversation
from chatmemory.messages import ChatMessage
from chatmemory.store import Change
from chatmemory.windows import Window


@attrs.frozen
class Known:
    """A state that a memory has seen, and its analysis; the list is the store's."""

    state: Sequence[ChatMessage]
    conversation: Conversation

    def is_state(self, state: Sequence[ChatMessage]) -> bool:
        """Whether these are the same messages, object by object."""
        return state is self.state or (
            len(state) == len(self.state) and all(map(is_, state, self.state))
        )


@attrs.frozen
class Bounds:
    """A window with the limit and the low mark of the moment."""

    window: Window
    limit: int
    mark: int

    def is_exceeded(self, conversation: Conversation) -> bool:
        """Whether something has to go."""
        return self.window.is_exceeded(conversation, self.limit)

    def overflows(self, conversation: Conversation) -> bool:
        """Whether what has to stay exceeds the limit."""
        return self.window.overflows(conversation, self.limit, self.mark)

    def fit(self, conversation: Conversation) -> list[ChatMessage]:
        """Evict what has to go; return it."""
        return self.window.fit(conversation, self.limit, self.mark)


class Step:
    """
    The change that adds messages to the stored state, for `change_messages`.

    After the store has committed it, `known` is the state afterwards, `gone` what was
    evicted, and `begins_overflow` tells whether what has to stay exceeds the limit now
    and did not before.
    """

    def __init__(
        self,
        messages: Sequence[ChatMessage],
        bounds: Bounds,
        *,
        known: Known | None = None,
        evicted: Container[str] = (),
    ) -> None:
        self._messages = messages
        self._repeated = 0
        self._bounds = bounds
        self._evicted = evicted
        self._before: Known | None = None
        self._change: Change | None = None
        self._error: Exception | None = None
        self.known: Known | None = None
        self.gone: list[ChatMessage] = []
        self.begins_overflow = False
        if known is not None:
            self._decide(known)

    def __call__(self, state: list[ChatMessage]) -> Change | None:
        if self._before is None or not self._before.is_state(state):
            self._decide(
                Known(state, Conversation(state, cost=self._bounds.window.cost))
            )
        if self._error is not None:
            raise self._error
        return self._change

    def _decide(self, before: Known) -> None:
        self._before = before
        self._change = self._error = self.known = None
        self.gone, self.begins_overflow = [], False
        try:
            self._add_to(before)
        except Exception as error:  # noqa: BLE001 - raised if the store has this state
            self._error = error

    def _add_to(self, before: Known) -> None:
        conversation, bounds = before.conversation, self._bounds
        overflowed = bounds.overflows(conversation)
        taken = [
            index
            for index, message in enumerate(self._messages)
            if take(conversation, message, self._evicted)
        ]
        if not taken:
            self.known = before
            return
        added = [self._messages[index] for index in taken if index >= self._repeated]
        self.gone = bounds.fit(conversation)
        self.begins_overflow = bounds.overflows(conversation) and not overflowed
        self._change = Change(conversation.messages.copy(), added)
        self.known = Known(self._change.messages, conversation)


class Replacement(Step):
    """
    Same as `Step`, but on an empty memory, whatever the store has.

    What the messages repeat of the stored state is not said again: it stays.
    """

    def __init__(self, messages: Sequence[ChatMessage], bounds: Bounds) -> None:
        # Decided once beforehand, so that tokens are counted while no row is locked.
        super().__init__(messages, bounds, known=_nothing(bounds))
        self._given = messages

    def __call__(self, state: list[ChatMessage]) -> Change:
        """Return the messages alone."""
        whole = Change.replacing(state, self._given)
        self._messages = whole.messages
        self._repeated = len(whole.messages) - len(whole.added)
        self._decide(_nothing(self._bounds))
        return super().__call__([]) or Change([], [])


def _nothing(bounds: Bounds) -> Known:
    return Known([], Conversation(cost=bounds.window.cost))
