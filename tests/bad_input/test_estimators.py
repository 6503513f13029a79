"""Estimators that are none, fail, or return what is no count."""

import re

from collections.abc import Sequence

import pytest

from chatmemory import (
    ChatMessage,
    InvalidOptionError,
    InvalidTokenCountError,
    TextTokenCountEstimator,
    TokenWindowChatMemory,
)
from notation import conversation, shown


class CallerError(Exception):
    """What a caller's own code raises."""


def test_errors_of_estimators(token_window):
    """What a caller's estimator raises passes unchanged, and nothing is stored."""
    error = CallerError("no such vocabulary")

    def count(text: str) -> int:
        if text == "U2":
            raise error
        return len(text)

    memory = token_window(99, estimator=count)
    memory.add(*conversation("S U1 A1"))
    for verb in (memory.add, memory.set):
        with pytest.raises(CallerError) as caught:
            verb(*conversation("U2"))
        assert error is caught.value
    assert "S U1 A1" == shown(memory.messages())


NO_COUNTS = [-1, True, 1.5, "3", None]


@pytest.mark.parametrize("count", NO_COUNTS, ids=repr)
def test_counts(token_window, count):
    """An estimator returns a whole number, zero or more."""

    class Counted(TextTokenCountEstimator):
        def count_unit(self, unit: Sequence[ChatMessage]) -> int:
            return count if shown(unit) == "U2" else super().count_unit(unit)

    memory = token_window(99, estimator=Counted(len))
    memory.add(*conversation("S U1 A1"))
    expected = (
        f"an estimator must return a whole number of tokens, 0 or more: {count!r}"
    )
    for verb in (memory.add, memory.set):
        with pytest.raises(InvalidTokenCountError) as caught:
            verb(*conversation("U2"))
        assert expected == str(caught.value)
    assert "S U1 A1" == shown(memory.messages())


@pytest.mark.parametrize("count", NO_COUNTS, ids=repr)
def test_counts_of_the_fixed_part(count):
    """What a request costs beside its messages is asked, and checked, at once."""

    class Fixed(TextTokenCountEstimator):
        def count_messages(self, messages: Sequence[ChatMessage]) -> int:
            return count

    with pytest.raises(InvalidTokenCountError, match=re.escape(repr(count))):
        TokenWindowChatMemory(max_tokens=9, estimator=Fixed(len))


@pytest.mark.parametrize("estimator", [None, 3, "gpt-4o", TextTokenCountEstimator])
def test_estimators(estimator):
    """An estimator is an object with three verbs, or a function from text to tokens."""
    with pytest.raises(InvalidOptionError) as caught:
        TokenWindowChatMemory(max_tokens=9, estimator=estimator)
    expected = (
        "estimator must be a TokenCountEstimator or a function from str to int: "
        f"{estimator!r}"
    )
    assert expected == str(caught.value)
