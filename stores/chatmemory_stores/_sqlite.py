"""What SQLite wants: its own transactions, write-ahead logging, one shared memory."""

import sqlite3
import time

from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from chatmemory.errors import InvalidOptionError


BUSY_TIMEOUT = 30.0  # seconds
_RETRY_AFTER = 0.01  # seconds


def is_in_memory(url: URL) -> bool:
    """Tell whether a database lives in its connection only."""
    database = url.database or ":memory:"
    return ":memory:" in database or "mode=memory" in f"{database}{dict(url.query)}"


def check_engine(engine: Engine) -> None:
    """Raise `InvalidOptionError` for a database that each connection has of its own."""
    pool = engine.pool
    shares = isinstance(pool, StaticPool) or (
        isinstance(pool, QueuePool) and pool.size() == 1
    )
    if is_in_memory(engine.url) and not shares:
        msg = (
            f"each connection of {engine.url!r} has a database of its own: use "
            'SqlChatMemoryStore.from_url("sqlite://") or a file'
        )
        raise InvalidOptionError(msg)


def engine_for(url: URL) -> Engine:
    """Make an engine with write-ahead logging and a busy timeout of 30 seconds."""
    if is_in_memory(url):
        # One connection, and whoever has it is alone with it.
        engine = create_engine(
            url,
            poolclass=QueuePool,
            pool_size=1,
            max_overflow=0,
            connect_args={"check_same_thread": False},
        )
    else:
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT})
        event.listen(engine, "connect", _use_write_ahead_log)
    return engine


def _use_write_ahead_log(connection: sqlite3.Connection, _record: object) -> None:
    # Switching a file over asks for it alone, and SQLite does not wait for that.
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_AFTER)
        else:
            return


@contextmanager
def transaction(connection: Connection) -> Generator[None, None, None]:
    """
    Write in one transaction on a connection in autocommit.

    It asks for the write lock at its beginning: one that reads first and writes later
    fails at once if somebody else wrote in between.
    """
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        # A full disk has rolled back already.
        if cast("sqlite3.Connection", connection.connection).in_transaction:
            connection.exec_driver_sql("ROLLBACK")
        raise
