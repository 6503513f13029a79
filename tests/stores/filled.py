"""Tables of a store that bulk SQL has filled, as years of use would."""

import uuid

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import (
    Integer,
    String,
    cast,
    column,
    func,
    insert,
    literal,
    select,
    text,
)

from chatmemory import UserMessage
from chatmemory.json import message_to_json
from chatmemory_stores.sql import SqlChatMemoryStore


# How many of its newest messages a memory has; the others are history.
SHOWN = 10
BODY = message_to_json(UserMessage("What is said, of middling length. " * 4))
ANALYZE = {"mysql": "ANALYZE TABLE", "mariadb": "ANALYZE TABLE"}


@contextmanager
def filled(url, **memories) -> Iterator[SqlChatMemoryStore]:
    """
    Open a store with history on tables of its own, and drop them in the end.

    *memories* says how many there are by the prefix of their ids, and of how many rows
    each: `user=(1_000, 10)` makes "user0" to "user999".
    """
    table = f"filled_{uuid.uuid4().hex[:8]}"
    tables = {"memory_table": table, "message_table": f"{table}_message"}
    with SqlChatMemoryStore.from_url(url, keep_history=True, **tables) as store:
        try:
            for prefix, (count, rows) in memories.items():
                _fill(store, prefix, count, rows)
            _analyze(store)
            yield store
        finally:
            with store._engine.begin() as connection:
                store.metadata.drop_all(connection)


def _fill(store, prefix, count, rows):
    schema = store._operations.schema
    memories, messages = schema.memories, schema.messages
    heads, positions = _numbers(count), _numbers(rows)
    now = datetime.now(UTC).replace(tzinfo=None)
    memory_id = literal(prefix, String) + cast(heads.c.number, String(20))
    shown_from = max(rows - SHOWN, 0)
    with store._engine.begin() as connection:
        last = connection.scalar(select(func.coalesce(func.max(memories.c.id), 0)))
        connection.execute(
            insert(memories).from_select(
                ["memory_id", "version", "next_position", "head", "pins"],
                select(memory_id, *map(literal, (1, rows, shown_from, ""))),
            )
        )
        connection.execute(
            insert(messages).from_select(
                ["memory", "position", "created_at", "body"],
                select(
                    memories.c.id, positions.c.number, literal(now), literal(BODY)
                ).where(
                    memories.c.id > last,
                    positions.c.number < memories.c.next_position,
                ),
            )
        )


def _numbers(count):
    """Return a subquery of the numbers below *count*, in SQL that all databases know."""
    digit = " UNION ALL ".join(f"SELECT {n} AS n" for n in range(10))
    places = range(len(str(count - 1)))
    digits = ", ".join(f"({digit}) AS d{place}" for place in places)
    number = " + ".join(f"d{place}.n * {10**place}" for place in places)
    numbers = text(f"SELECT {number} AS number FROM {digits} WHERE {number} < {count}")
    return numbers.columns(column("number", Integer)).subquery()


def _analyze(store):
    analyze = ANALYZE.get(store._engine.dialect.name, "ANALYZE")
    with store._engine.begin() as connection:
        for table in store.metadata.tables:
            connection.execute(text(f"{analyze} {table}"))
