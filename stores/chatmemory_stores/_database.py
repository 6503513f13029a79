"""What databases do differently, as one small interface."""

from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress

from sqlalchemy import URL, Connection, Engine, Executable
from sqlalchemy.exc import DBAPIError, OperationalError

from chatmemory_stores._schema import Schema


class Database(ABC):
    """
    One kind of database; `driver` and `async_driver` are what a bare URL gets.

    What most databases share is here.
    """

    driver: str
    async_driver: str

    def check_engine(self, engine: Engine) -> None:  # noqa: B027 - most take any
        """Raise `InvalidOptionError` for an engine that can't keep a store."""

    def engine_options(self, url: URL) -> dict[str, object]:
        """Return what an engine of our own is made with."""
        return {}

    def prepare_engine(self, engine: Engine) -> None:  # noqa: B027 - most need none
        """Set up the connections of an engine of our own."""

    @abstractmethod
    def begin_memory(self, schema: Schema) -> Executable:
        """Return the statement that makes a memory's row for `key`, if there is none."""

    def reading(self, connection: Connection) -> Connection:
        """Return the connection in autocommit: each statement stands alone."""
        return connection.execution_options(isolation_level="AUTOCOMMIT")

    @abstractmethod
    def transaction(self, connection: Connection) -> AbstractContextManager[None]:
        """Write in one transaction, in which a statement sees what is committed."""

    @abstractmethod
    def creating_tables(self, connection: Connection) -> AbstractContextManager[None]:
        """Be alone among all who create tables, in a transaction."""

    def is_transient(self, error: DBAPIError) -> bool:
        """Tell whether the database asks to try the same again."""
        return False

    @contextmanager
    def begun_by(self, connection: Connection, *statements: str) -> Generator[None]:
        """Run a transaction that statements begin, as the driver begins another."""
        self.reading(connection)
        for statement in statements:
            connection.exec_driver_sql(statement)
        try:
            yield
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            if not connection.invalidated:
                # Some errors, as of a full disk, have rolled back already.
                with suppress(OperationalError):
                    connection.exec_driver_sql("ROLLBACK")
            connection.rollback()
            raise
