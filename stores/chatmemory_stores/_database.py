"""What databases do differently, as one small interface."""

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import URL, Connection, Engine, Executable
from sqlalchemy.exc import DBAPIError

from chatmemory_stores._schema import Schema


class Database(Protocol):
    """One kind of database; `driver` and `async_driver` are what a bare URL gets."""

    driver: str
    async_driver: str

    def check_engine(self, engine: Engine) -> None:
        """Raise `InvalidOptionError` for an engine that can't keep a store."""
        ...

    def engine_options(self, url: URL) -> dict[str, object]:
        """Return what an engine of our own is made with."""
        ...

    def prepare_engine(self, engine: Engine) -> None:
        """Set up the connections of an engine of our own."""
        ...

    def begin_memory(self, schema: Schema) -> Executable:
        """Return the statement that makes a memory's row for `key`, if there is none."""
        ...

    def reading(self, connection: Connection) -> Connection:
        """Return the connection set so that each statement stands alone."""
        ...

    def transaction(self, connection: Connection) -> AbstractContextManager[None]:
        """Write in one transaction, in which a statement sees what is committed."""
        ...

    def creating_tables(self, connection: Connection) -> AbstractContextManager[None]:
        """Be alone among all who create tables, in a transaction."""
        ...

    def is_transient(self, error: DBAPIError) -> bool:
        """Tell whether the database asks to try the same again."""
        ...
