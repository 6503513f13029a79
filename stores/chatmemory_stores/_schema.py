"""The tables: one row per memory, one row per message."""

from typing import Any

import attrs

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

from chatmemory.memory_id import LONGEST


SCHEMA_VERSION = 1

# SQLite makes ids only for INTEGER, which has 64 bits there anyway.
_BIG = BigInteger().with_variant(Integer, "sqlite")
# MySQL's TEXT ends after 64 kB, and its DATETIME at whole seconds.
_JSON = Text().with_variant(
    mysql.LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql", "mariadb"
)
_TIME = DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")


class MemoryIdText(TypeDecorator[str]):
    """
    Text that is compared by code point, trailing spaces included.

    MySQL's collations fold case or ignore trailing spaces, so there it is bytes of
    UTF-8.
    """

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type that the database has for it."""
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.VARBINARY(4 * LONGEST))
        collation = "C" if dialect.name == "postgresql" else None
        return dialect.type_descriptor(String(LONGEST, collation=collation))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> object:
        """Encode where the database has bytes."""
        if value is not None and dialect.name in ("mysql", "mariadb"):
            return value.encode()
        return value


@attrs.frozen
class Schema:
    """
    The tables of a store; *metadata* is what a migration tool wants.

    A memory's row says which rows of messages it consists of: see `Head`. A message's
    row is written once and never changed; positions give the order. `created_at` is UTC
    and for reading only.
    """

    metadata: MetaData
    memories: Table
    messages: Table
    versions: Table

    @classmethod
    def named(cls, memories: str, messages: str) -> "Schema":
        """Describe tables of these names."""
        metadata = MetaData()
        memory_table = Table(
            memories,
            metadata,
            Column("id", _BIG, primary_key=True, autoincrement=True),
            Column("memory_id", MemoryIdText, nullable=False, unique=True),
            Column("version", _BIG, nullable=False, default=0),
            Column("next_position", _BIG, nullable=False, default=0),
            Column("head", _BIG, nullable=False, default=0),
            Column("pins", Text, nullable=False, default=""),
            sqlite_autoincrement=True,
            mysql_engine="InnoDB",
            mariadb_engine="InnoDB",
        )
        message_table = Table(
            messages,
            metadata,
            Column("memory", _BIG, primary_key=True, autoincrement=False),
            Column("position", _BIG, primary_key=True, autoincrement=False),
            Column("created_at", _TIME, nullable=False),
            Column("body", _JSON, nullable=False),
            mysql_engine="InnoDB",
            mariadb_engine="InnoDB",
        )
        version_table = Table(
            f"{memories}_schema",
            metadata,
            Column("version", Integer, primary_key=True, autoincrement=False),
        )
        return cls(metadata, memory_table, message_table, version_table)
