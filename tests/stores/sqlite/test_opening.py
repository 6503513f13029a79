"""Engines of a store's own and those of callers, and the tables in them."""

import itertools
import sqlite3
import subprocess
import sys

from contextlib import closing

import pytest

from sqlalchemy import Engine, MetaData, create_engine, event, inspect, text
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import NullPool, QueuePool, StaticPool

from chatmemory import InvalidOptionError, InvalidStoreError
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, shown


TABLES = {"chatmemory", "chatmemory_message", "chatmemory_schema"}


def check_works(store: SqlChatMemoryStore) -> None:
    """Something can be said, and is there."""
    store.update_messages("user", conversation("U A"))
    assert "U A" == shown(store.get_messages("user"))


# An engine of its own


@pytest.mark.parametrize(
    "start", ["sqlite:///{}", "sqlite+pysqlite:///{}", "sqlite:///file:{}?uri=true"]
)
def test_a_file(path, start):
    """A file is there again for whoever opens it later."""
    with SqlChatMemoryStore.from_url(start.format(path)) as store:
        check_works(store)
    with SqlChatMemoryStore.from_url(f"sqlite:///{path}") as store:
        assert "U A" == shown(store.get_messages("user"))


@pytest.mark.parametrize(
    "url",
    [
        ":memory:",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:chat?mode=memory&uri=true",
        "sqlite:///file::memory:?uri=true",
    ],
)
def test_in_memory(url):
    """A database in memory is the same one in each thread, and another in each store."""
    with SqlChatMemoryStore.from_url(url) as store:
        check_works(store)
        with SqlChatMemoryStore.from_url(url) as other:
            assert [] == other.get_messages("user")


def test_files_are_shared_well(store, database):
    """A file of its own gets write-ahead logging, so that readers and writers go on."""
    assert ("wal",) == database.execute("PRAGMA journal_mode").fetchone()


def test_writers_are_waited_for(url):
    """Each connection to a file of its own has a busy timeout of 30 seconds."""
    timeouts = []

    def look(connection, _record) -> None:
        timeouts.extend(connection.execute("PRAGMA busy_timeout").fetchone())

    event.listen(Engine, "connect", look)
    with SqlChatMemoryStore.from_url(url) as store:
        check_works(store)
    event.remove(Engine, "connect", look)
    assert {30_000} == set(timeouts)


@pytest.fixture
def writer(path):
    """Write to a file just now, one that has no write-ahead logging yet."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("CREATE TABLE own (x); BEGIN IMMEDIATE")
        yield connection


def test_switching_to_write_ahead_logging_waits(writer, path, url, monkeypatch):
    """SQLite refuses at once while somebody writes, so the store tries again."""
    monkeypatch.setattr("time.sleep", lambda _seconds: writer.rollback())
    with SqlChatMemoryStore.from_url(url) as store:
        check_works(store)
        assert path.with_name("chat.db-wal").exists()


def test_switching_to_write_ahead_logging_gives_up(writer, url, monkeypatch):
    """If the writer never ends, the driver's error says so after the busy timeout."""
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    monkeypatch.setattr("time.monotonic", itertools.count(0, 10).__next__)
    with pytest.raises(OperationalError, match="locked"):
        SqlChatMemoryStore.from_url(url)


def test_what_is_no_database_is_the_drivers_error(path, url):
    """A file of something else is not waited for, nor written over."""
    path.write_text("This is no database. " * 100)
    with pytest.raises(DatabaseError, match="not a database"):
        SqlChatMemoryStore.from_url(url)
    assert path.read_text().startswith("This is no database.")


def test_tables_may_be_somebody_elses_task(url):
    """Without tables that are asked for, what is missing is the driver's error."""
    with (
        SqlChatMemoryStore.from_url(url, create_tables=False) as store,
        pytest.raises(OperationalError, match="no such table"),
    ):
        store.get_messages("user")


@pytest.mark.parametrize("url", ["oracle://host/name", "mssql+pyodbc://host"])
def test_other_databases_are_refused(url):
    """The error names those that there is a store for."""
    with pytest.raises(InvalidOptionError, match="sqlite, postgresql, mysql, mariadb"):
        SqlChatMemoryStore.from_url(url)


def test_a_closed_store_of_its_own_lets_go_of_the_file(url, path):
    """After `close` nothing holds the file: its log is gone."""
    with SqlChatMemoryStore.from_url(url) as store:
        check_works(store)
        assert path.with_name("chat.db-wal").exists()
    assert not path.with_name("chat.db-wal").exists()


# An engine of the caller's


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"poolclass": NullPool},
        {"isolation_level": "AUTOCOMMIT"},
        {"isolation_level": "SERIALIZABLE"},
        {"isolation_level": "READ UNCOMMITTED"},
    ],
)
def test_an_engine_of_any_kind(url, options):
    """The store works through what a caller has, however it was set up."""
    engine = create_engine(url, **options)
    store = SqlChatMemoryStore(engine)
    store.create_tables()
    check_works(store)
    engine.dispose()


def test_the_engine_stays_the_callers(url):
    """The store neither closes an engine, nor changes how it works for others."""
    engine = create_engine(url, isolation_level="SERIALIZABLE")
    with SqlChatMemoryStore(engine) as store:
        store.create_tables()
        check_works(store)
    with engine.connect() as connection:
        assert "SERIALIZABLE" == connection.get_isolation_level()
        assert "delete" == connection.scalar(text("PRAGMA journal_mode"))
        connection.execute(text("CREATE TABLE own (x)"))
        connection.execute(text("INSERT INTO own VALUES (1)"))
        connection.rollback()
        assert 0 == connection.scalar(text("SELECT count(*) FROM own"))
    engine.dispose()


def test_a_store_that_was_left_goes_on(url):
    """`close` of a store on a caller's engine is a no-op."""
    engine = create_engine(url)
    store = SqlChatMemoryStore(engine)
    store.create_tables()
    store.close()
    check_works(store)
    engine.dispose()


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:a?mode=memory&uri=true"]
)
def test_a_database_of_each_connection_is_refused(url):
    """A memory that only one thread sees is none; the error names the way out."""
    engine = create_engine(url, poolclass=QueuePool)
    with pytest.raises(InvalidOptionError, match=r'from_url\(":memory:"\)'):
        SqlChatMemoryStore(engine)


@pytest.mark.parametrize(
    "options", [{"poolclass": StaticPool}, {"poolclass": QueuePool, "pool_size": 1}]
)
def test_a_database_of_one_connection_is_taken(options):
    """Where there is only one connection, all have the same database."""
    engine = create_engine("sqlite://", **options)
    store = SqlChatMemoryStore(engine)
    store.create_tables()
    check_works(store)
    engine.dispose()


def test_an_engine_of_another_database_is_refused():
    """What the engine speaks decides, without a connection."""
    engine = create_engine("sqlite://")
    engine.dialect.name = "oracle"
    with pytest.raises(InvalidOptionError, match="'oracle'"):
        SqlChatMemoryStore(engine)


# Tables


def test_tables_are_created_once(store, url):
    """Tables that are there stay as they are, with what is in them."""
    store.update_messages("user", conversation("U"))
    store.create_tables()
    with SqlChatMemoryStore.from_url(url) as again:
        assert "U" == shown(again.get_messages("user"))


def test_several_stores_share_a_database(url):
    """Each has tables of its own if they are named so."""
    names = {"memory_table": "own", "message_table": "own_message"}
    with (
        SqlChatMemoryStore.from_url(url) as store,
        SqlChatMemoryStore.from_url(url, **names) as own,
    ):
        check_works(store)
        assert [] == own.get_messages("user")
        assert {"own", "own_message", "own_schema"} == set(own.metadata.tables)


def test_metadata_describes_the_tables(store, url):
    """A migration tool finds in it what is in the database."""
    assert isinstance(store.metadata, MetaData)
    assert TABLES == set(store.metadata.tables)
    engine = create_engine(url)
    found = inspect(engine)
    for name, table in store.metadata.tables.items():
        columns = [column["name"] for column in found.get_columns(name)]
        assert columns == table.columns.keys()
    engine.dispose()


def test_tables_of_another_version_are_refused(store, database, url):
    """A later release's tables are not written to as if they were ours."""
    database.execute("UPDATE chatmemory_schema SET version = 99")
    with pytest.raises(InvalidStoreError, match=r"version \[99\]"):
        SqlChatMemoryStore.from_url(url)


OPEN = """
import sys

from chatmemory import UserMessage
from chatmemory_stores.sql import SqlChatMemoryStore

url, memory_id = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
with SqlChatMemoryStore.from_url(url) as store:
    store.update_messages(memory_id, [UserMessage(memory_id)])
"""


def test_processes_open_a_new_file_at_once(url):
    """Whoever comes first creates the tables, and nobody fails."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, url, f"U{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    assert ["ready\n"] * 8 == [each.stdout.readline() for each in running]
    for each in running:
        each.stdin.write("go\n")
        each.stdin.flush()
    for each in running:
        each.communicate()
    assert [0] * 8 == [each.returncode for each in running]
    with SqlChatMemoryStore.from_url(url) as store:
        assert [f"U{n}" for n in range(8)] == [
            shown(store.get_messages(f"U{n}")) for n in range(8)
        ]
