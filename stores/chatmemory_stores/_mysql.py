"""What MySQL and MariaDB want."""

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, Engine, Executable, bindparam, text
from sqlalchemy.dialects.mysql import insert
from sqlalchemy.exc import DBAPIError

from chatmemory_stores._schema import Schema


_LOCK = "chatmemory.create_tables"
_LOCK_TIMEOUT = 30  # seconds
_TRANSIENT = {1020, 1213}  # ER_CHECKREAD, ER_LOCK_DEADLOCK


class MySql:
    """MySQL and MariaDB, through PyMySQL or asyncmy."""

    driver = "pymysql"
    async_driver = "asyncmy"

    def check_engine(self, engine: Engine) -> None:
        """Take any engine."""

    def engine_options(self, url: URL) -> dict[str, object]:
        """Return no options: SQLAlchemy's defaults will do."""
        return {}

    def prepare_engine(self, engine: Engine) -> None:
        """Leave the connections as they are."""

    def begin_memory(self, schema: Schema) -> Executable:
        """Return an INSERT that hides no error but the key's being there."""
        statement = insert(schema.memories).values(
            memory_id=bindparam("key"), version=0, next_position=0, head=0, pins=""
        )
        return statement.on_duplicate_key_update(version=schema.memories.c.version)

    def reading(self, connection: Connection) -> Connection:
        """Return the connection in autocommit."""
        return connection.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def transaction(self, connection: Connection) -> Generator[None]:
        """
        Use READ COMMITTED for this one transaction, whatever the session's level is.

        SQLAlchemy would set the session's, and not set it back on an engine that is in
        autocommit.
        """
        self.reading(connection)
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
        connection.exec_driver_sql("START TRANSACTION")
        try:
            yield
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            if not connection.invalidated:
                connection.exec_driver_sql("ROLLBACK")
            connection.rollback()
            raise

    @contextmanager
    def creating_tables(self, connection: Connection) -> Generator[None]:
        """Take a named lock, as each CREATE TABLE is a transaction of its own."""
        named = {"name": _LOCK, "timeout": _LOCK_TIMEOUT}
        with self.transaction(connection):
            connection.execute(text("SELECT GET_LOCK(:name, :timeout)"), named)
            try:
                yield
            finally:
                connection.execute(text("SELECT RELEASE_LOCK(:name)"), named)

    def is_transient(self, error: DBAPIError) -> bool:
        """Look at the error's number."""
        arguments: tuple[object, ...] = getattr(error.orig, "args", ())
        return bool(arguments) and arguments[0] in _TRANSIENT
