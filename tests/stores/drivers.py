"""Every driver that the SQL stores are tested with, and tables of a test's own on it."""

from pathlib import Path

from servers import url_of
from sql_tables import AsyncSqlTables, SqlTables


DRIVERS = ["pysqlite", "aiosqlite", "psycopg", "asyncpg", "pymysql", "asyncmy"]
SERVERS = {"psycopg": "postgresql", "asyncpg": "postgresql"}
ASYNC = {"aiosqlite", "asyncpg", "asyncmy"}


def tables_of(driver: str, folder: Path, *, keep_history: bool = False) -> SqlTables:
    """Return tables whose stores decode whatever they read: they have no cache."""
    kind = AsyncSqlTables if driver in ASYNC else SqlTables
    tables = kind(url_in(folder, driver), keep_history=keep_history)
    tables.options["cache_bytes"] = 0
    return tables


def url_in(folder: Path, driver: str) -> str:
    """Return the URL of a database: SQLite's is a file in the folder."""
    if driver.endswith("sqlite"):
        return f"sqlite+{driver}:///{folder / 'chat.db'}"
    return url_of(SERVERS.get(driver, "mysql"), driver)
