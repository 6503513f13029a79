"""Tables of each SQL database, sync and async, and what is done behind a store's back."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from sqlalchemy import Connection, Engine, event

from chatmemory import MessageWindowChatMemory
from chatmemory.testing import Blocking
from chatmemory_stores.sql import HistoryEntry
from servers import url_of
from sql_tables import AsyncSqlTables, SqlTables


DRIVERS: dict[str, tuple[type[SqlTables], str | None]] = {
    "pysqlite": (SqlTables, None),
    "psycopg": (SqlTables, "postgresql"),
    "pymysql": (SqlTables, "mysql"),
    "aiosqlite": (AsyncSqlTables, None),
    "asyncpg": (AsyncSqlTables, "postgresql"),
    "asyncmy": (AsyncSqlTables, "mysql"),
}


def made(driver: str, folder: Path, *, keep_history: bool) -> SqlTables:
    kind, server = DRIVERS[driver]
    url = url_of(server, driver) if server else f"sqlite:///{folder / 'chat.db'}"
    return kind(url, keep_history=keep_history)


@pytest.fixture(params=DRIVERS)
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[SqlTables]:
    """Each call opens another store on the same tables, as another process would."""
    with made(request.param, tmp_path, keep_history=False) as tables:
        yield tables


@pytest.fixture(params=DRIVERS)
def logged(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[SqlTables]:
    """Same as `tables`, with stores that keep a history."""
    with made(request.param, tmp_path, keep_history=True) as tables:
        yield tables


@pytest.fixture
def window() -> Callable[..., MessageWindowChatMemory]:
    """Make a memory of the one user on a store."""

    def make(store: Any, max_messages: int = 100) -> MessageWindowChatMemory:
        return MessageWindowChatMemory(
            id="user", max_messages=max_messages, store=store
        )

    return make


Said: TypeAlias = Callable[..., list[HistoryEntry]]


@pytest.fixture
def history() -> Said:
    """Read a page of the user's history, whether the store is async or not."""

    def read(store: Any, **page: Any) -> list[HistoryEntry]:
        if isinstance(store, Blocking):
            return store.run(store.store.ahistory("user", **page))
        return store.history("user", **page)

    return read


@pytest.fixture
def by_hand() -> Callable[[Any, Callable[[Connection], object]], None]:
    """Do something in the database of a store without the store."""

    def run(store: Any, step: Callable[[Connection], object]) -> None:
        async def awaited() -> None:
            async with store.store._engine.begin() as connection:
                await connection.run_sync(step)

        if isinstance(store, Blocking):
            store.run(awaited())
        else:
            with store._engine.begin() as connection:
                step(connection)

    return run


@pytest.fixture
def written() -> Generator[list[str]]:
    """Record what any engine inserts or updates: a row is the text of its values."""
    rows: list[str] = []

    def record(_connection, _cursor, statement, parameters, _context, many) -> None:
        if statement.split()[0] in ("INSERT", "UPDATE"):
            rows.extend(map(str, parameters if many else [parameters]))

    event.listen(Engine, "before_cursor_execute", record)
    yield rows
    event.remove(Engine, "before_cursor_execute", record)
