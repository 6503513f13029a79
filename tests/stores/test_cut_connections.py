"""Connections that break in the middle of a change, in a real network."""

import copy

from contextlib import AsyncExitStack, ExitStack

import pytest

from cutting_proxy import Cut, CuttingProxy
from sqlalchemy.exc import DBAPIError

from chatmemory import Change
from notation import conversation, shown
from servers import url_of
from sql_tables import AsyncSqlTables, SqlTables


# psycopg sends rows in its pipeline mode, in which it has not always returned here.
DRIVERS = {
    "asyncpg": ("postgresql", AsyncSqlTables),
    "pymysql": ("mysql", SqlTables),
    "asyncmy": ("mysql", AsyncSqlTables),
}
# The message that is written when the connection is cut.
NEW = b"Anew"
# MySQL's drivers send AUTOCOMMIT before they write.
COMMIT_NEW = rb"(?s)Anew.*COMMIT"
COMMIT_DELETE = rb"(?s)DELETE.*COMMIT"
WRITES = {
    "before the write": (Cut(NEW, before=True), False),
    "after the write": (Cut(NEW), False),
    "before the commit": (Cut(COMMIT_NEW, before=True), False),
    "after the commit": (Cut(COMMIT_NEW), True),
}
DELETES = {
    "before the delete": (Cut(b"DELETE", before=True), False),
    "after the delete": (Cut(b"DELETE"), False),
    "before the commit": (Cut(COMMIT_DELETE, before=True), False),
    "after the commit": (Cut(COMMIT_DELETE), True),
}
POOLED = 3


@pytest.fixture(params=DRIVERS)
def tables(request):
    """Name tables on each server in turn, for each driver."""
    server, kind = DRIVERS[request.param]
    with kind(url_of(server, request.param)) as tables:
        yield tables


@pytest.fixture
def direct(tables):
    """A store whose connections hold."""
    return tables()


@pytest.fixture
def proxy(tables):
    """Run a proxy in front of the server."""
    with CuttingProxy(tables.url) as proxy:
        yield proxy


@pytest.fixture
def store(tables, direct, proxy):
    """A store on the same tables that goes through the proxy."""
    proxied = copy.copy(tables)
    proxied.url = proxy.url
    store = proxied.open()
    yield store
    proxied.close(store, drop=False)


def append(notation):
    """Return the change that adds messages."""
    new = conversation(notation)
    return lambda state: Change([*state, *new], new)


def change(store):
    store.change_messages("user", append("U2 Anew"))


def update(store):
    store.update_messages("user", conversation("U1 A1 U2 Anew"))


@pytest.mark.parametrize("step", [change, update])
@pytest.mark.parametrize("is_cached", [True, False])
@pytest.mark.parametrize(("cut", "is_done"), WRITES.values(), ids=WRITES)
def test_a_change_is_wholly_there_or_not(  # noqa: PLR0917 - fixtures
    direct, store, proxy, cut, is_done, is_cached, step
):
    """The caller gets an error once, and the store goes on with what is there."""
    direct.update_messages("user", conversation("U1 A1"))
    if is_cached:
        store.get_messages("user")
    proxy.cut_at(cut)
    with pytest.raises(DBAPIError) as caught:
        step(store)
    assert caught.value.connection_invalidated
    left = "U1 A1 U2 Anew" if is_done else "U1 A1"
    assert left == shown(direct.get_messages("user"))
    after = store.change_messages("user", append("U3"))
    assert f"{left} U3" == shown(after) == shown(direct.get_messages("user"))


@pytest.mark.parametrize(("cut", "is_done"), WRITES.values(), ids=WRITES)
def test_a_first_change_is_wholly_there_or_not(direct, store, proxy, cut, is_done):
    """A memory that could not begin can begin at the next call."""
    proxy.cut_at(cut)
    with pytest.raises(DBAPIError):
        change(store)
    left = "U2 Anew " if is_done else ""
    assert left.strip() == shown(direct.get_messages("user"))
    after = store.change_messages("user", append("U3"))
    assert f"{left}U3" == shown(after) == shown(direct.get_messages("user"))


@pytest.mark.parametrize(("cut", "is_done"), WRITES.values(), ids=WRITES)
def test_a_lost_connection_is_not_tried_again(store, proxy, cut, is_done):
    """Nobody knows what became of a commit without answer: the caller decides."""
    proxy.cut_at(cut)
    with pytest.raises(DBAPIError):
        change(store)
    assert 1 == proxy.times_sent(NEW)


@pytest.mark.parametrize(("cut", "is_done"), DELETES.values(), ids=DELETES)
def test_a_delete_is_wholly_done_or_not(direct, store, proxy, cut, is_done):
    """A memory is there or not, with all its messages, and can be deleted again."""
    direct.update_messages("user", conversation("U1 A1"))
    proxy.cut_at(cut)
    with pytest.raises(DBAPIError):
        store.delete_messages("user")
    assert ("" if is_done else "U1 A1") == shown(direct.get_messages("user"))
    store.delete_messages("user")
    assert [] == direct.get_messages("user") == store.get_messages("user")


@pytest.mark.parametrize("table", [b"FROM memory_", b"FROM message_"])
@pytest.mark.parametrize("before", [True, False])
def test_a_read_that_breaks_can_be_repeated(direct, store, proxy, table, before):
    """What is lost on the way is not taken for an empty memory."""
    direct.update_messages("user", conversation("U1 A1"))
    proxy.cut_at(Cut(table, before=before))
    with pytest.raises(DBAPIError):
        store.get_messages("user")
    assert "U1 A1" == shown(store.get_messages("user"))


def test_a_server_that_was_away(direct, store, proxy):
    """Connections that broke while idle cost errors, at most one each, and no state."""
    direct.update_messages("user", conversation("U1 A1"))
    fill_pool(store)
    assert POOLED == proxy.cut_all()
    for _ in range(POOLED):
        try:
            store.change_messages("user", append("U2"))
            break
        except errors(store):
            assert "U1 A1" == shown(direct.get_messages("user"))
    else:
        store.change_messages("user", append("U2"))
    assert "U1 A1 U2" == shown(direct.get_messages("user"))


def fill_pool(store):
    """Leave several connections in the pool of a store."""
    if not hasattr(store, "run"):
        with ExitStack() as stack:
            for _ in range(POOLED):
                stack.enter_context(store._engine.connect())
        return

    async def fill():
        async with AsyncExitStack() as stack:
            for _ in range(POOLED):
                await stack.enter_async_context(store.store._engine.connect())

    store.run(fill())


def errors(store):
    """Name what a broken connection may raise: SQLAlchemy's error or the driver's."""
    engine = getattr(store, "store", store)._engine
    return (DBAPIError, engine.dialect.dbapi.Error)
