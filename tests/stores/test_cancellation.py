"""An `aadd` that is cancelled at any step of the event loop."""

import asyncio

from collections.abc import Coroutine
from typing import Any

import pytest

from chatmemory import MessageWindowChatMemory, OffloadingStore
from chatmemory_stores.aiosql import AsyncSqlChatMemoryStore
from notation import conversation, shown
from servers import url_of
from sql_tables import SqlTables


KINDS = ["aiosqlite", "asyncpg", "asyncmy", "offloaded"]


class Opened:
    """A store in the running loop, on tables of its own, and its engine's pool."""

    def __init__(self, kind: str, folder: Any) -> None:
        server = {"asyncpg": "postgresql", "asyncmy": "mysql"}.get(kind)
        url = url_of(server, kind) if server else f"sqlite:///{folder / 'chat.db'}"
        self.is_async = kind != "offloaded"
        self.tables = SqlTables(url)

    async def __aenter__(self) -> Any:
        if not self.is_async:
            self.sql = self.tables()
            self.pool = self.sql._engine.pool
            return OffloadingStore(self.sql)
        self.sql = AsyncSqlChatMemoryStore.from_url(
            self.tables.url, **self.tables.options
        )
        await self.sql.acreate_tables()
        self.pool = self.sql._engine.pool
        return self.sql

    async def __aexit__(self, *_error: object) -> None:
        if not self.is_async:
            self.tables.__exit__()
            return
        async with self.sql._engine.begin() as connection:
            await connection.run_sync(self.sql.metadata.drop_all)
        await self.sql.aclose()


async def was_cancelled(work: Coroutine[Any, Any, Any], steps: int) -> bool:
    """Cancel what still runs after some steps of the loop; tell whether it did."""
    task = asyncio.create_task(work)
    for _ in range(steps):
        await asyncio.sleep(0)
    if not task.cancel():
        await task
        return False
    with pytest.raises(asyncio.CancelledError):
        await task
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_cancelled_add(kind: str, tmp_path):
    """It raises, is wholly there or not at all, and its connection is back."""

    async def work() -> set[str]:
        opened = Opened(kind, tmp_path)
        seen = set()
        async with opened as store:
            steps = 0
            is_running = True
            while is_running:
                memory = MessageWindowChatMemory(
                    id=f"{steps}", max_messages=10, store=store
                )
                await memory.aadd(*conversation("U1 A1"))
                added = memory.aadd(*conversation("U2 A2"))
                is_running = await was_cancelled(added, steps)
                assert 0 == opened.pool.checkedout()
                found = shown(await memory.amessages())
                assert found in ("U1 A1", "U1 A1 U2 A2")
                if is_running:
                    seen.add(found)
                await memory.aadd(*conversation("U3 A3"))
                assert f"{found} U3 A3" == shown(await memory.amessages())
                steps += 1
        return seen

    assert {"U1 A1", "U1 A1 U2 A2"} == asyncio.run(work())
