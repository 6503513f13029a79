"""What PostgreSQL wants."""

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import Connection, Executable, bindparam, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from chatmemory_stores._database import Database
from chatmemory_stores._schema import Schema


# Any number, as long as all who create our tables take the same.
_LOCK = 0x63686174  # "chat"
_TRANSIENT = {"40001", "40P01"}  # serialization_failure, deadlock_detected


class PostgreSql(Database):
    """PostgreSQL, through psycopg or asyncpg."""

    driver = "psycopg"
    async_driver = "asyncpg"

    def begin_memory(self, schema: Schema) -> Executable:
        """Return an INSERT that waits for another one of the same key."""
        return (
            insert(schema.memories)
            .values(memory_id=bindparam("key"))
            .on_conflict_do_nothing(index_elements=["memory_id"])
        )

    @contextmanager
    def transaction(self, connection: Connection) -> Generator[None]:
        """Use READ COMMITTED, whatever the engine's own isolation is."""
        connection.execution_options(isolation_level="READ COMMITTED")
        with connection.begin():
            yield

    @contextmanager
    def creating_tables(self, connection: Connection) -> Generator[None]:
        """Take an advisory lock: CREATE TABLE IF NOT EXISTS fails in a race."""
        with self.transaction(connection):
            connection.execute(
                text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK}
            )
            yield

    def is_transient(self, error: DBAPIError) -> bool:
        """Look at the SQLSTATE."""
        state: object = getattr(error.orig, "sqlstate", None)
        return state in _TRANSIENT
