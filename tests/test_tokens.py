"""The estimators that need nothing installed, and counts that are taken once."""

import gc
import math
import threading
import weakref

from concurrent.futures import ThreadPoolExecutor

import attrs
import pytest

from hypothesis import given
from hypothesis import strategies as st

from chatmemory import (
    AiMessage,
    CustomMessage,
    ImageContent,
    InvalidOptionError,
    InvalidTokenCountError,
    PdfFileContent,
    SystemMessage,
    TextContent,
    TextTokenCountEstimator,
    TokenWindowChatMemory,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
    Utf8TokenCountEstimator,
)
from chatmemory._counts import Counts
from notation import conversation, message, shown
from strategies import messages


# A function as tokenizer


def call(**fields):
    return ToolExecutionRequest(**{"name": "add", "arguments": "{}"} | fields)


@pytest.mark.parametrize(
    ("message", "cost"),
    [
        (SystemMessage("Hello"), 4 + 5),
        (UserMessage("Hello"), 4 + 5),
        (UserMessage(""), 4),
        (UserMessage("Hello", name="Ann"), 4 + 5 + 1 + 3),
        (UserMessage("Hello", name=""), 4 + 5),
        (UserMessage([TextContent("Hel"), TextContent("lo")]), 4 + 3 + 2),
        (UserMessage([TextContent("Hello"), ImageContent()]), 4 + 5 + 765),
        (AiMessage("Hello"), 4 + 5),
        (AiMessage("Hello", thinking="greet the user"), 4 + 5),
        (AiMessage(), 4),
        (AiMessage("Hello", tool_execution_requests=[call()]), 4 + 5 + 8 + 3 + 2),
        (AiMessage(tool_execution_requests=[call()] * 2), 4 + 2 * (15 + 3 + 2)),
        (
            AiMessage(tool_execution_requests=[call(name=None, arguments=None)]),
            4 + 8,
        ),
        (ToolExecutionResultMessage(tool_name="add", text="4"), 4 + 3 + 1),
        (ToolExecutionResultMessage(text="4"), 4 + 1),
        (ToolExecutionResultMessage(contents=PdfFileContent()), 4 + 765),
        (CustomMessage({"text": "Hello"}), 0),
    ],
    ids=repr,
)
def test_costs_of_messages(message, cost):
    """A message costs its texts and the usual frame around them."""
    assert cost == TextTokenCountEstimator(len).count_unit([message])


@given(st.lists(messages(), max_size=8))
def test_costs_of_requests(said):
    """A request costs its messages and 3: no group has a discount."""
    estimator = TextTokenCountEstimator(len)
    expected = 3 + sum(estimator.count_unit([each]) for each in said)
    assert expected == estimator.count_messages(said)
    assert expected == 3 + estimator.count_unit(said)


def test_the_function_counts_texts():
    """A text costs what the function says."""
    assert 5 == TextTokenCountEstimator(len).count_text("Hello")
    assert 2 == TextTokenCountEstimator(lambda text: 2).count_text("Hello")


@pytest.mark.parametrize("count", [None, 3, "gpt-4o"])
def test_no_function(count):
    """Only a function can count."""
    with pytest.raises(InvalidOptionError) as caught:
        TextTokenCountEstimator(count)
    assert f"count must be a function from str to int: {count!r}" == str(caught.value)


@pytest.mark.parametrize("count", [-1, True, 1.0, 2.5, math.nan, None, "3"])
def test_what_is_no_count(count):
    """A function returns a whole number, zero or more; anything else is an error at once."""
    memory = TokenWindowChatMemory(max_tokens=99, estimator=lambda text: count)
    with pytest.raises(InvalidTokenCountError) as caught:
        memory.add(UserMessage("Hello"))
    expected = "an estimator must return a whole number of tokens, 0 or more: "
    assert f"{expected}{count!r}" == str(caught.value)
    assert [] == memory.messages()


@pytest.mark.parametrize("count", [-1, True, 1.5])
def test_an_estimator_that_miscounts(count):
    """What an estimator of one's own returns for a unit is checked as well."""

    class Miscounting(TextTokenCountEstimator):
        def count_unit(self, unit):
            return count

        def count_messages(self, messages):
            return 3

    counts = Counts(Miscounting(len))
    with pytest.raises(InvalidTokenCountError):
        counts([UserMessage("Hello")])
    with pytest.raises(InvalidTokenCountError):
        counts(conversation("A[c1] T:c1"))


# Bytes


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fives", 2),
        ("中文", 2),
        ("👩", 1),
        ("\x00", 1),
        ("\ud83d", 1),
        ("\ud83d\ude00", 2),
    ],
    ids=ascii,
)
def test_bytes(text, tokens):
    """Four bytes of UTF-8 are a token, and so is what is left; any text has bytes."""
    assert tokens == Utf8TokenCountEstimator().count_text(text)


@given(st.text(), st.floats(0.1, 100))
def test_bytes_per_token(text, divisor):
    """The divisor is the caller's."""
    size = len(text.encode("utf-8", "surrogatepass"))
    estimator = Utf8TokenCountEstimator(bytes_per_token=divisor)
    assert math.ceil(size / divisor) == estimator.count_text(text)


def test_messages_in_bytes():
    """Messages cost the same frame as with any other function."""
    assert 3 + 4 + 2 == Utf8TokenCountEstimator().count_messages([UserMessage("Hello")])


@pytest.mark.parametrize("divisor", [0, -1, -0.5, math.nan])
def test_no_divisor(divisor):
    """A token has some bytes."""
    with pytest.raises(InvalidOptionError) as caught:
        Utf8TokenCountEstimator(bytes_per_token=divisor)
    expected = f"bytes_per_token must be greater than zero: {divisor!r}"
    assert expected == str(caught.value)


# Counts that are taken once


@attrs.define(eq=False)
class Tokenizer:
    """Counts a token for each character, and keeps what it was asked."""

    asked: list[str] = attrs.field(factory=list)

    def __call__(self, text: str) -> int:
        self.asked.append(text)
        return len(text)


def test_two_thousand_messages():
    """Each text is tokenised once, whatever was added, evicted and read meanwhile."""
    tokenizer = Tokenizer()
    memory = TokenWindowChatMemory(max_tokens=400, estimator=tokenizer)
    memory.add(SystemMessage("Be brief."))
    for number in range(2_000):
        memory.add(UserMessage(f"number {number}"))
        memory.messages()
    expected = ["Be brief.", *(f"number {number}" for number in range(2_000))]
    assert expected == tokenizer.asked


def test_two_thousand_tool_groups():
    """What calls is counted while it is open, and once more with its results."""
    tokenizer = Tokenizer()
    memory = TokenWindowChatMemory(max_tokens=400, estimator=tokenizer)
    memory.add(UserMessage("Begin."))
    for number in range(2_000):
        memory.add(message(f"A[c{number}:add{number}={number}]"))
        memory.messages()
        memory.add(message(f"T:c{number}:add{number}=result{number}"))
        memory.messages()
    counted = [text for text in tokenizer.asked if text.startswith("result")]
    assert [f"result{number}" for number in range(2_000)] == counted
    assert 1 + 2_000 * (2 + 4) == len(tokenizer.asked)


def test_memories_share_counts():
    """What one memory counted, another with the same estimator does not count again."""
    tokenizer = Tokenizer()
    first = TokenWindowChatMemory(max_tokens=999, estimator=tokenizer)
    first.add(*conversation("S U1 A[c1] T:c1 A1"))
    asked = tokenizer.asked.copy()
    second = TokenWindowChatMemory(max_tokens=999, estimator=tokenizer)
    second.add(*first.messages())
    assert asked == tokenizer.asked
    third = TokenWindowChatMemory(max_tokens=999, estimator=Tokenizer())
    third.add(*first.messages())
    assert asked == tokenizer.asked


def test_threads_share_counts():
    """Memories that count at once see the same costs; at worst a text is counted anew."""
    tokenizer, threads = Tokenizer(), 8
    said = conversation("S U1 A[c1] T:c1 A1")
    barrier = threading.Barrier(threads)

    def cost():
        memory = TokenWindowChatMemory(max_tokens=999, estimator=tokenizer)
        barrier.wait()
        memory.add(*said)
        return shown(memory.messages())

    with ThreadPoolExecutor(threads) as pool:
        views = [pool.submit(cost) for _ in range(threads)]
    assert {shown(said)} == {view.result() for view in views}


@pytest.mark.parametrize("make", [Tokenizer, lambda: TextTokenCountEstimator(len)])
def test_counts_keep_nothing_alive(make):
    """Neither the estimator nor a message stays because it was counted."""
    estimator, said = make(), UserMessage("Hello")
    alive = [weakref.ref(estimator), weakref.ref(said)]
    counts = Counts(estimator)
    assert 4 + 5 == counts([said])
    del estimator, counts
    gc.collect()
    assert alive[0]() is None
    del said
    assert alive[1]() is None


def test_a_message_goes_before_its_estimator():
    """An estimator that lives on keeps no message."""
    counts, said = Counts(len), UserMessage("Hello")
    alive = weakref.ref(said)
    counts([said])
    del said
    gc.collect()
    assert alive() is None


def test_estimators_that_cannot_be_remembered():
    """What has no hash counts for each memory anew, and not for both."""

    class Counted(list):
        def __call__(self, text: str) -> int:
            self.append(text)
            return len(text)

    count = Counted()
    for _ in range(2):
        counts, said = Counts(count), UserMessage("Hello")
        assert [9, 9] == [counts([said]), counts([said])]
    assert ["Hello"] * 2 == count


@pytest.mark.parametrize("estimator", [None, "gpt-4o", TextTokenCountEstimator])
def test_what_is_no_estimator(estimator):
    """An estimator is an object with the three verbs, or a function."""
    with pytest.raises(InvalidOptionError, match="must be a TokenCountEstimator"):
        Counts(estimator)
