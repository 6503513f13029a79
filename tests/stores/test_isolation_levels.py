"""Whatever isolation the caller's engine has, nothing is lost, and it stays so."""

import threading

from concurrent.futures import ThreadPoolExecutor

import pytest

from drivers import tables_of
from sqlalchemy import create_engine

from chatmemory import MessageWindowChatMemory, UserMessage
from chatmemory_stores.sql import SqlChatMemoryStore


THREADS = 4
BATCHES = 15
PATIENCE = 60  # seconds

SERVER_LEVELS = ["AUTOCOMMIT", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]
LEVELS = [
    *(("psycopg", level) for level in SERVER_LEVELS),
    *(("pymysql", level) for level in [*SERVER_LEVELS, "READ UNCOMMITTED"]),
    *(
        ("pysqlite", level)
        for level in ["AUTOCOMMIT", "SERIALIZABLE", "READ UNCOMMITTED"]
    ),
]


@pytest.fixture(params=LEVELS, ids=" ".join)
def level(request):
    """Name each isolation level of each database."""
    return request.param[1]


@pytest.fixture
def tables(request, level, tmp_path):
    """Create tables."""
    driver = request.node.callspec.params["level"][0]
    with tables_of(driver, tmp_path) as tables:
        tables()
        yield tables


@pytest.fixture
def engine(tables, level):
    """Make the caller's engine."""
    engine = create_engine(tables.url, isolation_level=level)
    yield engine
    engine.dispose()


def batch(thread, number):
    """Return messages that say whose they are."""
    return [UserMessage(f"{thread} {number} {part}") for part in range(2)]


def test_nothing_is_lost_doubled_or_torn(engine, tables, level):
    """Threads on two stores add to one memory; a fresh connection is as it was."""
    before = isolation_of(engine)
    assert (level == "AUTOCOMMIT") == before[1]
    stores = [
        SqlChatMemoryStore(
            engine,
            memory_table=tables.options["memory_table"],
            message_table=tables.options["message_table"],
        )
        for _ in range(2)
    ]
    barrier = threading.Barrier(THREADS)

    def write(thread):
        memory = MessageWindowChatMemory(
            id="user", max_messages=1_000, store=stores[thread % 2]
        )
        barrier.wait(PATIENCE)
        for number in range(BATCHES):
            memory.add(*batch(thread, number))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(write, range(THREADS)))
    check_complete(stores[0].get_messages("user"))
    assert before == isolation_of(engine)
    engine.dispose()
    assert before == isolation_of(engine)


def isolation_of(engine):
    """
    Return the isolation of a connection, and whether its driver commits by itself.

    AUTOCOMMIT is no level that a database reports: the driver knows of it.
    """
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        match engine.dialect.driver:
            case "psycopg":
                autocommits = driver.autocommit
            case "pymysql":
                autocommits = driver.get_autocommit()
            case _:
                autocommits = driver.isolation_level is None
        return connection.get_isolation_level(), autocommits


def check_complete(messages):
    """Each batch is there once, in one piece, each thread's in order."""
    batches = [messages[start : start + 2] for start in range(0, len(messages), 2)]
    expected = [batch(t, number) for t in range(THREADS) for number in range(BATCHES)]
    assert expected == sorted(batches, key=lambda each: writer_of(each[0]))


def writer_of(message):
    """Return the thread, by which a stable sort keeps its own order."""
    return int(message.text.split()[0])
