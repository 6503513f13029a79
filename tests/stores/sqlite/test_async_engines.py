"""Async engines of callers: `aclose` leaves them open."""

import asyncio

from pathlib import Path

from sqlalchemy.ext.asyncio import create_async_engine

from chatmemory_stores.aiosql import AsyncSqlChatMemoryStore
from notation import conversation, shown


def test_a_store_that_was_left_goes_on(tmp_path: Path):
    """`aclose` of a store on a caller's engine is a no-op."""

    async def main() -> str:
        engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'chat.db'}")
        store = AsyncSqlChatMemoryStore(engine)
        await store.acreate_tables()
        pool = engine.pool
        await store.aclose()
        assert pool is engine.pool, "`dispose` would have replaced it"
        await store.aupdate_messages("user", conversation("U A"))
        said = shown(await store.aget_messages("user"))
        await engine.dispose()
        return said

    assert "U A" == asyncio.run(main())
