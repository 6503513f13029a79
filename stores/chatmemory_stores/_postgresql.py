"""What PostgreSQL wants."""

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, Engine, Executable, bindparam, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from chatmemory_stores._schema import Schema


# Any number, as long as all who create our tables take the same.
_LOCK = 0x63686174  # "chat"
_TRANSIENT = {"40001", "40P01"}  # serialization_failure, deadlock_detected


class PostgreSql:
    """PostgreSQL, through psycopg or asyncpg."""

    driver = "psycopg"
    async_driver = "asyncpg"

    def check_engine(self, engine: Engine) -> None:
        """Take any engine."""

    def engine_options(self, url: URL) -> dict[str, object]:
        """Return no options: SQLAlchemy's defaults will do."""
        return {}

    def prepare_engine(self, engine: Engine) -> None:
        """Leave the connections as they are."""

    def begin_memory(self, schema: Schema) -> Executable:
        """Return an INSERT that waits for another one of the same key."""
        return (
            insert(schema.memories)
            .values(
                memory_id=bindparam("key"), version=0, next_position=0, head=0, pins=""
            )
            .on_conflict_do_nothing(index_elements=["memory_id"])
        )

    def reading(self, connection: Connection) -> Connection:
        """Return the connection in autocommit, which saves two round trips."""
        return connection.execution_options(isolation_level="AUTOCOMMIT")

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
