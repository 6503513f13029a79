"""More tasks and threads than an engine has connections."""

import asyncio
import threading

from concurrent.futures import ThreadPoolExecutor

import pytest

from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import create_async_engine

from chatmemory import MessageWindowChatMemory, UserMessage
from chatmemory_stores.aiosql import AsyncSqlChatMemoryStore
from chatmemory_stores.sql import SqlChatMemoryStore
from servers import url_of
from sql_tables import SqlTables


WRITERS = 50
POOL = {"pool_size": 5, "max_overflow": 0}
TEXTS = sorted(f"{n}" for n in range(WRITERS))


def url(driver: str, folder) -> str:
    """Return where a driver's database is."""
    server = {
        "asyncpg": "postgresql",
        "psycopg": "postgresql",
        "asyncmy": "mysql",
        "pymysql": "mysql",
    }.get(driver)
    if server:
        return url_of(server, driver)
    return f"sqlite+{driver}:///{folder / 'chat.db'}"


def memory_on(store, memory_id: str = "user") -> MessageWindowChatMemory:
    """Return a memory that evicts nothing here."""
    return MessageWindowChatMemory(id=memory_id, max_messages=100, store=store)


@pytest.mark.parametrize("driver", ["pysqlite", "psycopg", "pymysql"])
def test_threads(driver: str, tmp_path):
    """All threads get their turn on few connections, and nothing is lost."""
    with SqlTables(url(driver, tmp_path)) as tables:
        tables()
        engine = create_engine(tables.url, **POOL)
        memory = memory_on(SqlChatMemoryStore(engine, **tables.options))
        barrier = threading.Barrier(WRITERS)

        def add(number: int) -> None:
            barrier.wait()
            memory.add(UserMessage(f"{number}"))

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(add, range(WRITERS)))
        assert TEXTS == sorted(m.text for m in memory.messages())
        assert 0 == engine.pool.checkedout()
        engine.dispose()


@pytest.mark.parametrize("driver", ["aiosqlite", "asyncpg", "asyncmy"])
def test_tasks(driver: str, tmp_path):
    """All tasks get their turn on few connections, and nothing is lost."""

    async def work() -> None:
        tables = SqlTables(url(driver, tmp_path))
        engine = create_async_engine(tables.url, **POOL)
        store = AsyncSqlChatMemoryStore(engine, **tables.options)
        await store.acreate_tables()
        memory = memory_on(store)
        await asyncio.gather(
            *(memory.aadd(UserMessage(f"{n}")) for n in range(WRITERS))
        )
        assert TEXTS == sorted(m.text for m in await memory.amessages())
        assert 0 == engine.pool.checkedout()
        async with engine.begin() as connection:
            await connection.run_sync(store.metadata.drop_all)
        await engine.dispose()

    asyncio.run(work())
