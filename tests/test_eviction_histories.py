"""
Whole conversations through small windows, message by message.

Whatever the window does, what it shows can be sent after each message: pairs are whole,
the system message and the last question are there, and once something is gone it begins
with a user message.
"""

from contextlib import suppress

import attrs
import pytest

from chatmemory import (
    ChatMessage,
    MessageWindowChatMemory,
    OrphanToolResultError,
    TokenWindowChatMemory,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
    Utf8TokenCountEstimator,
    WindowOverflowError,
)
from chatmemory.conversation import units
from notation import conversation, shown
from stores_for_tests import ThreeVerbStore
from ten_tokens import WINDOWS
from validator import problems


LONG = "x" * 4_000


@attrs.frozen(kw_only=True)
class History:
    """
    What is added, with room for how many messages, and what is left of it.

    `refused` is what `overflow="raise"` does not take; `left_then` what is left in that
    case, if it is not the same.
    """

    added: str
    room: int
    left: str
    refused: str = ""
    left_then: str = ""

    def __str__(self) -> str:
        return f"{self.room}: {self.added[:40]}"


TWO_TURNS = "S U1 A[c1] T:c1 A1 U2 A2 U3"
PARALLEL = "S U1 A[p1,p2,p3] T:p1 T:p2 T:p3 A1 U2 A2"
LOOP = "S U1 A[l1] T:l1 A[l2] T:l2 A[l3] T:l3 A[l4] T:l4"
LEFT_BEHIND = "S U1 A[d1,d2] T:d1 U2 A2 U3"
OPEN = "S U1 A1 U2 A[q1]"
LONG_RESULT = f"S U1 A[b1] T:b1={LONG} A1 U2"
LONG_ARGUMENTS = f"S U1 A[g1:tool={LONG}] T:g1 A1 U2"

HISTORIES = [
    History(added=TWO_TURNS, room=3, left="S U3", refused="T:c1"),
    History(added=TWO_TURNS, room=5, left="S U2 A2 U3"),
    History(added=PARALLEL, room=3, left="S U2 A2", refused="T:p1 T:p2 T:p3"),
    History(added=PARALLEL, room=5, left="S U1 A1 U2 A2", refused="T:p3"),
    History(
        added=LOOP,
        room=3,
        left="S U1 A[l4] T:l4",
        refused="T:l1 T:l2 T:l3 T:l4",
        left_then="S U1 A[l4]",
    ),
    History(added=LOOP, room=5, left="S U1 A[l4] T:l4"),
    History(added=LEFT_BEHIND, room=3, left="S U3", refused="T:d1"),
    History(added=LEFT_BEHIND, room=5, left="S U2 A2 U3"),
    History(added=OPEN, room=3, left="S U2 A[q1]"),
    History(added=OPEN, room=5, left="S U1 A1 U2 A[q1]"),
    History(added=LONG_RESULT, room=3, left="S U2", refused=f"T:b1={LONG}"),
    History(added=LONG_RESULT, room=5, left="S U2"),
    History(added=LONG_ARGUMENTS, room=3, left="S U2", refused="T:g1"),
    History(added=LONG_ARGUMENTS, room=5, left="S U2"),
]

histories = pytest.mark.parametrize("history", HISTORIES, ids=str)
windows = pytest.mark.parametrize("window", WINDOWS)


def check_view(view: list[ChatMessage], said: list[ChatMessage]) -> None:
    assert [] == problems(view, said=said)
    asked = [message for message in said if isinstance(message, UserMessage)]
    if asked:
        assert isinstance(view[1], UserMessage)
        assert asked[-1] in view


def is_least(view: list[ChatMessage]) -> bool:
    """Tell whether nothing is left but the question and what was said last."""
    return len(units(view)) <= 2


@windows
@histories
def test_kept(window, history: History):
    """With "keep" all is taken, and only what has to stay may exceed the limit."""
    memory = window(history.room, overflow="keep")
    said = []
    for message in conversation(history.added):
        memory.add(message)
        said.append(message)
        view = memory.messages()
        check_view(view, said)
        assert len(view) <= history.room or is_least(view)
    assert history.left == shown(memory.messages())


@windows
@histories
def test_refused(window, history: History):
    """With "raise" the limit holds; what is refused leaves no trace."""
    memory = window(history.room, overflow="raise")
    said, refused = [], []
    for message in conversation(history.added):
        before = memory.messages()
        try:
            memory.add(message)
        except WindowOverflowError:
            refused.append(message)
            assert before == memory.messages()
        else:
            said.append(message)
        view = memory.messages()
        check_view(view, said)
        assert len(view) <= history.room
    assert history.refused == shown(refused)
    assert (history.left_then or history.left) == shown(memory.messages())


@pytest.mark.parametrize("eviction", ["turns", "sliding"])
@histories
def test_what_is_stored(history: History, eviction: str):
    """Adding only drops and appends: what is stored was said, in that order."""
    store = ThreeVerbStore()
    memory = MessageWindowChatMemory(
        id="user", max_messages=history.room, store=store, eviction=eviction
    )
    before = []
    for message in conversation(history.added):
        with suppress(OrphanToolResultError):
            memory.add(message)
            before.append(message)
        stored = store.get_messages("user")
        rest = iter(before)
        assert all(any(kept is each for each in rest) for kept in stored)
        before = list(stored)


# What the 4,000 characters cost by bytes, around 4 tokens for each message: 1,000 and
# the name of the tool, and 8 more for a call.
RESULT_COST = 4 + 1_000 + 1
CALL_COST = 4 + 8 + 1_000 + 1


def in_tokens(max_tokens: int, **options) -> TokenWindowChatMemory:
    estimator = Utf8TokenCountEstimator()
    return TokenWindowChatMemory(max_tokens=max_tokens, estimator=estimator, **options)


def refusal_of(memory: TokenWindowChatMemory, message: ChatMessage):
    before = memory.messages()
    with pytest.raises(WindowOverflowError) as caught:
        memory.add(message)
    assert before == memory.messages()
    return caught.value


def test_a_result_that_is_too_long():
    """It is refused with its size, a shorter one goes in its place, and life goes on."""
    said = conversation(LONG_RESULT)
    memory = in_tokens(500)
    memory.add(*said[:3])
    need = Utf8TokenCountEstimator().count_messages(said[:4])
    error = refusal_of(memory, said[3])
    assert (500, need) == (error.limit, error.need)
    assert "ToolExecutionResultMessage" == error.largest_type
    assert RESULT_COST == error.largest_cost
    assert LONG not in str(error)
    request = said[2].tool_execution_requests[0]
    memory.add(ToolExecutionResultMessage.of(request, "too long to show"))
    memory.add(*said[4:])
    expected = "S U1 A[b1] T:b1=too long to show A1 U2"
    assert expected == shown(memory.messages())


def test_arguments_that_are_too_long():
    """The call is refused with its size; its result has nothing to answer then."""
    said = conversation(LONG_ARGUMENTS)
    memory = in_tokens(500)
    memory.add(*said[:2])
    need = Utf8TokenCountEstimator().count_messages(said[:3])
    error = refusal_of(memory, said[2])
    assert (500, need) == (error.limit, error.need)
    assert ("AiMessage", CALL_COST) == (error.largest_type, error.largest_cost)
    assert LONG not in str(error)
    with pytest.raises(OrphanToolResultError) as caught:
        memory.add(said[3])
    assert "never called" == caught.value.reason
    memory.add(*said[4:])
    assert "S U1 A1 U2" == shown(memory.messages())


@pytest.mark.parametrize(
    "text", [LONG_RESULT, LONG_ARGUMENTS], ids=["result", "arguments"]
)
def test_a_higher_limit_takes_it(text: str):
    """Raising the limit is a way out; what exceeded the former one goes when it may."""
    limits = [500]
    memory = in_tokens(lambda _id: limits[-1])
    said = conversation(text)
    long = next(index for index, word in enumerate(text.split()) if LONG in word)
    memory.add(*said[:long])
    refusal_of(memory, said[long])
    limits.append(1_500)
    memory.add(*said[long:4])
    assert said[:4] == memory.messages()
    limits.append(500)
    memory.add(*said[4:])
    assert "S U2" == shown(memory.messages())


@pytest.mark.parametrize(
    ("text", "warned"),
    [(LONG_RESULT, ["T:b1"]), (LONG_ARGUMENTS, ["A[g1"])],
    ids=["result", "arguments"],
)
def test_it_is_kept_if_one_wants(text: str, warned: list[str], caplog):
    """With "keep" it stays as long as it is what was said last, with one warning."""
    memory = in_tokens(500, overflow="keep")
    said, begun = [], []
    for message in conversation(text):
        caplog.clear()
        memory.add(message)
        said.append(message)
        check_view(memory.messages(), said)
        begun += [shown([message])[:4] for _record in caplog.records]
    assert warned == begun
    assert "S U1 A1 U2" == shown(memory.messages())


def test_a_user_message_lets_it_go():
    """An open call that no result fits is no dead end: the next question ends it."""
    request = ToolExecutionRequest(id="b1", name="tool", arguments="{}")
    memory = in_tokens(30)
    memory.add(*conversation("S U1 A[b1]"))
    refusal_of(memory, ToolExecutionResultMessage.of(request, LONG))
    memory.add(UserMessage("U2"))
    assert "S U2" == shown(memory.messages())
