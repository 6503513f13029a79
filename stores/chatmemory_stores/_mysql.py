"""What MySQL and MariaDB want."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Connection, Executable, bindparam, text
from sqlalchemy.dialects.mysql import insert
from sqlalchemy.exc import DBAPIError

from chatmemory_stores._database import Database
from chatmemory_stores._schema import Schema


_LOCK = "chatmemory.create_tables"
_LOCK_TIMEOUT = 30  # seconds
_TRANSIENT = {1020, 1213}  # ER_CHECKREAD, ER_LOCK_DEADLOCK


class MySql(Database):
    """MySQL and MariaDB, through PyMySQL or asyncmy."""

    driver = "pymysql"
    async_driver = "asyncmy"

    def begin_memory(self, schema: Schema) -> Executable:
        """Return an INSERT that hides no error but the key's being there."""
        statement = insert(schema.memories).values(memory_id=bindparam("key"))
        return statement.on_duplicate_key_update(version=schema.memories.c.version)

    def transaction(self, connection: Connection) -> AbstractContextManager[None]:
        """
        Use READ COMMITTED for this one transaction, whatever the session's level is.

        SQLAlchemy would set the session's, and not set it back on an engine that is in
        autocommit.
        """
        return self.begun_by(
            connection,
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "START TRANSACTION",
        )

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
