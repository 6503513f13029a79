"""Options that can't be: limits, estimators and the words of a window."""

from fractions import Fraction

import pytest

from chatmemory import (
    ChatMemoryError,
    InvalidLimitError,
    InvalidOptionError,
    MessageWindowChatMemory,
    TokenWindowChatMemory,
)
from notation import conversation, shown


def test_every_error_is_ours():
    """Who catches `ChatMemoryError` catches all that the library finds wrong."""
    with pytest.raises(ChatMemoryError):
        MessageWindowChatMemory(max_messages=0)


NO_LIMITS = [0, -1, True, False, 1.0, 2.5, "3", None, [], Fraction(3)]


@pytest.mark.parametrize("limit", NO_LIMITS, ids=repr)
def test_limits(limit):
    """A limit is a whole number greater than zero; another one is refused at once."""
    wanted = f"must be a whole number greater than zero: {limit!r}"
    for name, make in limited_memories(limit):
        with pytest.raises(InvalidLimitError) as caught:
            make()
        assert f"{name} {wanted}" == str(caught.value)


def limited_memories(limit):
    """Name each limit, with a memory that has it."""
    yield "max_messages", lambda: MessageWindowChatMemory(max_messages=limit)
    yield "max_tokens", lambda: TokenWindowChatMemory(max_tokens=limit, estimator=len)
    if limit is not None:
        yield (
            "evict_to",
            lambda: MessageWindowChatMemory(max_messages=3, evict_to=limit),
        )


@pytest.mark.parametrize("limit", NO_LIMITS, ids=repr)
@pytest.mark.parametrize("name", ["max_messages", "evict_to"])
def test_limit_functions(name: str, limit):
    """What a limit function returns is checked each time, and refused by its name."""
    answers = {"max_messages": 3, "evict_to": 3}
    memory = MessageWindowChatMemory(
        max_messages=lambda _id: answers["max_messages"],
        evict_to=lambda _id: answers["evict_to"],
    )
    memory.add(*conversation("S U1 A1"))
    answers[name] = limit
    expected = (
        f"what {name} returned must be a whole number greater than zero: {limit!r}"
    )
    for verb, arguments in VERBS.items():
        with pytest.raises(InvalidLimitError) as caught:
            getattr(memory, verb)(*arguments)
        assert expected == str(caught.value)
    answers[name] = 3
    assert "S U1 A1" == shown(memory.messages())


VERBS = {"add": conversation("U2"), "set": conversation("U2"), "messages": []}


def test_errors_of_limit_functions(window):
    """What a caller's function raises passes unchanged."""
    limits = [3]
    memory = window(lambda _id: limits[-1])
    memory.add(*conversation("S U1 A1"))
    limits.clear()
    for verb, arguments in VERBS.items():
        with pytest.raises(IndexError, match="list index out of range"):
            getattr(memory, verb)(*arguments)
    limits.append(3)
    assert "S U1 A1" == shown(memory.messages())


OPTIONS = [
    ({"eviction": "fifo"}, 'eviction must be "turns" or "sliding": \'fifo\''),
    ({"eviction": None}, 'eviction must be "turns" or "sliding": None'),
    ({"overflow": "drop"}, 'overflow must be "keep" or "raise": \'drop\''),
    (
        {"eviction": "sliding", "overflow": "raise"},
        "overflow has no meaning with eviction=\"sliding\": 'raise'",
    ),
]


@pytest.mark.parametrize(("options", "expected"), OPTIONS)
def test_options(options, expected: str):
    """A word that is not one of the words, or that would do nothing, is refused."""
    with pytest.raises(InvalidOptionError) as caught:
        MessageWindowChatMemory(max_messages=3, **options)
    assert expected == str(caught.value)
    with pytest.raises(InvalidOptionError) as caught:
        TokenWindowChatMemory(max_tokens=3, estimator=len, **options)
    assert expected == str(caught.value)
