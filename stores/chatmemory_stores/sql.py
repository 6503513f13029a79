"""Memories in a SQL database, through SQLAlchemy: one row per message."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, TypeVar

from chatmemory.errors import MissingExtraError


try:
    from sqlalchemy import Connection, Engine, MetaData, create_engine
except ImportError as error:
    msg = "chatmemory_stores.sql needs SQLAlchemy: pip install 'chatmemory-py[sql]'"
    raise MissingExtraError(msg) from error

from chatmemory.memory_id import memory_id_text
from chatmemory.messages import ChatMessage
from chatmemory.store import Change, Changing
from chatmemory_stores._databases import database_of
from chatmemory_stores._engines import (
    CACHE_BYTES,
    checked_page,
    operations_on,
    own_engine_options,
    parsed_url,
)
from chatmemory_stores.history import HistoryEntry


__all__ = ["HistoryEntry", "SqlChatMemoryStore"]

T = TypeVar("T")


class SqlChatMemoryStore:
    """
    Keep memories in SQLite, PostgreSQL, MySQL or MariaDB.

    Batches are atomic and contiguous, and their order is the order of commits; nothing
    is lost or doubled by threads, processes or hosts; readers see whole states; an
    operation that fails is wholly before or wholly after; two first writers of a new id
    both succeed.

    A change writes the rows that it adds, and no others; messages that were evicted are
    deleted in blocks, or with *keep_history* never. States stay decoded in a cache of
    *cache_bytes*, 0 for none; what another process wrote is noticed. The engine is never
    closed or reconfigured, whatever its isolation level. The tables must be there: see
    `create_tables`. All stores on the same tables have to agree on *keep_history*.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        keep_history: bool = False,
        memory_table: str = "chatmemory",
        message_table: str = "chatmemory_message",
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._operations = operations_on(
            engine,
            memory_table=memory_table,
            message_table=message_table,
            cache_bytes=cache_bytes,
            keep_history=keep_history,
        )
        self._engine = engine
        self._owns_engine = False

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        create_tables: bool = True,
        keep_history: bool = False,
        memory_table: str = "chatmemory",
        message_table: str = "chatmemory_message",
        cache_bytes: int = CACHE_BYTES,
    ) -> Self:
        """
        Open a store with an engine of its own.

        `"sqlite:///chat.db"`, `":memory:"`, `"postgresql://user@host/name"`,
        `"mysql://user@host/name"`; without a driver's name psycopg and PyMySQL are used.
        SQLite files get write-ahead logging and a busy timeout of 30 seconds. The tables
        are created unless *create_tables* is false. Close the store when done with it.
        """
        parsed = parsed_url(url, is_async=False)
        database = database_of(parsed.get_backend_name())
        engine = create_engine(parsed, **own_engine_options(parsed))
        database.prepare_engine(engine)
        store = cls(
            engine,
            keep_history=keep_history,
            memory_table=memory_table,
            message_table=message_table,
            cache_bytes=cache_bytes,
        )
        store._owns_engine = True
        if create_tables:
            store.create_tables()
        return store

    @property
    def metadata(self) -> MetaData:
        """The tables, for a migration tool such as Alembic."""
        return self._operations.schema.metadata

    def create_tables(self) -> None:
        """
        Create the tables that are not there; any number of processes may do it at once.

        Raises `InvalidStoreError` if they are there in another version.
        """
        self._run(self._operations.create_tables)

    def close(self) -> None:
        """Close the engine, if the store made it itself; then the store can't be used."""
        if self._owns_engine:
            self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def get_messages(self, memory_id: str, /) -> list[ChatMessage]:
        """
        Return the messages of a memory, oldest first; none for an unknown id.

        Raises `MessageDecodeError` with the position of a row that can't be read.
        """
        key = memory_id_text(memory_id)
        return self._run(lambda connection: self._operations.get(connection, key))

    def update_messages(
        self, memory_id: str, messages: Sequence[ChatMessage], /
    ) -> None:
        """Replace all messages of a memory; what it repeats in order keeps its rows."""
        after = list(messages)
        self.change_messages(memory_id, lambda state: Change.replacing(state, after))

    def delete_messages(self, memory_id: str, /) -> None:
        """Forget a memory, but no history; an unknown id is a no-op."""
        key = memory_id_text(memory_id)
        self._run(lambda connection: self._operations.delete(connection, key))

    def change_messages(self, memory_id: str, change: Changing, /) -> list[ChatMessage]:
        """
        Apply a change to the stored state, and return the state afterwards.

        The change is tried on the cached state first, without a lock; if that is
        outdated, it is made once more on the state that is read under a lock. What a
        deadlock undoes is tried again, up to ten times.
        """
        key = memory_id_text(memory_id)
        return self._run(
            lambda connection: self._operations.change(connection, key, change)
        )

    def history(
        self, memory_id: str, /, *, before: int | None = None, limit: int = 100
    ) -> list[HistoryEntry]:
        """
        Return the last *limit* messages that were said, oldest first.

        Pass the position of a page's first entry as *before* to get the page before
        it. Without `keep_history` what has left the memory is missing, at the latest
        after some more messages. An unknown id has no history.
        """
        key, size = memory_id_text(memory_id), checked_page(limit)
        return self._run(
            lambda connection: self._operations.history(connection, key, before, size)
        )

    def forget(self, memory_id: str, /) -> None:
        """Delete a memory and its history, every trace; an unknown id is a no-op."""
        key = memory_id_text(memory_id)
        self._run(lambda connection: self._operations.forget(connection, key))

    def _run(self, operation: Callable[[Connection], T]) -> T:
        with self._engine.connect() as connection:
            return operation(connection)
