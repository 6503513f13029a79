"""How much a memory holds, and what it does when that is not enough."""

import logging

import pytest

from chatmemory import (
    MessageWindowChatMemory,
    UserMessage,
    WindowOverflowError,
)
from notation import conversation, shown
from stores_for_tests import ThreeVerbStore


def add_one_by_one(memory, text: str) -> None:
    for message in conversation(text):
        memory.add(message)


def overflow_warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


# Of each kind one; test_eviction_table.py has all.
WINDOWS = [
    ("sliding", 3, "U1 A1 U2 A2", "A1 U2 A2"),
    ("sliding", 3, "U1 A[c1] T:c1 A[c2] T:c2", "A[c2] T:c2"),
    ("turns", 3, "U1 A1 U2 A2", "U2 A2"),
    ("turns", 3, "U1 A[c1] T:c1 A[c2] T:c2", "U1 A[c2] T:c2"),
    ("turns", 3, "A1 U1 A2 U2", "U1 A2 U2"),
    ("turns", 2, "A1 A2 A3", "A2 A3"),
]


@pytest.mark.parametrize(("eviction", "limit", "added", "left"), WINDOWS)
def test_windows(window, eviction: str, limit: int, added: str, left: str):
    """Each eviction leaves what it promises."""
    memory = window(limit, eviction=eviction)
    add_one_by_one(memory, added)
    assert left == shown(memory.messages())


def test_eviction_runs_after_the_batch(window):
    """A batch may be larger than the window: what was said last stays."""
    memory = window(2)
    memory.add(*conversation("U1 A[c1] T:c1 A1 U2 A2"))
    assert "U2 A2" == shown(memory.messages())


def test_evict_to_is_where_eviction_stops(window):
    """Nothing goes until the limit is exceeded; then it goes in a block."""
    memory = window(6, evict_to=4)
    add_one_by_one(memory, "U1 A1 U2 A2 U3 A3")
    assert "U1 A1 U2 A2 U3 A3" == shown(memory.messages())
    memory.add(UserMessage("U4"))
    assert "U3 A3 U4" == shown(memory.messages())
    add_one_by_one(memory, "A4 U5 A5")
    assert "U3 A3 U4 A4 U5 A5" == shown(memory.messages())


def test_evict_to_above_the_limit_is_the_limit(window):
    """A limit may fall below the mark: then it is the mark."""
    memory = window(2, evict_to=4)
    add_one_by_one(memory, "U1 A1 U2 A2")
    assert "U2 A2" == shown(memory.messages())


def test_functions_are_asked_anew_each_time(window):
    """Limit and mark may be functions; they are given the id, and what they say counts."""
    asked = []
    limits = {"limit": 4, "mark": 4}

    def ask(name):
        def answer(memory_id):
            asked.append((name, memory_id))
            return limits[name]

        return answer

    memory = window(ask("limit"), evict_to=ask("mark"))
    assert [] == asked
    add_one_by_one(memory, "U1 A1 U2 A2")
    limits.update(mark=1)
    add_one_by_one(memory, "U3")
    assert "U3" == shown(memory.messages())
    assert [("limit", "user"), ("mark", "user")] * 6 == asked


def test_messages_applies_the_limit_without_writing(window):
    """A lower limit hides messages; they are back when it rises, until the next `add`."""
    limits = [9]
    memory = window(lambda _id: limits[-1])
    memory.add(*conversation("S U1 A1 U2 A2"))
    limits.append(3)
    assert "S U2 A2" == shown(memory.messages())
    assert "S U2 A2" == shown(memory.messages())
    limits.append(9)
    assert "S U1 A1 U2 A2" == shown(memory.messages())
    limits.append(3)
    memory.add(UserMessage("U3"))
    limits.append(9)
    assert "S U3" == shown(memory.messages())


def test_what_has_to_stay_is_kept_with_one_warning(window, caplog):
    """System message, question and last unit stay; the log says so when that begins."""
    memory = window(2)
    add_one_by_one(memory, "S U1")
    assert [] == overflow_warnings(caplog)
    add_one_by_one(memory, "A[c1] T:c1 A1 A2")
    assert "S U1 A2" == shown(memory.messages())
    expected = "memory 'user': what has to stay exceeds max_messages; it is kept"
    assert [expected] == overflow_warnings(caplog)
    assert [("chatmemory", logging.WARNING)] == [
        (record.name, record.levelno) for record in caplog.records
    ]
    add_one_by_one(memory, "U2 A3")
    assert [expected] * 2 == overflow_warnings(caplog)


def test_a_lowered_limit_warns_as_well(window, caplog):
    """What exceeds the limit only because the limit fell is no old overflow."""
    limits = [9]
    memory = window(lambda _id: limits[-1])
    memory.add(*conversation("S U1 A1 U2"))
    limits.append(2)
    memory.add(*conversation("A2"))
    assert "S U2 A2" == shown(memory.messages())
    assert 1 == len(overflow_warnings(caplog))


def test_the_warning_comes_after_the_commit(caplog):
    """What was not stored is no reason to warn."""
    store = BrokenStore()
    memory = MessageWindowChatMemory(id="user", max_messages=1, store=store)
    with pytest.raises(OSError, match="disk full"):
        memory.add(*conversation("U A"))
    assert [] == overflow_warnings(caplog)


class BrokenStore(ThreeVerbStore):
    """Can't write."""

    def update_messages(self, memory_id: str, messages: object) -> None:
        msg = "disk full"
        raise OSError(msg)


def test_what_has_to_stay_can_be_refused(window):
    """With `overflow="raise"` nothing is stored, and the error says what is too much."""
    memory = window(3, overflow="raise")
    memory.add(*conversation("S U1 A[c1]"))
    with pytest.raises(WindowOverflowError) as caught:
        memory.add(*conversation("T:c1"))
    assert "S U1 A[c1]" == shown(memory.messages())
    error = caught.value
    assert (3, 4) == (error.limit, error.need)
    assert ("SystemMessage", 1) == (error.largest_type, error.largest_cost)
    expected = (
        "4 messages have to stay, but the limit is 3: the system message, the last user "
        "message and what was said last (SystemMessage alone costs 1); add a shorter "
        'message, raise the limit, or use overflow="keep"'
    )
    assert expected == str(error)


def test_a_refusal_is_no_dead_end(window):
    """The limit may be raised, or the user goes on: the exchange can go then."""
    limits = [3]
    memory = window(lambda _id: limits[-1], overflow="raise")
    memory.add(*conversation("S U1 A[c1]"))
    with pytest.raises(WindowOverflowError):
        memory.add(*conversation("T:c1"))
    memory.add(*conversation("U2"))
    assert "S U2" == shown(memory.messages())
    limits.append(4)
    memory.add(*conversation("A[c2] T:c2"))
    assert "S U2 A[c2] T:c2" == shown(memory.messages())
    limits.append(3)
    with pytest.raises(WindowOverflowError):
        memory.messages()


def test_sliding_never_refuses(window):
    """LangChain4j's rule drops what it must, and the question as well."""
    memory = window(1, eviction="sliding")
    add_one_by_one(memory, "S U A")
    assert "S" == shown(memory.messages())


def test_sliding_bounds_what_is_stored(window, caplog):
    """LangChain4j counts what is stored: no placeholder, but what no view shows."""
    memory = window(4, eviction="sliding")
    add_one_by_one(memory, "U1 A[c1,c2] T:c1 U2")
    assert "U1 A[c1,c2] T:c1 (c2) U2" == shown(memory.messages())
    assert [] == overflow_warnings(caplog)
    add_one_by_one(memory, "A2")
    assert "A[c1,c2] T:c1 (c2) U2 A2" == shown(memory.messages())
    add_one_by_one(memory, "U3")
    assert "U2 A2 U3" == shown(memory.messages())


def test_sliding_counts_orphans(window):
    """A result that stays when its call goes is not shown, but takes its place."""
    limits = [5]
    memory = window(lambda _id: limits[-1], eviction="sliding")
    add_one_by_one(memory, "A[c1] U1 S T:c1 U2 U3")
    assert "U1 S U2 U3" == shown(memory.messages())
    limits.append(4)
    assert "S U2 U3" == shown(memory.messages())
