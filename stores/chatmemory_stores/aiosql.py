"""Memories in a SQL database, for async code: the same as `chatmemory_stores.sql`."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, TypeVar

from chatmemory._cancellation import finished
from chatmemory.errors import MissingExtraError


try:
    from sqlalchemy import Connection, MetaData
    from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
except ImportError as error:
    msg = (
        "chatmemory_stores.aiosql needs SQLAlchemy with greenlet: "
        "pip install 'chatmemory-py[asyncio]'"
    )
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


__all__ = ["AsyncSqlChatMemoryStore", "HistoryEntry"]

T = TypeVar("T")


class AsyncSqlChatMemoryStore:
    """
    Same as `SqlChatMemoryStore`, but awaited, on an `AsyncEngine`.

    An operation that is cancelled waits for its transaction before it re-raises: it is
    wholly before or wholly after, and its connection goes back to the pool.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        keep_history: bool = False,
        memory_table: str = "chatmemory",
        message_table: str = "chatmemory_message",
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._operations = operations_on(
            engine.sync_engine,
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
        keep_history: bool = False,
        memory_table: str = "chatmemory",
        message_table: str = "chatmemory_message",
        cache_bytes: int = CACHE_BYTES,
    ) -> Self:
        """
        Open a store with an engine of its own; await `acreate_tables` once.

        Same URLs as `SqlChatMemoryStore.from_url`; without a driver's name aiosqlite,
        asyncpg and asyncmy are used. Used as `async with`, it closes itself.
        """
        parsed = parsed_url(url, is_async=True)
        database = database_of(parsed.get_backend_name())
        engine = create_async_engine(parsed, **own_engine_options(parsed))
        database.prepare_engine(engine.sync_engine)
        store = cls(
            engine,
            keep_history=keep_history,
            memory_table=memory_table,
            message_table=message_table,
            cache_bytes=cache_bytes,
        )
        store._owns_engine = True
        return store

    @property
    def metadata(self) -> MetaData:
        """The tables, for a migration tool such as Alembic."""
        return self._operations.schema.metadata

    async def acreate_tables(self) -> None:
        """Same as `SqlChatMemoryStore.create_tables`, but awaited."""
        await self._run(self._operations.create_tables)

    async def aclose(self) -> None:
        """Close the engine, if the store made it itself; then the store can't be used."""
        if self._owns_engine:
            await self._engine.dispose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aget_messages(self, memory_id: str, /) -> list[ChatMessage]:
        """Same as `SqlChatMemoryStore.get_messages`, but awaited."""
        key = memory_id_text(memory_id)
        return await self._run(lambda connection: self._operations.get(connection, key))

    async def aupdate_messages(
        self, memory_id: str, messages: Sequence[ChatMessage], /
    ) -> None:
        """Same as `SqlChatMemoryStore.update_messages`, but awaited."""
        after = list(messages)
        await self.achange_messages(
            memory_id, lambda state: Change.replacing(state, after)
        )

    async def adelete_messages(self, memory_id: str, /) -> None:
        """Same as `SqlChatMemoryStore.delete_messages`, but awaited."""
        key = memory_id_text(memory_id)
        await self._run(lambda connection: self._operations.delete(connection, key))

    async def achange_messages(
        self, memory_id: str, change: Changing, /
    ) -> list[ChatMessage]:
        """Same as `SqlChatMemoryStore.change_messages`, but awaited."""
        key = memory_id_text(memory_id)
        return await self._run(
            lambda connection: self._operations.change(connection, key, change)
        )

    async def ahistory(
        self, memory_id: str, /, *, before: int | None = None, limit: int = 100
    ) -> list[HistoryEntry]:
        """Same as `SqlChatMemoryStore.history`, but awaited."""
        key, size = memory_id_text(memory_id), checked_page(limit)
        return await self._run(
            lambda connection: self._operations.history(connection, key, before, size)
        )

    async def aforget(self, memory_id: str, /) -> None:
        """Same as `SqlChatMemoryStore.forget`, but awaited."""
        key = memory_id_text(memory_id)
        await self._run(lambda connection: self._operations.forget(connection, key))

    async def _run(self, operation: Callable[[Connection], T]) -> T:
        async def run() -> T:
            async with self._engine.connect() as connection:
                return await connection.run_sync(operation)

        return await finished(run())
