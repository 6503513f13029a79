"""Reports about several writers of one memory, each named after its id."""

import sqlite3
import threading

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from batches import batch, check_whole
from chatmemory import Change, OrphanToolResultError
from chatmemory.testing import Blocking
from notation import conversation, message, shown
from sendable import refusals
from sql_tables import AsyncSqlTables, SqlTables


PATIENCE = 60  # seconds


def at_once(step: Callable[[int], Any], number: int) -> list[Any]:
    """Run a step in as many threads at the same moment."""
    barrier = threading.Barrier(number)

    def start(index: int) -> Any:
        barrier.wait(PATIENCE)
        return step(index)

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(start, range(number)))


def engine_of(store: Any) -> Any:
    if isinstance(store, Blocking):
        return store.store._engine.sync_engine
    return store._engine


@contextmanager
def failing(engine: Any, number: int):
    """Let the database refuse the statement of a number; yield what was asked."""
    asked: list[str] = []

    def spoil(_connection, _cursor, statement, parameters, _context, _many):
        asked.append(statement)
        refused = "FAIL " if len(asked) == number else ""
        return refused + statement, parameters

    event.listen(engine, "before_cursor_execute", spoil, retval=True)
    yield asked
    event.remove(engine, "before_cursor_execute", spoil)


def test_openai_openai_agents_python_4202(tables, window):
    """Whichever statement of `clear` fails, all is there and the next writer succeeds."""
    store, other = tables(), tables()
    window(store).add(*conversation("U0"))
    expected, number = "U0", 1
    while True:
        with failing(engine_of(store), number) as asked:
            if is_cleared(window(store)):
                break
        assert len(asked) >= number
        assert 0 == engine_of(store).pool.checkedout()
        window(other).add(message(f"U{number}"))
        expected += f" U{number}"
        assert expected == shown(window(store).messages())
        number += 1
    assert number > 2
    assert [] == window(other).messages()


def is_cleared(memory: Any) -> bool:
    """Clear a memory; tell whether the database let it."""
    try:
        memory.clear()
    except DBAPIError:
        return False
    return True


def test_google_adk_python_4751(tables, window):
    """Runners with a stale session each: a turn that is added whole stays whole."""
    runners = [window(tables()), window(tables())]
    for runner in runners:
        assert [] == runner.messages()
    said = []
    for number in range(6):
        turn = conversation(f"U{number} A[c{number}] T:c{number} A{number}")
        runners[number % 2].add(*turn)
        said += turn
    assert [said, said] == [runner.messages() for runner in runners]


def test_langchain4j_langchain4j_1966(tables, window):
    """Turns of two tasks stay together, and no call is separated from its result."""
    stores = [tables(), tables()]
    turns = [conversation(f"U{n} A[c] T:c A{n}") for n in range(2)]
    at_once(lambda n: window(stores[n]).add(*turns[n]), 2)
    view = window(tables()).messages()
    assert view in ([*turns[0], *turns[1]], [*turns[1], *turns[0]])

    def add_piecemeal(number: int) -> None:
        for word in f"U{number} A[c{number}] T:c{number} A{number}".split():
            window(stores[number]).add(message(word))

    window(stores[0]).clear()
    at_once(add_piecemeal, 2)
    view = window(tables()).messages()
    assert [] == refusals(view)
    said = [word for n in range(2) for word in f"U{n} A[c{n}] T:c{n} A{n}".split()]
    assert sorted(said) == sorted(shown(view).split())


def test_google_adk_python_917(tables, window):
    """Who has read before another appended appends to what is there now."""
    stale, other = tables(), tables()
    other.update_messages("user", conversation("U1"))
    assert "U1" == shown(window(stale).messages())
    window(other).add(*conversation("A1"))
    states = []

    def append(state):
        states.append(shown(state))
        new = conversation("U2")
        return Change([*state, *new], new)

    assert "U1 A1 U2" == shown(stale.change_messages("user", append))
    assert "U1 A1" == states[-1]
    window(other).clear()
    with pytest.raises(OrphanToolResultError):
        window(stale).add(*conversation("T:c1"))


def test_run_llama_llama_index_19389(tables, window):
    """Fifty adds at once: batches are whole, in the order in which they were accepted."""
    store = tables()

    def add(number: int) -> list[Any]:
        memory = window(store, 1_000)
        memory.add(*batch(number))
        return memory.messages()

    seen = at_once(add, 50)
    said = window(tables(), 1_000).messages()
    check_whole(said, writers=50, batches=1)
    assert [] == [state for state in seen if state != said[: len(state)]]
    assert [] == [n for n, state in enumerate(seen) if batch(n)[1] not in state]


@pytest.mark.parametrize("note", ["C", "A0"])
def test_google_adk_go_1229(tables, window, note):
    """A note that another process appends in the middle of a turn breaks nothing."""
    runner, auditor = window(tables()), window(tables())
    runner.add(*conversation("U1 A[c1]"))
    read = runner.messages()
    auditor.add(message(note))
    assert "U1 A[c1]" == shown(read)
    runner.add(message("T:c1"))
    runner.add(message("A1"))
    said = f"U1 A[c1] T:c1 {note} A1"
    assert [said, said] == [shown(each.messages()) for each in (runner, auditor)]


@pytest.mark.parametrize("kind", [SqlTables, AsyncSqlTables])
def test_openai_openai_agents_python_4987(tmp_path: Path, kind, monkeypatch):
    """Eight who open a new file while somebody writes to it wait, and all succeed."""
    path = tmp_path / "chat.db"

    def write(index: int) -> None:
        tables().update_messages(f"U{index}", conversation(f"U{index}"))

    with closing(sqlite3.connect(path, check_same_thread=False)) as writer:
        writer.executescript("CREATE TABLE own (x); BEGIN IMMEDIATE")
        one_at_a_time = threading.Lock()

        def release(_seconds: float) -> None:
            """End what the file waits for: whoever was refused is to try again."""
            with one_at_a_time:
                writer.rollback()

        monkeypatch.setattr("time.sleep", release)
        with kind(f"sqlite:///{path}") as tables:
            at_once(write, 8)
            assert not writer.in_transaction
            store = tables()
            assert [f"U{n}" for n in range(8)] == [
                shown(store.get_messages(f"U{n}")) for n in range(8)
            ]
