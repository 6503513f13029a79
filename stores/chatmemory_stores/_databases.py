"""Which databases there are."""

from chatmemory.errors import InvalidOptionError
from chatmemory_stores._database import Database
from chatmemory_stores._mysql import MySql
from chatmemory_stores._postgresql import PostgreSql
from chatmemory_stores._sqlite import Sqlite


_DATABASES: dict[str, Database] = {
    "sqlite": Sqlite(),
    "postgresql": PostgreSql(),
    "mysql": MySql(),
    "mariadb": MySql(),
}


def database_of(name: str) -> Database:
    """Return the kind of database that SQLAlchemy calls *name*."""
    if name in _DATABASES:
        return _DATABASES[name]
    msg = f"the store knows {', '.join(_DATABASES)}, but not {name!r}"
    raise InvalidOptionError(msg)
