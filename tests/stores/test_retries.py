"""What the database undoes for no fault of the caller is tried again, within bounds."""

from collections.abc import Generator
from typing import Any
from uuid import uuid4

import pytest

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DBAPIError

from chatmemory import UserMessage
from chatmemory_stores._operations import ATTEMPTS
from servers import url_of
from sql_tables import AsyncSqlTables, SqlTables


ALWAYS = 1_000_000
# A trigger raises an error at the first few attempts; what counts them outlives a
# rollback.
POSTGRESQL = """
CREATE SEQUENCE count_{name};
CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF nextval('count_{name}') <= {times} THEN
    RAISE EXCEPTION 'refused' USING ERRCODE = '{code}';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW
  EXECUTE FUNCTION refuse_{name}();
"""
MARIADB = """
CREATE SEQUENCE count_{name} CACHE 0;
CREATE TRIGGER refuse_{name} BEFORE INSERT ON {table} FOR EACH ROW
  IF NEXTVAL(count_{name}) <= {times} THEN
    SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = {code};
  END IF;
"""
CODES = {
    "postgresql": {"deadlock": "40P01", "serialization": "40001", "check": "23514"},
    "mysql": {"deadlock": "1213", "serialization": "1020", "check": "4025"},
}


class Refusals:
    """Errors that the database raises when a message is written."""

    def __init__(self, connection: Connection, table: str) -> None:
        self._connection = connection
        self._server = connection.dialect.name
        self._table = table
        self._name = uuid4().hex

    def begin(self, error: str, times: int) -> None:
        """Refuse the next *times* messages with the code of an error."""
        script = POSTGRESQL if self._server == "postgresql" else MARIADB
        filled = script.format(
            name=self._name,
            table=self._table,
            times=times,
            code=CODES[self._server][error],
        )
        statements = (
            [filled] if self._server == "postgresql" else filled.split(";\n", 1)
        )
        for statement in statements:
            self._connection.exec_driver_sql(statement.strip())

    def count(self) -> int:
        """Return how many messages were tried to write."""
        text = {
            "postgresql": f"SELECT last_value FROM count_{self._name}",
            "mysql": f"SELECT next_not_cached_value - 1 FROM count_{self._name}",
        }
        found: int = self._connection.exec_driver_sql(text[self._server]).scalar_one()
        return found

    def end(self) -> None:
        """Remove what would stay when the table goes."""
        suffix = " CASCADE" if self._server == "postgresql" else ""
        if self._server == "postgresql":
            self._connection.exec_driver_sql(
                f"DROP FUNCTION IF EXISTS refuse_{self._name} CASCADE"
            )
        self._connection.exec_driver_sql(
            f"DROP SEQUENCE IF EXISTS count_{self._name}{suffix}"
        )


@pytest.fixture(
    params=[
        ("postgresql", "psycopg", SqlTables),
        ("postgresql", "asyncpg", AsyncSqlTables),
        ("mysql", "pymysql", SqlTables),
        ("mysql", "asyncmy", AsyncSqlTables),
    ],
    ids=lambda param: param[1],
)
def tables(request: pytest.FixtureRequest) -> Generator[SqlTables]:
    """Give tables through each driver."""
    server, driver, kind = request.param
    with kind(url_of(server, driver)) as tables:
        yield tables


@pytest.fixture
def store(tables: SqlTables) -> Any:
    """Open a store whose memory has a first message."""
    store = tables()
    store.update_messages("u", [UserMessage("before")])
    return store


@pytest.fixture
def refusals(tables: SqlTables, store: Any) -> Generator[Refusals]:
    """Give a way to make the database refuse what the store writes."""
    server = tables.url.partition("+")[0]
    driver = {"postgresql": "psycopg", "mysql": "pymysql"}[server]
    engine = create_engine(url_of(server, driver), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        refusals = Refusals(connection, tables.options["message_table"])
        yield refusals
        refusals.end()
    engine.dispose()


BEFORE = [UserMessage("before")]
AFTER = [UserMessage("before"), UserMessage("after")]


@pytest.mark.parametrize("error", ["deadlock", "serialization"])
def test_what_was_undone_is_tried_again(store: Any, refusals: Refusals, error: str):
    """A deadlock and a failed serialisation are over at the next attempt."""
    refusals.begin(error, times=ATTEMPTS - 1)
    store.update_messages("u", AFTER)
    assert (AFTER, ATTEMPTS) == (store.get_messages("u"), refusals.count())


def test_it_is_not_tried_forever(store: Any, refusals: Refusals):
    """After ten attempts the driver's error is raised, and nothing is written."""
    refusals.begin("deadlock", times=ALWAYS)
    with pytest.raises(DBAPIError):
        store.update_messages("u", AFTER)
    assert (BEFORE, ATTEMPTS) == (store.get_messages("u"), refusals.count())


def test_other_errors_are_raised_at_once(store: Any, refusals: Refusals):
    """What a second attempt would meet as well is not tried again."""
    refusals.begin("check", times=ALWAYS)
    with pytest.raises(DBAPIError) as caught:
        store.update_messages("u", AFTER)
    assert "after" not in str(caught.value), "what was said is in no error"
    assert (BEFORE, 1) == (store.get_messages("u"), refusals.count())
