"""What is longer than MySQL takes is refused by it, and nothing of its batch is there."""

import pytest

from drivers import tables_of
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from chatmemory import MessageWindowChatMemory, UserMessage
from notation import conversation, shown


LONGEST_TRIED = 64 * 1024 * 1024


@pytest.fixture(params=["pymysql", "asyncmy"])
def tables(request, tmp_path):
    """Create tables."""
    with tables_of(request.param, tmp_path) as tables:
        yield tables


@pytest.fixture
def limit(tables):
    """Ask the server for its limit."""
    engine = create_engine(make_url(tables.url).set(drivername="mysql+pymysql"))
    with engine.connect() as connection:
        limit = connection.execute(text("SELECT @@max_allowed_packet")).scalar_one()
    engine.dispose()
    if limit > LONGEST_TRIED:
        pytest.skip(f"max_allowed_packet is {limit:,}: too much to send")
    return limit


def test_a_message_longer_than_a_packet(tables, limit):
    """The driver's error passes through; the memory is as before, and goes on."""
    store = tables()
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(*conversation("U1 A1"))
    with pytest.raises(OperationalError):
        memory.add(UserMessage("fine"), UserMessage("x" * limit))
    assert "U1 A1" == shown(store.get_messages("user"))
    memory.add(*conversation("U2"))
    assert "U1 A1 U2" == shown(store.get_messages("user"))
