"""The tables: one row per memory, one row per message."""

import attrs

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

from chatmemory.memory_id import LONGEST


# SQLite makes ids only for INTEGER, which has 64 bits there anyway.
_BIG = BigInteger().with_variant(Integer, "sqlite")


@attrs.frozen
class Schema:
    """
    The tables of a store; *metadata* is what a migration tool wants.

    A memory's row has a `version`, which grows with each change, and the position of
    its next message. Ids of memories are never used again: id and version together tell
    one state from any other, also from that of a memory that was deleted and begun anew.
    A message's row is written once and never changed.
    """

    metadata: MetaData
    memories: Table
    messages: Table

    @classmethod
    def named(cls, memories: str, messages: str) -> "Schema":
        """Describe tables of these names."""
        metadata = MetaData()
        memory_table = Table(
            memories,
            metadata,
            Column("id", _BIG, primary_key=True, autoincrement=True),
            Column("memory_id", String(LONGEST), nullable=False, unique=True),
            Column("version", _BIG, nullable=False),
            Column("next_position", _BIG, nullable=False),
            sqlite_autoincrement=True,
        )
        message_table = Table(
            messages,
            metadata,
            Column("memory", ForeignKey(memory_table.c.id), primary_key=True),
            Column("position", _BIG, primary_key=True, autoincrement=False),
            Column("body", Text, nullable=False),
            Column("created_at", DateTime, nullable=False),
        )
        return cls(metadata, memory_table, message_table)
