"""What windows evict, as pure functions of a conversation and a limit."""

from collections.abc import Sequence

import pytest

from hypothesis import given
from hypothesis import strategies as st

from chatmemory import ChatMessage, UserMessage, WindowOverflowError
from chatmemory._structure import Conversation
from chatmemory.windows import Cut, Window, cut_turns, makes_calls, slide
from notation import conversation, shown


# What is there, limit, mark | what is left = what a request of it costs.
TURNS = {
    "nothing goes that fits": ("S U1 A1 U2 A2", 5, 5, "S U1 A1 U2 A2 = 5"),
    "nor down to the mark": ("S U1 A1 U2 A2", 5, 1, "S U1 A1 U2 A2 = 5"),
    "an exchange goes whole": ("S U1 A1 A2 U2 A3", 5, 5, "S U2 A3 = 3"),
    "only as many as must": ("U1 A1 U2 A2 U3 A3", 5, 5, "U2 A2 U3 A3 = 4"),
    "or as many as the mark wants": ("U1 A1 U2 A2 U3 A3", 5, 3, "U3 A3 = 2"),
    "as long as another remains": ("U1 A1 U2 A2 U3 A3", 5, 1, "U3 A3 = 2"),
    "a greeting goes first": ("A0 C U1 A1 U2", 4, 4, "U1 A1 U2 = 3"),
    "and alone if that is enough": ("A0 U1 A1 U2 A2", 4, 4, "U1 A1 U2 A2 = 4"),
    "users may speak twice": ("U1 U2 U3 A3", 3, 3, "U2 U3 A3 = 3"),
    "the live one is cut only over the limit": (
        "U1 A1 U2 A2 A3",
        3,
        1,
        "U2 A2 A3 = 3",
    ),
    "old units of the live exchange go": ("U1 A1 A2 A3 A4", 4, 4, "U1 A2 A3 A4 = 4"),
    "down to the mark": ("U1 A1 A2 A3 A4", 4, 3, "U1 A3 A4 = 3"),
    "but not the newest": ("U1 A1 A2 A3 A4", 4, 1, "U1 A4 = 2"),
    "and no half of a group": (
        "U1 A[c1] T:c1 A[c2,c3] T:c2 T:c3",
        5,
        5,
        "U1 A[c2,c3] T:c2 T:c3 = 4",
    ),
    "nor the question alone": ("S U1", 1, 1, "S U1 = 2"),
    "other exchanges go before": ("U1 A1 U2 A2 A3 A4", 3, 3, "U2 A3 A4 = 3"),
    "what has to stay may be too much": (
        "S U1 A1 U2 A[c1] T:c1",
        2,
        2,
        "S U2 A[c1] T:c1 = 4",
    ),
    "without a question the front goes": ("A1 A2 A3 A4", 2, 2, "A3 A4 = 2"),
    "but not all": ("S A1 A2", 1, 1, "S A2 = 2"),
    "the system message is not first": ("U1 S A1 U2 A2", 4, 4, "S U2 A2 = 3"),
    "nor outside of the live exchange": ("U1 A1 A2 S A3", 4, 4, "U1 A2 S A3 = 4"),
    "placeholders count": ("U1 A[c1,c2] T:c1 U2", 4, 4, "U2 = 1"),
    "also where some were stored": ("U1 A[c1,c2] (c1) U2", 4, 4, "U2 = 1"),
    "open calls have none yet": ("U1 A[c1,c2] T:c1", 3, 3, "U1 A[c1,c2] T:c1 = 3"),
    "an unanswered call goes as well": ("U1 A[c1] U2 A2", 4, 4, "U2 A2 = 2"),
    "late results go with their call": ("U1 A[c1] U2 T:c1 A2", 4, 4, "U2 A2 = 2"),
    "orphans do not count": ("T:c9 U1 A1 T:c8 U2", 3, 3, "T:c9 U1 A1 T:c8 U2 = 3"),
    "but go with what is around them": ("T:c9 U1 A1 T:c8 U2 A2", 3, 3, "U2 A2 = 2"),
}


@pytest.mark.parametrize("rule", TURNS)
def test_turns(rule: str):
    """Each rule of "turns" leaves what it says, and knows what that costs."""
    there, limit, mark, expected = TURNS[rule]
    kept = Conversation(conversation(there))
    cut = cut_turns(kept, fixed=0, limit=limit, mark=mark)
    cut.apply(kept)
    assert expected == f"{shown(kept.messages)} = {cut.need}"
    assert cut.need == kept.total


def test_the_fixed_part_counts():
    """What every request costs takes its place in the limit, and is in the need."""
    kept = Conversation(conversation("U1 A1 U2 A2"))
    assert cut_turns(kept, fixed=3, limit=7, mark=7).is_empty
    assert Cut(2, 3, 3, need=5) == cut_turns(kept, fixed=3, limit=6, mark=6)


def test_what_a_cut_takes():
    """It has units by index, and returns the messages that they began with."""
    kept = Conversation(conversation("S A0 U1 A[c1] T:c1 U2 A2 A3"))
    cut = cut_turns(kept, fixed=0, limit=3, mark=3)
    assert Cut(front=3, start=4, stop=5, need=3) == cut
    assert not cut.is_empty
    assert "A0 U1 A[c1] A2" == shown(cut.apply(kept))
    assert "S U2 A3" == shown(kept.messages)


def test_a_cut_of_nothing():
    """It is empty wherever it would begin."""
    assert Cut(front=0, start=4, stop=4, need=9).is_empty
    assert not Cut(front=0, start=4, stop=5, need=9).is_empty
    assert not Cut(front=1, start=4, stop=4, need=9).is_empty


WORDS = ["S", "U1", "U2", "A1", "C", "A[c1]", "A[c1,c2]", "T:c1", "T:c2", "(c1)"]
conversations = st.lists(st.sampled_from(WORDS), max_size=14).map(
    lambda words: conversation(" ".join(words))
)
limits = st.integers(1, 8)


@given(conversations, limits, limits)
def test_what_turns_promises(messages: list[ChatMessage], limit: int, mark: int):
    """It fits or is the least; question, newest unit and system message are there."""
    before = Conversation(messages)
    kept = Conversation(messages)
    cut = cut_turns(kept, fixed=0, limit=limit, mark=min(mark, limit))
    cut.apply(kept)
    assert kept.total <= cut.need
    assert cut.need <= limit or len(kept.units) <= 2
    assert cut.is_empty or before.total > limit
    if before.units:
        assert before.units[-1].message is kept.units[-1].message
    if before.live >= 0:
        assert before.units[before.live].message is kept.units[kept.live].message
    assert before.system is kept.system
    if cut.front:
        assert isinstance(kept.units[0].message, UserMessage)


# What is stored, limit | what is kept | what goes, as LangChain4j has it.
SLIDING = {
    "nothing goes that fits": ("S U A", 3, "S U A", ""),
    "the oldest goes": ("U1 A1 U2 A2", 3, "A1 U2 A2", "U1"),
    "but a system message that is first": ("S U1 A1 U2", 3, "S A1 U2", "U1"),
    "or has become so": ("U1 S A1 U2", 2, "S U2", "U1 A1"),
    "and is not yet": ("U1 A1 S U2", 3, "A1 S U2", "U1"),
    "even if nothing else is left": ("S U", 1, "S", "U"),
    "nor fits": ("S", 0, "S", ""),
    "of two the second goes": ("S1 S2 U1 A1", 3, "S1 U1 A1", "S2"),
    "results go with their call": (
        "A[c1,c2] T:c1 T:c2 A",
        3,
        "A",
        "A[c1,c2] T:c1 T:c2",
    ),
    "whatever their ids": ("A[c1] T:c8 T:c9 A", 3, "A", "A[c1] T:c8 T:c9"),
    "if they directly follow": ("A[c1] S T:c1", 2, "S T:c1", "A[c1]"),
    "behind a system message": ("S A[c1] T:c1 A", 3, "S A", "A[c1] T:c1"),
    "an orphan goes alone": ("T:c1 T:c2 U", 2, "T:c2 U", "T:c1"),
    "all may go": ("A[c1] T:c1", 1, "", "A[c1] T:c1"),
}


@pytest.mark.parametrize("rule", SLIDING)
def test_slide(rule: str):
    """Each rule of "sliding" keeps what LangChain4j keeps, and tells what goes."""
    stored, limit, *expected = SLIDING[rule]
    messages = conversation(stored)
    kept, gone = slide(messages, cost=len, fixed=0, limit=limit, mark=limit)
    assert expected == [shown(kept), shown(gone)]
    assert stored == shown(messages)


def length(unit: Sequence[ChatMessage]) -> int:
    return len(shown(unit))


@pytest.mark.parametrize(
    ("limit", "left"),
    [
        (16, "U1 A[c1] T:c1 A1"),
        (15, "A[c1] T:c1 A1"),
        (14, "A[c1] T:c1 A1"),
        (13, "A1"),
    ],
)
def test_slide_by_cost(limit: int, left: str):
    """Messages cost what they cost one by one, and a request its fixed part."""
    messages = conversation("U1 A[c1] T:c1 A1")  # 2, 5, 4 and 2
    kept, _gone = slide(messages, cost=length, fixed=3, limit=limit, mark=limit)
    assert left == shown(kept)


@pytest.mark.parametrize(
    ("limit", "mark", "left"),
    [(5, 2, "S U1 A1 U2 A2"), (4, 4, "S A1 U2 A2"), (4, 3, "S U2 A2"), (4, 1, "S")],
)
def test_slide_to_a_mark(limit: int, mark: int, left: str):
    """Over the limit it goes down to the mark, under it nothing goes."""
    messages = conversation("S U1 A1 U2 A2")
    kept, _gone = slide(messages, cost=len, fixed=0, limit=limit, mark=mark)
    assert left == shown(kept)


@pytest.mark.parametrize(
    ("word", "expected"), [("A[c1]", True), ("A", False), ("U", False), ("T:c1", False)]
)
def test_makes_calls(word: str, *, expected: bool):
    """Only an `AiMessage` with calls begins a group."""
    [message] = conversation(word)
    assert expected == makes_calls(message)


def window(eviction="turns", overflow="keep", **options) -> Window:
    fields = {"measure": "messages", "cost": len, "fixed": 0} | options
    return Window(eviction=eviction, overflow=overflow, **fields)


def test_counting_messages_is_free():
    """Only what asks an estimator is costly."""
    assert not window().is_costly
    assert window(cost=length).is_costly


@pytest.mark.parametrize("eviction", ["turns", "sliding"])
def test_fit_of_what_fits(eviction: str):
    """Nothing goes, and the analysis is not begun anew."""
    kept = Conversation(conversation("S U A[c1] T:c1"))
    units = list(kept.units)
    assert [] == window(eviction).fit(kept, 4, 4)
    assert units == kept.units


@pytest.mark.parametrize(
    ("eviction", "mark", "left", "gone"),
    [
        ("turns", 4, "S U2 A2", "U1 A[c1] A1"),
        ("sliding", 4, "S A1 U2 A2", "U1 A[c1] T:c1"),
        ("sliding", 3, "S U2 A2", "U1 A[c1] T:c1 A1"),
    ],
)
def test_fit_of_too_much(eviction: str, mark: int, left: str, gone: str):
    """The conversation is cut, and what went is returned: units, or messages."""
    kept = Conversation(conversation("S U1 A[c1] T:c1 A1 U2 A2"))
    assert gone == shown(window(eviction).fit(kept, 4, mark))
    assert left == shown(kept.view())
    assert len(left.split()) == kept.total


def test_fit_raises():
    """With "raise" the error has limit, need and the largest of what has to stay."""
    kept = Conversation(conversation("S U1 A1 U2 A[call] T:call"), cost=length)
    tokens = window(overflow="raise", measure="tokens", cost=length, fixed=3)
    with pytest.raises(WindowOverflowError) as caught:
        tokens.fit(kept, 19, 19)
    assert (19, 20) == (caught.value.limit, caught.value.need)
    assert ("AiMessage", 7) == (caught.value.largest_type, caught.value.largest_cost)
    expected = (
        "20 tokens have to stay, but the limit is 19: the system message, the last user "
        "message and what was said last (AiMessage alone costs 7); add a shorter "
        'message, raise the limit, or use overflow="keep"'
    )
    assert expected == str(caught.value)


def test_fit_keeps():
    """With "keep" the same is left as it is."""
    kept = Conversation(conversation("S U1 A1 U2 A[c1] T:c1"))
    assert "U1 A1" == shown(window().fit(kept, 2, 2))
    assert "S U2 A[c1] T:c1" == shown(kept.view())


def test_what_costs_nothing_does_not_raise():
    """If only the fixed part exceeds the limit, no message could help."""
    kept = Conversation(cost=length)
    strict = window(overflow="raise", cost=length, fixed=9)
    assert [] == strict.fit(kept, 3, 3)


def test_exceeded():
    """ "turns" bounds what is shown, "sliding" what is stored."""
    shown_more = Conversation(conversation("U1 A[c1,c2] U2"))
    assert window("turns").is_exceeded(shown_more, 4)
    assert not window("sliding").is_exceeded(shown_more, 3)
    stored_more = Conversation(conversation("T:c1 U1 T:c2"))
    assert not window("turns").is_exceeded(stored_more, 1)
    assert window("sliding").is_exceeded(stored_more, 2)
    assert window("sliding", fixed=1).is_exceeded(stored_more, 3)


def test_overflows():
    """What has to stay is too much for "turns"; with "sliding" nothing has to stay."""
    kept = Conversation(conversation("S U1 A1 U2 A2"))
    assert not window("turns").overflows(kept, 3, 3)
    assert window("turns").overflows(kept, 2, 2)
    assert not window("sliding").overflows(kept, 2, 2)
    assert "S U1 A1 U2 A2" == shown(kept.messages)
