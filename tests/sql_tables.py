"""Tables of a test's own, and the stores that open on them, here and in other processes."""

from typing import Any, Self
from uuid import uuid4

from chatmemory import OffloadingStore
from chatmemory.testing import Blocking
from chatmemory_stores.aiosql import AsyncSqlChatMemoryStore
from chatmemory_stores.sql import SqlChatMemoryStore


class SqlTables:
    """
    Opens stores on tables that no other test has; each call opens another one.

    It can be pickled, as the suite asks of what other processes are to call. Used as
    `with`, it drops the tables and closes what it has opened.
    """

    def __init__(self, url: str, *, keep_history: bool = False) -> None:
        suffix = uuid4().hex
        self.url = url
        self.options = {
            "keep_history": keep_history,
            "memory_table": f"memory_{suffix}",
            "message_table": f"message_{suffix}",
        }
        self._opened: list[Any] = []

    def __call__(self) -> Any:
        """Open a store."""
        store = self.open()
        self._opened.append(store)
        return store

    def open(self) -> Any:
        return SqlChatMemoryStore.from_url(self.url, **self.options)

    def close(self, store: Any, *, drop: bool) -> None:
        if drop:
            with store._engine.begin() as connection:
                store.metadata.drop_all(connection)
        store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        while self._opened:
            store = self._opened.pop()
            self.close(store, drop=not self._opened)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_opened": []}


class AsyncSqlTables(SqlTables):
    """The same with async stores, made blocking for the suite."""

    def open(self) -> Blocking:
        blocking = Blocking(AsyncSqlChatMemoryStore.from_url(self.url, **self.options))
        blocking.run(blocking.store.acreate_tables())
        return blocking

    def close(self, blocking: Blocking, *, drop: bool) -> None:
        async def close() -> None:
            if drop:
                async with blocking.store._engine.begin() as connection:
                    await connection.run_sync(blocking.store.metadata.drop_all)
            await blocking.store.aclose()

        blocking.run(close())
        blocking.close()


class OffloadedSqlTables(SqlTables):
    """The same with sync stores whose calls run in threads of an event loop."""

    def open(self) -> Blocking:
        return Blocking(OffloadingStore(super().open()))

    def close(self, blocking: Blocking, *, drop: bool) -> None:
        store = blocking.store._store
        blocking.close()
        super().close(store, drop=drop)
