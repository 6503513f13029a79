"""
The table of what the two evictions leave, line by line, in messages and in tokens.

Messages are added one by one. `left` is the view after the last; `refused` are those
that raise `OrphanToolResultError`, each with its reason, and `warned` those after which
the log has a new warning: one when what has to stay begins to exceed the limit.
"""

import logging

import attrs
import pytest

from chatmemory import OrphanToolResultError
from notation import conversation, shown
from ten_tokens import WINDOWS, message_window


Log = pytest.LogCaptureFixture


@attrs.frozen(kw_only=True)
class Line:
    limit: int
    added: str
    eviction: str
    left: str
    refused: str = ""
    warned: str = ""
    evict_to: int | None = None

    def __str__(self) -> str:
        return f"{self.eviction}, {self.limit}: {self.added}"


LINES = [
    Line(limit=3, added="U1 A1 U2 A2", eviction="sliding", left="A1 U2 A2"),
    Line(limit=3, added="U1 A1 U2 A2", eviction="turns", left="U2 A2"),
    Line(
        limit=3,
        added="U1 A[c1] T:c1 A[c2] T:c2",
        eviction="sliding",
        left="A[c2] T:c2",
    ),
    Line(
        limit=3,
        added="U1 A[c1] T:c1 A[c2] T:c2",
        eviction="turns",
        left="U1 A[c2] T:c2",
    ),
    Line(limit=2, added="U1 A[c1] T:c1", eviction="sliding", left="A[c1] T:c1"),
    Line(
        limit=2,
        added="U1 A[c1] T:c1",
        eviction="turns",
        left="U1 A[c1] T:c1",
        warned="T:c1",
    ),
    Line(
        limit=3,
        added="U A[c1,c2,c3,c4] T:c1 T:c2 T:c3 T:c4",
        eviction="sliding",
        left="",
        refused="T:c4 evicted",
    ),
    Line(
        limit=3,
        added="U A[c1,c2,c3,c4] T:c1 T:c2 T:c3 T:c4",
        eviction="turns",
        left="U A[c1,c2,c3,c4] T:c1 T:c2 T:c3 T:c4",
        warned="T:c2",
    ),
    Line(limit=4, added="S U1 A1 U2 A2", eviction="sliding", left="S A1 U2 A2"),
    Line(limit=4, added="S U1 A1 U2 A2", eviction="turns", left="S U2 A2"),
    Line(
        limit=4,
        added="U1 A[c1,c2] T:c1 U2",
        eviction="sliding",
        left="U1 A[c1,c2] T:c1 (c2) U2",
    ),
    Line(limit=4, added="U1 A[c1,c2] T:c1 U2", eviction="turns", left="U2"),
    Line(
        limit=6,
        evict_to=4,
        added="U1 A1 U2 A2 U3 A3 U4",
        eviction="sliding",
        left="A2 U3 A3 U4",
    ),
    Line(
        limit=6,
        evict_to=4,
        added="U1 A1 U2 A2 U3 A3 U4",
        eviction="turns",
        left="U3 A3 U4",
    ),
]


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("window", WINDOWS)
def test_line(window, line: Line, caplog: Log):
    """Each line holds: what is left, and which messages are refused or warned about."""
    options = {} if line.eviction == "sliding" else {"overflow": "keep"}
    memory = window(
        line.limit, evict_to=line.evict_to, eviction=line.eviction, **options
    )
    refused, warned = [], []
    for message in conversation(line.added):
        caplog.clear()
        try:
            memory.add(message)
        except OrphanToolResultError as error:
            refused += [shown([message]), error.reason]
        warned += [message for _record in caplog.records]
    assert line.left == shown(memory.messages())
    assert (line.refused, line.warned) == (" ".join(refused), shown(warned))


def add_one_by_one(memory, text: str) -> None:
    for message in conversation(text):
        memory.add(message)


@pytest.mark.parametrize("window", WINDOWS)
def test_all_fits_until_the_limit_is_exceeded(window):
    """The last line in detail: nothing goes before U4, then all down to the mark."""
    memory = window(6, evict_to=4)
    add_one_by_one(memory, "U1 A1 U2 A2 U3 A3")
    assert "U1 A1 U2 A2 U3 A3" == shown(memory.messages())
    add_one_by_one(memory, "U4")
    assert "U3 A3 U4" == shown(memory.messages())


@pytest.mark.parametrize("window", WINDOWS)
def test_the_warning_names_memory_and_limit(window, caplog: Log):
    """The log says whose memory exceeds which limit, and quotes nothing that was said."""
    memory = window(2, id="user-42", overflow="keep")
    add_one_by_one(memory, "U1 A[c1] T:c1")
    limit = "max_messages" if window is message_window else "max_tokens"
    expected = f"memory 'user-42': what has to stay exceeds {limit}; it is kept"
    assert [("chatmemory", logging.WARNING, expected)] == caplog.record_tuples


@pytest.mark.parametrize("window", WINDOWS)
def test_it_warns_again_when_it_begins_again(window, caplog: Log):
    """What fits ends an overflow: the next one is a new one."""
    memory = window(3, overflow="keep")
    add_one_by_one(memory, "U1 A[c1,c2] T:c1 T:c2 A1 A2 U2 A[c3,c4] T:c3")
    assert 1 == len(caplog.records)
    add_one_by_one(memory, "T:c4")
    assert 2 == len(caplog.records)
    assert "U2 A[c3,c4] T:c3 T:c4" == shown(memory.messages())
