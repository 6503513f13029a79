"""Reports about async stores and sync calls in async code, each named after its id."""

import asyncio

from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from chatmemory import (
    AsyncNotSupportedError,
    MessageWindowChatMemory,
    SyncNotSupportedError,
)
from chatmemory_stores.aiosql import AsyncSqlChatMemoryStore
from notation import conversation, shown
from servers import url_of
from sql_tables import AsyncSqlTables, SqlTables


@pytest.fixture(params=["aiosqlite", "asyncpg", "asyncmy"])
def driver(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def url(driver: str, tmp_path: Path) -> str:
    """Name a database with an async driver."""
    if driver == "aiosqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'chat.db'}"
    return url_of({"asyncpg": "postgresql", "asyncmy": "mysql"}[driver], driver)


@asynccontextmanager
async def store_on(engine: AsyncEngine, options: dict):
    """Open a store on an engine of the caller's, and drop its tables afterwards."""
    store = AsyncSqlChatMemoryStore(engine, **options)
    await store.acreate_tables()
    yield store
    async with engine.begin() as connection:
        await connection.run_sync(store.metadata.drop_all)
    await store.aclose()


def test_langchain_ai_langchain_postgres_129(url: str):
    """Fifty sessions at once do with a pool of five, and give each connection back."""
    options = SqlTables(url).options

    async def turn(store: AsyncSqlChatMemoryStore, number: int) -> str:
        memory = MessageWindowChatMemory(id=number, max_messages=9, store=store)
        await memory.aadd(*conversation(f"U{number}"))
        await memory.aadd(*conversation(f"A{number}"))
        return shown(await memory.amessages())

    async def main() -> None:
        engine = create_async_engine(url, pool_size=5, max_overflow=0)
        async with store_on(engine, options) as store:
            seen = await asyncio.gather(*(turn(store, n) for n in range(50)))
            assert [f"U{n} A{n}" for n in range(50)] == seen
            assert 0 == engine.pool.checkedout()
            assert 5 >= engine.pool.checkedin() > 0
        async with engine.connect() as connection:
            assert 1 == (await connection.exec_driver_sql("SELECT 1")).scalar()
        await engine.dispose()

    asyncio.run(main())


def test_mystenlabs_memwal_607(url: str):
    """In a running loop a sync call works on a sync store, and is refused on another."""
    database = make_url(url)
    sync_driver = {"sqlite": "pysqlite", "postgresql": "psycopg", "mysql": "pymysql"}
    name = f"{database.get_backend_name()}+{sync_driver[database.get_backend_name()]}"
    sync_url = database.set(drivername=name).render_as_string(hide_password=False)

    async def in_loop(step: Callable[[], object]) -> object:
        return step()

    with SqlTables(sync_url) as tables:
        memory = memory_on(tables())
        asyncio.run(in_loop(lambda: memory.add(*conversation("U1 A1"))))
        assert "U1 A1" == shown(asyncio.run(in_loop(memory.messages)))
        with pytest.raises(AsyncNotSupportedError):
            asyncio.run(memory.amessages())
    with AsyncSqlTables(url) as tables:
        blocking = tables()
        memory = memory_on(blocking.store)
        for step in (memory.messages, lambda: memory.add(*conversation("U1"))):
            with pytest.raises(SyncNotSupportedError):
                blocking.run(in_loop(step))
        assert [] == blocking.get_messages("user")
        blocking.run(memory.aadd(*conversation("U1 A1")))
        assert "U1 A1" == shown(blocking.run(memory.amessages()))


def memory_on(store) -> MessageWindowChatMemory:
    return MessageWindowChatMemory(id="user", max_messages=9, store=store)
