"""All our stores keep the promises that the published suites check."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from chatmemory import InMemoryChatMemoryStore
from chatmemory.testing import (
    AtomicChatMemoryStoreSuite,
    Blocking,
    ChatMemoryStoreSuite,
)
from servers import url_of
from sql_tables import AsyncSqlTables, OffloadedSqlTables, SqlTables
from stores_for_tests import (
    AsyncOnlyStore,
    AsyncThreeVerbStore,
    InPlaceStore,
    PicklingStore,
    ThreeVerbStore,
)


# Stores with three methods


class TestThreeVerbStore(ChatMemoryStoreSuite):
    """The least that a store has to be."""

    @pytest.fixture(params=[ThreeVerbStore, InPlaceStore, PicklingStore])
    def store(self, request: pytest.FixtureRequest) -> Any:
        return request.param()


class TestAsyncThreeVerbStore(ChatMemoryStoreSuite):
    """The least that an async store has to be."""

    @pytest.fixture
    def store(self) -> Generator[Any]:
        with Blocking(AsyncThreeVerbStore()) as store:
            yield store


# Stores in this process


class TestInMemoryChatMemoryStore(AtomicChatMemoryStoreSuite):
    """The store that needs nothing."""

    @pytest.fixture
    def store(self) -> InMemoryChatMemoryStore:
        return InMemoryChatMemoryStore()


class TestAsyncInMemoryChatMemoryStore(AtomicChatMemoryStoreSuite):
    """Its async verbs."""

    @pytest.fixture
    def store(self) -> Generator[Any]:
        with Blocking(AsyncOnlyStore(InMemoryChatMemoryStore())) as store:
            yield store


# SQL stores


class TestSqlInMemory(AtomicChatMemoryStoreSuite):
    """SQLite in memory, whose one connection all threads share."""

    examples = 10

    @pytest.fixture(params=[SqlTables, AsyncSqlTables, OffloadedSqlTables])
    def store(self, request: pytest.FixtureRequest) -> Generator[Any]:
        with request.param(":memory:") as tables:
            yield tables()


class SqlSuite(AtomicChatMemoryStoreSuite):
    """A SQL store on tables that other objects and processes can open as well."""

    examples = 3
    tables: type[SqlTables] = SqlTables
    keep_history = False

    def url(self, folder: Path) -> str:
        """Say where the database is."""
        raise NotImplementedError

    @pytest.fixture
    def reopened(self, tmp_path: Path) -> Generator[SqlTables]:
        with self.tables(self.url(tmp_path), keep_history=self.keep_history) as tables:
            yield tables

    @pytest.fixture
    def store(self, reopened: SqlTables) -> Any:
        return reopened()


class TestSqliteFile(SqlSuite):
    def url(self, folder: Path) -> str:
        return f"sqlite:///{folder / 'chat.db'}"


class TestAiosqliteFileWithHistory(TestSqliteFile):
    tables = AsyncSqlTables
    keep_history = True


class TestOffloadedSqliteFile(TestSqliteFile):
    tables = OffloadedSqlTables


class TestPsycopg(SqlSuite):
    def url(self, folder: Path) -> str:
        return url_of("postgresql", "psycopg")


class TestAsyncpgWithHistory(SqlSuite):
    tables = AsyncSqlTables
    keep_history = True

    def url(self, folder: Path) -> str:
        return url_of("postgresql", "asyncpg")


class TestPyMySqlWithHistory(SqlSuite):
    keep_history = True

    def url(self, folder: Path) -> str:
        return url_of("mysql", "pymysql")


class TestAsyncmy(SqlSuite):
    tables = AsyncSqlTables

    def url(self, folder: Path) -> str:
        return url_of("mysql", "asyncmy")
