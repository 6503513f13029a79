"""What fails is wholly before: in a change, in the database, or in a row."""

import pytest

from sqlalchemy import create_engine, event
from sqlalchemy.exc import IntegrityError, OperationalError

from chatmemory import Change, MessageDecodeError, MessageWindowChatMemory, UserMessage
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, shown


ALL = "SELECT * FROM chatmemory JOIN chatmemory_message ORDER BY position"


@pytest.fixture(params=["cached", "not cached"])
def filled(request, store, other):
    """A store that has something, and has seen it or not."""
    other.update_messages("user", conversation("U1 A1 U2 A2"))
    if request.param == "cached":
        store.get_messages("user")
    return store


def check_goes_on(store: SqlChatMemoryStore) -> None:
    """What was there is there, and the next change succeeds."""
    assert "U1 A1 U2 A2" == shown(store.get_messages("user"))
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(*conversation("U3"))
    assert "U1 A1 U2 A2 U3" == shown(memory.messages())


# Changes that fail


class CallerError(Exception):
    """What a caller's own change raises."""


@pytest.mark.parametrize("error", [CallerError, KeyboardInterrupt, SystemExit])
def test_an_error_in_a_change_passes_unchanged(filled, database, error):
    """Whatever a change raises undoes the step, and is what the caller gets."""
    before = database.execute(ALL).fetchall()
    raised = error("mine")

    def failing(_state):
        raise raised

    with pytest.raises(error) as caught:
        filled.change_messages("user", failing)
    assert raised is caught.value
    assert before == database.execute(ALL).fetchall()
    check_goes_on(filled)


def test_an_error_in_a_first_change_leaves_no_trace(store, database):
    """A memory that could not begin is not there."""

    def failing(_state):
        raise CallerError

    with pytest.raises(CallerError):
        store.change_messages("user", failing)
    assert [] == database.execute("SELECT * FROM chatmemory").fetchall()


# Databases that fail


def test_a_write_that_the_database_refuses(filled, database):
    """If the second row can't be written, the first one is not there either."""
    database.execute(
        "CREATE TRIGGER no BEFORE INSERT ON chatmemory_message "
        "WHEN NEW.body LIKE '%refused%' BEGIN SELECT raise(ABORT, 'no'); END"
    )
    before = database.execute(ALL).fetchall()
    new = [UserMessage("fine"), UserMessage("refused")]
    with pytest.raises(IntegrityError, match="no"):
        filled.change_messages("user", lambda state: Change([*state, *new], new))
    assert before == database.execute(ALL).fetchall()
    check_goes_on(filled)


def test_a_full_disk(path, filled):
    """SQLite has rolled back by itself then; the driver's error is what one gets."""
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def _(connection, _record) -> None:
        connection.execute("PRAGMA max_page_count = 40")

    store = SqlChatMemoryStore(engine)
    new = [UserMessage("x" * 1_000_000)]
    with pytest.raises(OperationalError, match="full"):
        store.change_messages("user", lambda state: Change([*state, *new], new))
    check_goes_on(store)
    engine.dispose()


def test_a_writer_that_does_not_end(path, database, filled):
    """After the busy timeout of the engine the driver's error says so."""
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 0.01})
    store = SqlChatMemoryStore(engine)
    database.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"):
        store.update_messages("user", conversation("U4"))
    assert "U1 A1 U2 A2" == shown(store.get_messages("user"))
    database.execute("ROLLBACK")
    check_goes_on(store)
    engine.dispose()


# Rows that can't be read


@pytest.fixture
def written(other):
    """Write a memory that the store under test has not seen."""
    other.update_messages("user", conversation("U1 A1 U2 A2"))


CORRUPT = "UPDATE chatmemory_message SET body = ? WHERE position = 2"


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("", "$"),
        ('{"contents": [{"type": "TEXT", "te', "$"),
        ('{"type": "USER", "contents": [{"type": "TEXT"}]}', "$.contents[0].text"),
        ('{"type": "A_LATER_ONE"}', "$.type"),
    ],
)
def test_a_corrupt_row_is_named(written, database, url, body, where):
    """The error has memory id and position; nothing is skipped, nothing is deleted."""
    database.execute(CORRUPT, [body])
    before = database.execute(ALL).fetchall()
    with SqlChatMemoryStore.from_url(url) as store:
        with pytest.raises(MessageDecodeError, match="message 2 of memory 'user'") as e:
            store.get_messages("user")
        assert ("user", 2, where) == (e.value.memory_id, e.value.position, e.value.path)
        with pytest.raises(MessageDecodeError):
            store.change_messages("user", lambda state: Change(state, []))
    assert before == database.execute(ALL).fetchall()


def test_other_memories_are_not_concerned(written, database, url):
    """A corrupt row costs the memory that it is in, and nobody else's."""
    database.execute(CORRUPT, ["no JSON"])
    with SqlChatMemoryStore.from_url(url) as store:
        with pytest.raises(MessageDecodeError):
            store.get_messages("user")
        store.update_messages("another", conversation("U A"))
        assert "U A" == shown(store.get_messages("another"))
        store.delete_messages("user")
        store.update_messages("user", conversation("U"))
        assert "U" == shown(store.get_messages("user"))


def test_no_text_of_a_corrupt_row_is_in_the_error(written, database, url):
    """Errors go to logs, and what users wrote does not belong there."""
    database.execute(CORRUPT, ['{"type": "USER", "contents": "my secret'])
    with (
        SqlChatMemoryStore.from_url(url) as store,
        pytest.raises(MessageDecodeError) as caught,
    ):
        store.get_messages("user")
    assert "secret" not in str(caught.value)


def test_rows_that_somebody_deleted_are_missed(written, database, url):
    """A conversation with a hole in it is not shown as if it were whole."""
    database.execute("DELETE FROM chatmemory_message WHERE position = 1")
    with SqlChatMemoryStore.from_url(url) as store:
        with pytest.raises(MessageDecodeError, match="deleted by hand") as caught:
            store.get_messages("user")
        assert "user" == caught.value.memory_id
        with pytest.raises(MessageDecodeError, match="deleted by hand"):
            store.update_messages("user", conversation("U"))
        store.delete_messages("user")
        assert [] == store.get_messages("user")
