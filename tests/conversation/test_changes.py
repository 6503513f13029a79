"""A conversation that is kept up to date is what it would be if it were read anew."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from chatmemory import ChatMessage, SystemMessage
from chatmemory._structure import Conversation
from notation import conversation, message, shown


WORDS = [
    *["S1", "S2", "U1", "A1", "C"],
    *["A[c1]", "A[c1,c2]", "A[c1,c1]", "A[:a,:b]"],
    *["T:c1", "T:c2", "T:c1:b", "T::a", "(c1)"],
]


def cost(unit: Sequence[ChatMessage]) -> int:
    """Make a group cheaper than its messages, and each text cost its length."""
    return sum(len(shown([each])) for each in unit) - 2 * (len(unit) - 1)


def state(conversation: Conversation) -> dict[str, object]:
    return {
        "messages": shown(conversation.messages),
        "view": shown(conversation.view()),
        "units": [shown(unit.shown) for unit in conversation.units],
        "total": conversation.total,
        "live": conversation.live,
        "left out": len(conversation.left_out),
        "open": conversation.open and conversation.units.index(conversation.open),
        "is regular": conversation.is_regular,
    }


def drop_some(kept: Conversation, data: st.DataObject) -> None:
    """Drop units as windows do: from the front, or behind the last user message."""
    front = data.draw(st.integers(0, max(0, kept.live)))
    stop = data.draw(
        st.integers(kept.live + 1, max(kept.live + 1, len(kept.units) - 1))
    )
    kept.drop(kept.live + 1, stop)
    kept.drop(0, front)


@given(st.data())
def test_changes_add_up(data: st.DataObject):
    """Appending, dropping and another system message leave what reading anew finds."""
    kept = Conversation(cost=cost)
    for _ in range(data.draw(st.integers(1, 20))):
        word = data.draw(st.sampled_from(["drop", *WORDS]))
        if word == "drop":
            drop_some(kept, data)
        elif word.startswith("S"):
            kept.replace_system(message(word))
        else:
            kept.append(message(word))
        assert state(Conversation(kept.messages, cost=cost)) == state(kept)


def test_dropping_nothing():
    """An empty range leaves all as it is."""
    kept = Conversation(conversation("S U A"), cost=cost)
    kept.drop(1, 1)
    assert "S U A" == shown(kept.messages)


def test_dropping_keeps_the_system_message():
    """It is no part of a unit, wherever it stands."""
    kept = Conversation(conversation("U1 A[c1] T:c1 S A1 U2"), cost=cost)
    kept.drop(0, 3)
    assert "S U2" == shown(kept.messages)
    assert cost(conversation("S")) + cost(conversation("U2")) == kept.total


def test_dropping_what_is_not_shown():
    """Orphans go with what stood before the first unit that stays."""
    kept = Conversation(conversation("T:c1 U1 T:c2 A1 T:c3 U2 T:c4"), cost=cost)
    kept.drop(0, 2)
    assert "U2 T:c4" == shown(kept.messages)


def test_results_of_what_was_dropped():
    """A call that is gone takes no result any more, and an older one with its id does."""
    kept = Conversation(conversation("U1 A[c1,c2] T:c1 T:c2 U2 A[c1] U3"))
    kept.drop(0, 2)
    result = message("T:c1")
    assert kept.answers(result)
    kept.drop(0, 2)
    assert not kept.answers(result)


def test_another_system_message():
    """It replaces all that there are, and stands at the end."""
    kept = Conversation(conversation("S1 U S2 A"), cost=cost)
    kept.replace_system(SystemMessage("S3"))
    assert "U A S3" == shown(kept.messages)
    assert sum(cost([each]) for each in conversation("U A S3")) == kept.total


def test_the_view_is_a_new_list():
    """Who changes a view changes no conversation."""
    kept = Conversation(conversation("U A"))
    kept.view().clear()
    assert "U A" == shown(kept.view())
