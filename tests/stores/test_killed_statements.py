"""Statements that an administrator ends while a store waits for somebody's lock."""

import time

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import attrs
import pytest

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from chatmemory import Change
from notation import conversation, shown
from servers import url_of
from sql_tables import AsyncSqlTables, SqlTables


DEADLINE = 10.0  # seconds


@attrs.frozen
class Server:
    """How to find who waits on a server, and how to end what it does."""

    name: str
    driver: str
    waiting: str
    ends: dict[str, str]


POSTGRESQL = Server(
    "postgresql",
    "psycopg",
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE :of",
    {
        "statement": "SELECT pg_cancel_backend(:waiter)",
        "connection": "SELECT pg_terminate_backend(:waiter)",
    },
)
DRIVERS = {
    "psycopg": (POSTGRESQL, SqlTables),
    "asyncpg": (POSTGRESQL, AsyncSqlTables),
}


@pytest.fixture(params=DRIVERS)
def driver(request):
    """Name each driver in turn."""
    return request.param


@pytest.fixture
def server(driver):
    """Say how one speaks with the server of the driver."""
    return DRIVERS[driver][0]


@pytest.fixture
def tables(driver, server):
    """Name tables on the server."""
    with DRIVERS[driver][1](url_of(server.name, driver)) as tables:
        yield tables


@pytest.fixture
def store(tables):
    """Open the store that is to wait."""
    return tables()


@pytest.fixture
def engine(server):
    """Connect to the server without a store."""
    engine = create_engine(url_of(server.name, server.driver), poolclass=NullPool)
    yield engine
    engine.dispose()


@pytest.fixture
def kill(server, engine, tables):
    """End, of whoever waits for the tables, the statement or the connection."""

    def kill(what):
        alone = engine.execution_options(isolation_level="AUTOCOMMIT")
        with alone.connect() as connection:
            named = {"of": f"%{tables.options['memory_table']}%"}
            deadline = time.monotonic() + DEADLINE
            found = []
            while not found:
                assert time.monotonic() < deadline, "nobody waits"
                found = connection.execute(text(server.waiting), named).scalars().all()
            (waiter,) = found
            connection.execute(text(server.ends[what]), {"waiter": waiter})

    return kill


@contextmanager
def transaction(engine, statement):
    """Be in the middle of a transaction that has done this."""
    with engine.connect() as connection:
        connection.execute(text(statement))
        yield
        connection.rollback()


def append(notation):
    """Return the change that adds messages."""
    new = conversation(notation)
    return lambda state: Change([*state, *new], new)


def change(store):
    store.change_messages("user", append("U2 A2"))


def update(store):
    store.update_messages("user", conversation("U1 A1 U2 A2"))


def delete(store):
    store.delete_messages("user")


@pytest.mark.parametrize("what", ["statement", "connection"])
@pytest.mark.parametrize("step", [change, update, delete])
@pytest.mark.parametrize("is_cached", [True, False])
def test_a_step_that_is_killed_is_not_done(  # noqa: PLR0917 - fixtures
    tables, store, engine, kill, what, step, is_cached
):
    """The caller gets the error, nothing has changed, and the store goes on."""
    waiting = store if is_cached else tables()
    store.update_messages("user", conversation("U1 A1"))
    lock = f"SELECT * FROM {tables.options['memory_table']} FOR UPDATE"
    with transaction(engine, lock), ThreadPoolExecutor(1) as pool:
        running = pool.submit(step, waiting)
        kill(what)
        with pytest.raises(DBAPIError) as caught:
            running.result()
    assert (what == "connection") == caught.value.connection_invalidated
    assert "U1 A1" == shown(waiting.get_messages("user"))
    after = waiting.change_messages("user", append("U3"))
    assert "U1 A1 U3" == shown(after) == shown(tables().get_messages("user"))


@pytest.mark.parametrize("what", ["statement", "connection"])
def test_a_first_change_that_is_killed_is_not_done(tables, store, engine, kill, what):
    """Who waits for another first writer of an id, and is killed, leaves no trace."""
    begin = (
        f"INSERT INTO {tables.options['memory_table']} "
        "(memory_id, version, next_position, head, pins) VALUES ('user', 0, 0, 0, '')"
    )
    with transaction(engine, begin), ThreadPoolExecutor(1) as pool:
        running = pool.submit(change, store)
        kill(what)
        with pytest.raises(DBAPIError):
            running.result()
    with engine.connect() as connection:
        found = connection.execute(
            text(f"SELECT * FROM {tables.options['memory_table']}")
        )
        assert [] == found.all()
    change(store)
    assert "U2 A2" == shown(tables().get_messages("user"))
