"""The statements of a SQL store, each built once; every one finds its rows by a key."""

from datetime import UTC, datetime
from typing import cast

from sqlalchemy import (
    Connection,
    Executable,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from chatmemory_stores._schema import Schema
from chatmemory_stores._state import Head


# An IN list of more would meet the limits of some databases.
LONGEST_LIST = 500


class Statements:
    """What is asked of the tables of one schema, on an open connection."""

    def __init__(self, schema: Schema, begin_memory: Executable) -> None:
        memories, messages = schema.memories.c, schema.messages.c
        of_memory = messages.memory == bindparam("of")
        row = (messages.position, messages.body)
        head = select(
            memories.id,
            memories.version,
            memories.next_position,
            memories.head,
            memories.pins,
        )
        self._find = head.where(memories.memory_id == bindparam("key"))
        self._lock = head.where(memories.id == bindparam("of")).with_for_update()
        self._begin = begin_memory
        self._read_range = select(*row).where(
            of_memory,
            messages.position >= bindparam("low"),
            messages.position < bindparam("high"),
        )
        self._read_list = select(*row).where(
            of_memory, messages.position.in_(bindparam("listed", expanding=True))
        )
        self._advance = (
            update(schema.memories)
            .where(memories.id == bindparam("of"), memories.version == bindparam("was"))
            .values(
                version=bindparam("new_version"),
                next_position=bindparam("new_next_position"),
                head=bindparam("new_head"),
                pins=bindparam("new_pins"),
            )
        )
        self._append = insert(schema.messages)
        self._drop_range = delete(schema.messages).where(
            of_memory, messages.position.between(bindparam("low"), bindparam("high"))
        )
        self._drop_all = delete(schema.messages).where(of_memory)
        self._drop_memory = delete(schema.memories).where(
            memories.id == bindparam("of")
        )
        memory = select(memories.id).where(memories.memory_id == bindparam("key"))
        self._page = (
            select(messages.position, messages.created_at, messages.body)
            .where(
                messages.memory == memory.scalar_subquery(),
                messages.position < bindparam("before"),
            )
            .order_by(messages.position.desc())
            .limit(bindparam("limit"))
        )

    def find(self, connection: Connection, key: str) -> Head | None:
        """Return the row of a memory."""
        row = connection.execute(self._find, {"key": key}).one_or_none()
        return None if row is None else Head(*row)

    def lock(self, connection: Connection, key: str) -> Head | None:
        """
        Return the row of a memory; nobody else changes it until the transaction ends.

        It is locked by its number, as `advance` does: MySQL locks the index that it
        goes through as well, and two orders would make deadlocks.
        """
        found = self.find(connection, key)
        if found is None:
            return None
        row = connection.execute(self._lock, {"of": found.memory}).one_or_none()
        return None if row is None else Head(*row)

    def begin(self, connection: Connection, key: str) -> None:
        """Make the row of a memory, unless somebody has."""
        connection.execute(self._begin, {"key": key})

    def read_range(
        self, connection: Connection, memory: int, low: int, high: int
    ) -> dict[int, str]:
        """Return the bodies from position *low* up to but not including *high*."""
        span = {"of": memory, "low": low, "high": high}
        rows = connection.execute(self._read_range, span).all()
        return dict(cast("list[tuple[int, str]]", rows))

    def read_list(
        self, connection: Connection, memory: int, positions: list[int]
    ) -> dict[int, str]:
        """Return the bodies at these positions."""
        bodies: dict[int, str] = {}
        for start in range(0, len(positions), LONGEST_LIST):
            listed = positions[start : start + LONGEST_LIST]
            rows = connection.execute(
                self._read_list, {"of": memory, "listed": listed}
            ).all()
            bodies.update(cast("list[tuple[int, str]]", rows))
        return bodies

    def advance(self, connection: Connection, before: Head, after: Head) -> bool:
        """Change the row of a memory from one version to the next, if it has the first."""
        step = {
            "of": before.memory,
            "was": before.version,
            "new_version": after.version,
            "new_next_position": after.next_position,
            "new_head": after.head,
            "new_pins": after.pins,
        }
        return connection.execute(self._advance, step).rowcount == 1

    def append(
        self, connection: Connection, memory: int, first: int, bodies: list[str]
    ) -> None:
        """Write messages from position *first* on."""
        now = datetime.now(UTC).replace(tzinfo=None)
        rows = [
            {"memory": memory, "position": position, "body": body, "created_at": now}
            for position, body in enumerate(bodies, start=first)
        ]
        if rows:
            connection.execute(self._append, rows)

    def drop_dead(self, connection: Connection, head: Head) -> None:
        """Delete the messages that a memory has left behind; there must be some."""
        spans = [
            {"of": head.memory, "low": low, "high": high} for low, high in head.dead()
        ]
        connection.execute(self._drop_range, spans)

    def drop(self, connection: Connection, memory: int) -> None:
        """Delete a memory and its messages."""
        connection.execute(self._drop_all, {"of": memory})
        connection.execute(self._drop_memory, {"of": memory})

    def page(
        self, connection: Connection, key: str, before: int, limit: int
    ) -> list[tuple[int, datetime, str]]:
        """Return up to *limit* rows before a position, the newest first."""
        page = {"key": key, "before": before, "limit": limit}
        rows = connection.execute(self._page, page).all()
        return cast("list[tuple[int, datetime, str]]", rows)
