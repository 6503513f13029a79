"""Engines of a store's own, and what is wrong with others."""

from sqlalchemy import URL, Engine, make_url

from chatmemory.errors import InvalidOptionError
from chatmemory_stores._databases import database_of
from chatmemory_stores._operations import Operations
from chatmemory_stores._schema import Schema


CACHE_BYTES = 64 * 1024 * 1024
LARGEST_PAGE = 10_000


def parsed_url(url: str, *, is_async: bool) -> URL:
    """Return a URL with a driver: the one it names, else the one we test with."""
    parsed = make_url("sqlite://" if url == ":memory:" else url)
    database = database_of(parsed.get_backend_name())
    if "+" in parsed.drivername:
        return parsed
    driver = database.async_driver if is_async else database.driver
    return parsed.set(drivername=f"{parsed.drivername}+{driver}")


def own_engine_options(url: URL) -> dict[str, object]:
    """Return what an engine of our own is made with; its errors quote no message."""
    options = database_of(url.get_backend_name()).engine_options(url)
    return {"hide_parameters": True, **options}


def operations_on(
    engine: Engine,
    *,
    memory_table: str,
    message_table: str,
    cache_bytes: int,
    keep_history: bool,
) -> Operations:
    """Return the operations for an engine's kind of database; check the engine."""
    database = database_of(engine.dialect.name)
    database.check_engine(engine)
    return Operations(
        Schema.named(memory_table, message_table),
        database,
        cache_bytes=cache_bytes,
        keep_history=keep_history,
    )


def checked_page(limit: int) -> int:
    """Return the size of a page; raises `InvalidOptionError`."""
    if 0 < limit <= LARGEST_PAGE:
        return limit
    msg = f"limit must be a whole number from 1 to {LARGEST_PAGE}: {limit!r}"
    raise InvalidOptionError(msg)
