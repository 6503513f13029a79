"""Token counts, taken once for each estimator and remembered."""

from collections.abc import Callable, Sequence
from typing import cast
from weakref import WeakKeyDictionary

from chatmemory.errors import InvalidOptionError
from chatmemory.messages import ChatMessage
from chatmemory.tokens import (
    TextTokenCountEstimator,
    TokenCountEstimator,
    checked_count,
)


class _Remembered:
    def __init__(self) -> None:
        self.single: WeakKeyDictionary[ChatMessage, int] = WeakKeyDictionary()
        self.groups: WeakKeyDictionary[
            ChatMessage, tuple[Sequence[ChatMessage], int]
        ] = WeakKeyDictionary()


# For each estimator, as long as it lives; a count must not keep its estimator alive.
_remembered: "WeakKeyDictionary[object, _Remembered]" = WeakKeyDictionary()


class Counts:
    """
    What units cost by one estimator.

    All memories with an estimator share its counts. One is remembered as long as the
    message lives that begins the unit, so what a store keeps decoded is not counted
    again by the next memory object. A function from text to tokens counts as
    `TextTokenCountEstimator` says. Raises `InvalidOptionError` for what is neither.
    """

    def __init__(self, estimator: TokenCountEstimator | Callable[[str], int]) -> None:
        self._estimator = _estimator_of(estimator)
        self.fixed = checked_count(self._estimator.count_messages([]))
        try:
            known = _remembered.setdefault(estimator, _Remembered())
        except TypeError:  # not hashable, or without weak references: not to be shared
            known = _Remembered()
        self._single, self._groups = known.single, known.groups

    def __call__(self, unit: Sequence[ChatMessage]) -> int:
        """Return what a unit costs, in tokens."""
        return self._count_single(unit) if len(unit) == 1 else self._count_group(unit)

    def _count_single(self, unit: Sequence[ChatMessage]) -> int:
        # Taken out and put back: the key must live as long as the newest equal message.
        count = self._single.pop(unit[0], None)
        if count is None:
            count = checked_count(self._estimator.count_unit(unit))
        self._single[unit[0]] = count
        return count

    def _count_group(self, unit: Sequence[ChatMessage]) -> int:
        message, results = unit[0], unit[1:]
        known, count = self._groups.pop(message, (None, 0))
        if known != results:
            count = checked_count(self._estimator.count_unit(unit))
        self._groups[message] = (results, count)
        return count


def _estimator_of(
    estimator: TokenCountEstimator | Callable[[str], int],
) -> TokenCountEstimator:
    verbs = ("count_text", "count_unit", "count_messages")
    if not isinstance(estimator, type):
        if all(callable(getattr(estimator, verb, None)) for verb in verbs):
            return cast("TokenCountEstimator", estimator)
        if callable(estimator):
            return TextTokenCountEstimator(estimator)
    msg = (
        f"estimator must be a TokenCountEstimator or a function from str to int: "
        f"{estimator!r}"
    )
    raise InvalidOptionError(msg)
