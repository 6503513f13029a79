"""A store on a file, its database behind its back, and what it asks of the database."""

import re
import sqlite3

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from sqlalchemy import Engine, event

from chatmemory_stores.sql import SqlChatMemoryStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Name a file for a database."""
    return tmp_path / "chat.db"


@pytest.fixture
def url(path: Path) -> str:
    """Name a database in a file."""
    return f"sqlite:///{path}"


@pytest.fixture
def store(url: str) -> Generator[SqlChatMemoryStore]:
    """Open a store that has an engine of its own."""
    with SqlChatMemoryStore.from_url(url) as store:
        yield store


@pytest.fixture
def other(url: str, store: SqlChatMemoryStore) -> Generator[SqlChatMemoryStore]:
    """Open the same database once more, as another process would."""
    with SqlChatMemoryStore.from_url(url) as other:
        yield other


@pytest.fixture
def database(path: Path, store: SqlChatMemoryStore) -> Generator[sqlite3.Connection]:
    """Look into the file of the store, or change it, as somebody by hand."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


class Statements(list[str]):
    """What was asked of any database, as `INSERT chatmemory_message x2`."""

    def record(self, _connection, _cursor, statement, parameters, _context, many):
        verb = statement.split()[0]
        table = re.search(r"\b(?:FROM|INTO|UPDATE)\s+(\w+)", statement)
        rows = f" x{len(parameters)}" if many else ""
        self.append(f"{verb} {table[1]}{rows}" if table else verb)

    def taken(self) -> list[str]:
        """Return what was asked since the last time."""
        taken = self.copy()
        self.clear()
        return taken


@pytest.fixture
def statements() -> Generator[Statements]:
    """Record the statements of all engines."""
    statements = Statements()
    event.listen(Engine, "before_cursor_execute", statements.record)
    yield statements
    event.remove(Engine, "before_cursor_execute", statements.record)
