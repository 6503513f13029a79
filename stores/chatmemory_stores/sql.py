"""Memories in a SQL database, through SQLAlchemy: one row per message."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from chatmemory.errors import InvalidOptionError, MissingExtraError


try:
    from sqlalchemy import Connection, Engine, make_url
except ImportError as error:
    msg = "chatmemory_stores.sql needs SQLAlchemy: pip install 'chatmemory-py[sql]'"
    raise MissingExtraError(msg) from error

from chatmemory.messages import ChatMessage
from chatmemory.store import Change, Changing
from chatmemory_stores import _sql, _sqlite
from chatmemory_stores._cache import StateCache
from chatmemory_stores._schema import Schema
from chatmemory_stores._state import State


CACHE_BYTES = 64 * 1024 * 1024


class SqlChatMemoryStore:
    """
    Keep memories in a SQL database; so far, SQLite.

    Batches are atomic and contiguous, and their order is the order of commits; nothing is
    lost or doubled by threads or processes; readers see whole states; an operation that
    fails is wholly before or wholly after; two first writers of a new id both succeed.

    A change writes the rows that it adds and removes, and no others. States stay decoded
    in a cache of *cache_bytes*, 0 for none; what another process wrote is noticed. The
    engine is never closed or reconfigured. The tables must be there: see `create_tables`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        memory_table: str = "chatmemory",
        message_table: str = "chatmemory_message",
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        if engine.dialect.name != "sqlite":
            msg = f"only SQLite is supported so far, not {engine.dialect.name!r}"
            raise InvalidOptionError(msg)
        _sqlite.check_engine(engine)
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._owns_engine = False
        self._schema = Schema.named(memory_table, message_table)
        self._cache = StateCache(cache_bytes)

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        create_tables: bool = True,
        memory_table: str = "chatmemory",
        message_table: str = "chatmemory_message",
        cache_bytes: int = CACHE_BYTES,
    ) -> Self:
        """
        Open a store of its own: `"sqlite:///chat.db"`, or `"sqlite://"` in memory.

        Files get write-ahead logging and a busy timeout of 30 seconds. The tables are
        created unless *create_tables* is false. Close the store when done with it.
        """
        parsed = make_url("sqlite://" if url == ":memory:" else url)
        if parsed.get_backend_name() != "sqlite":
            msg = f"only SQLite is supported so far: {parsed!r}"
            raise InvalidOptionError(msg)
        store = cls(
            _sqlite.engine_for(parsed),
            memory_table=memory_table,
            message_table=message_table,
            cache_bytes=cache_bytes,
        )
        store._owns_engine = True
        if create_tables:
            store.create_tables()
        return store

    def create_tables(self) -> None:
        """Create the tables that are not there; any number of processes may do it at once."""
        with self._engine.connect() as connection, _sqlite.transaction(connection):
            self._schema.metadata.create_all(connection)

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
        """Return the messages of a memory, oldest first; none for an unknown id."""
        with self._engine.connect() as connection:
            state = self._read(connection, memory_id)
        return [] if state is None else state.messages.copy()

    def update_messages(
        self, memory_id: str, messages: Sequence[ChatMessage], /
    ) -> None:
        """Replace all messages of a memory; what it repeats in order keeps its rows."""
        after = list(messages)
        self._change_locked(memory_id, lambda _state: Change(after, after))

    def delete_messages(self, memory_id: str, /) -> None:
        """Forget a memory; an unknown id is a no-op."""
        self._cache.drop(memory_id)
        with self._engine.connect() as connection, _sqlite.transaction(connection):
            _sql.remove(connection, self._schema, memory_id)

    def change_messages(self, memory_id: str, change: Changing, /) -> list[ChatMessage]:
        """
        Apply a change to the stored state, and return the state afterwards.

        The change is tried on the cached state first, without a lock; if that is outdated,
        it is made once more on the state that is read under the write lock.
        """
        known = self._cache.get(memory_id)
        state = None if known is None else self._change_known(memory_id, known, change)
        if state is None:
            state = self._change_locked(memory_id, change)
        return state.messages.copy()

    def _change_known(
        self, memory_id: str, known: State, change: Changing
    ) -> State | None:
        try:
            changed = change(known.messages.copy())
        except Exception:  # noqa: BLE001 - on an outdated state it means nothing
            return None
        with self._engine.connect() as connection:
            if changed is None:
                is_current = _sql.is_current(connection, self._schema, memory_id, known)
                return known if is_current else None
            with _sqlite.transaction(connection):
                state = _sql.write(connection, self._schema, known, changed.messages)
        if state is not None:
            self._cache.put(memory_id, state)
        return state

    def _change_locked(self, memory_id: str, change: Changing) -> State:
        with self._engine.connect() as connection, _sqlite.transaction(connection):
            before = self._read(connection, memory_id)
            changed = change([] if before is None else before.messages.copy())
            if changed is None:
                return before or State.empty(-1)
            if before is None:
                before = _sql.begin(connection, self._schema, memory_id)
            state = _sql.write(connection, self._schema, before, changed.messages)
            if (
                state is None
            ):  # pragma: no cover - the write lock is held since the read
                msg = f"memory {memory_id!r} changed under its lock"
                raise RuntimeError(msg)
        self._cache.put(memory_id, state)
        return state

    def _read(self, connection: Connection, memory_id: str) -> State | None:
        state = _sql.read(
            connection, self._schema, memory_id, self._cache.get(memory_id)
        )
        if state is None:
            self._cache.drop(memory_id)
        else:
            self._cache.put(memory_id, state)
        return state
