"""A row that can't be read is named, and costs only its own memory, in every database."""

import pytest

from drivers import DRIVERS, tables_of
from sqlalchemy import create_engine, make_url, select, update

from chatmemory import Change, MessageDecodeError
from notation import conversation, shown


SYNC = {"aiosqlite": "pysqlite", "asyncpg": "psycopg", "asyncmy": "pymysql"}


@pytest.fixture(params=DRIVERS)
def tables(request, tmp_path):
    """Name tables with history."""
    with tables_of(request.param, tmp_path, keep_history=True) as tables:
        yield tables


@pytest.fixture
def store(tables):
    """Write two memories."""
    store = tables()
    store.update_messages("user", conversation("U1 A1 U2 A2"))
    store.update_messages("other", conversation("U A"))
    return store


@pytest.fixture
def database(tables, store):
    """Connect to the database behind the store's back."""
    url = make_url(tables.url)
    driver = url.get_driver_name()
    engine = create_engine(
        url.set(drivername=f"{url.get_backend_name()}+{SYNC.get(driver, driver)}"),
        isolation_level="AUTOCOMMIT",
    )
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.mark.parametrize(
    ("junk", "where"),
    [
        ("", "$"),
        ("junk", "$"),
        ('{"contents": [{"type": "TEXT", "te', "$"),
        ('{"type": "USER", "contents": [{"type": "TEXT"}]}', "$.contents[0].text"),
    ],
    ids=["empty", "no JSON", "cut", "no text"],
)
def test_a_corrupt_row(store, database, junk, where):
    """No verb that needs the row skips, changes or deletes it; others work."""
    real = getattr(store, "store", store)
    rows = real.metadata.tables[real._operations.schema.messages.name]
    memories = real._operations.schema.memories
    memory = database.execute(
        select(memories.c.id).order_by(memories.c.id).limit(1)
    ).scalar_one()
    third = (rows.c.memory == memory) & (rows.c.position == 2)
    database.execute(update(rows).where(third).values(body=junk))
    before = database.execute(select(rows).order_by(*rows.primary_key)).all()

    def history():
        if real is store:
            return store.history("user")
        return store.run(real.ahistory("user"))

    for step in (
        lambda: store.get_messages("user"),
        lambda: store.change_messages("user", lambda state: Change(state, [])),
        history,
    ):
        with pytest.raises(MessageDecodeError) as caught:
            step()
        error = caught.value
        assert ("user", 2, where) == (error.memory_id, error.position, error.path)
    after = database.execute(select(rows).order_by(*rows.primary_key)).all()
    assert before == after
    assert "U A" == shown(store.get_messages("other"))
    store.update_messages("other", conversation("U A U3"))
    assert "U A U3" == shown(store.get_messages("other"))
