"""A store that a database chooses as the victim of a deadlock goes on by itself."""

import threading
import time

from collections.abc import Generator
from datetime import datetime

import pytest

from sqlalchemy import Connection, Engine, create_engine, insert, select, text

from chatmemory import UserMessage
from chatmemory_stores.sql import SqlChatMemoryStore
from servers import url_of


TABLES = {"memory_table": "deadlock_memory", "message_table": "deadlock_message"}
PATIENCE = 60.0  # seconds
WAITING = {
    "postgresql": (
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
        "AND query LIKE 'INSERT INTO deadlock_message%'"
    ),
    "mysql": (
        "SELECT count(*) FROM information_schema.processlist "
        "WHERE info LIKE 'INSERT INTO deadlock_message%'"
    ),
}
# PostgreSQL's victim is who finds the deadlock first, InnoDB's who has changed less.
NEVER_THE_VICTIM = {"postgresql": "SET deadlock_timeout = '60s'", "mysql": "SELECT 1"}
MANY = 200


@pytest.fixture(params=[("postgresql", "psycopg"), ("mysql", "pymysql")])
def engine(request: pytest.FixtureRequest) -> Generator[Engine]:
    """Give an engine on each server."""
    engine = create_engine(url_of(*request.param))
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine) -> Generator[SqlChatMemoryStore]:
    """Open a store on tables of its own."""
    store = SqlChatMemoryStore(engine, **TABLES)
    store.metadata.drop_all(engine)
    store.create_tables()
    yield store
    store.metadata.drop_all(engine)


def test_the_victim_of_a_deadlock_tries_again(
    engine: Engine, store: SqlChatMemoryStore
):
    """
    Somebody else holds what the store is to write, and then wants what the store holds.

    The store's change is undone, and is there after the other one has gone.
    """
    said = [UserMessage("1"), UserMessage("2")]
    store.update_messages("u", said[:1])
    writer = threading.Thread(target=store.update_messages, args=("u", said))
    with engine.connect() as other:
        other.exec_driver_sql(NEVER_THE_VICTIM[engine.name])
        write_what_comes_next(other, store)
        writer.start()
        wait_until_blocked(engine)
        lock_memory(other, store)
        other.rollback()
    writer.join()
    assert said == store.get_messages("u")


def write_what_comes_next(connection: Connection, store: SqlChatMemoryStore) -> None:
    memories = store.metadata.tables[TABLES["memory_table"]]
    messages = store.metadata.tables[TABLES["message_table"]]
    memory, first = connection.execute(
        select(memories.c.id, memories.c.next_position)
    ).one()
    rows = [
        {
            "memory": memory,
            "position": first + i,
            "body": "",
            "created_at": datetime(2020, 1, 1),  # noqa: DTZ001 - as the column is
        }
        for i in range(MANY)
    ]
    connection.execute(insert(messages), rows)


def lock_memory(connection: Connection, store: SqlChatMemoryStore) -> None:
    memories = store.metadata.tables[TABLES["memory_table"]]
    connection.execute(select(memories.c.id).with_for_update())


def wait_until_blocked(engine: Engine) -> None:
    deadline = time.monotonic() + PATIENCE
    with engine.connect() as connection:
        while not connection.execute(text(WAITING[engine.name])).scalar_one():
            assert time.monotonic() < deadline, "the store waits for nobody"
            connection.rollback()
