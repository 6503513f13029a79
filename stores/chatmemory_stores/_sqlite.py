"""What SQLite wants: its own transactions, write-ahead logging, one shared memory."""

import sqlite3
import time

from contextlib import AbstractContextManager

from sqlalchemy import URL, Connection, Engine, Executable, bindparam, event
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import AsyncAdaptedQueuePool, Pool, QueuePool, StaticPool

from chatmemory.errors import InvalidOptionError
from chatmemory_stores._database import Database
from chatmemory_stores._schema import Schema


BUSY_TIMEOUT = 30.0  # seconds
_RETRY_AFTER = 0.01  # seconds


class Sqlite(Database):
    """SQLite, through sqlite3 or aiosqlite."""

    driver = "pysqlite"
    async_driver = "aiosqlite"

    def check_engine(self, engine: Engine) -> None:
        """Refuse a database that each connection has of its own."""
        if is_in_memory(engine.url) and not _shares(engine.pool):
            msg = (
                f"each connection of {engine.url!r} has a database of its own: use "
                'from_url(":memory:") or a file'
            )
            raise InvalidOptionError(msg)

    def engine_options(self, url: URL) -> dict[str, object]:
        """Return a busy timeout; for a database in memory, a pool of one connection."""
        if not is_in_memory(url):
            return {"connect_args": {"timeout": BUSY_TIMEOUT}}
        is_async = url.get_driver_name() == self.async_driver
        # Whoever has the one connection is alone with the database.
        return {
            "poolclass": AsyncAdaptedQueuePool if is_async else QueuePool,
            "pool_size": 1,
            "max_overflow": 0,
            "connect_args": {"check_same_thread": False},
        }

    def prepare_engine(self, engine: Engine) -> None:
        """Switch files to write-ahead logging."""
        if not is_in_memory(engine.url):
            event.listen(engine, "connect", _use_write_ahead_log)

    def begin_memory(self, schema: Schema) -> Executable:
        """Return an INSERT that leaves a row that is there as it is."""
        return (
            insert(schema.memories)
            .values(memory_id=bindparam("key"))
            .on_conflict_do_nothing(index_elements=["memory_id"])
        )

    def transaction(self, connection: Connection) -> AbstractContextManager[None]:
        """
        Ask for the write lock at the beginning.

        A transaction that reads first and writes later fails at once if somebody else
        wrote in between, whatever the busy timeout.
        """
        return self.begun_by(connection, "BEGIN IMMEDIATE")

    # A busy database is not transient: the timeout has waited already.
    creating_tables = transaction


def is_in_memory(url: URL) -> bool:
    """Tell whether a database lives in its connection only."""
    database = url.database or ":memory:"
    is_named_so = ":memory:" in database or "mode=memory" in database
    return is_named_so or url.query.get("mode") == "memory"


def _shares(pool: Pool) -> bool:
    return isinstance(pool, StaticPool) or (
        isinstance(pool, QueuePool) and pool.size() == 1
    )


def _use_write_ahead_log(connection: DBAPIConnection, _record: object) -> None:
    # Switching a file over asks for it alone, and SQLite does not wait for that.
    deadline = time.monotonic() + BUSY_TIMEOUT
    cursor = connection.cursor()
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_AFTER)
        else:
            cursor.close()
            return
