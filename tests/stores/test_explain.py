"""Every statement finds its rows by a key; explain.py is the long run."""

import explain

from filled import filled
from sqlalchemy import select

from chatmemory_stores._statements import Statements


def test_every_statement_is_explained():
    """A statement that is added to the store has a call here."""
    methods = {name for name in vars(Statements) if not name.startswith("_")}
    assert methods == set(explain.CALLS)


def test_no_statement_reads_a_whole_table(url: str):
    """Reads and writes go through a key, for memories of many rows and of few."""
    steps = list(explain.plans(url, rows=20_000))
    assert {
        f"{name} {size}" for name in explain.CALLS for size in ("large", "small")
    } == {step.call for step in steps}
    assert [] == [step for step in steps if not step.is_bounded]


def test_a_scan_and_a_sort_are_noticed(url: str):
    """What has no index is not bounded, whichever database explains it."""
    with filled(url, user=(1_000, 10)) as store, store._engine.connect() as connection:
        messages = store._operations.schema.messages
        for statement in (
            select(messages.c.body).where(messages.c.created_at.is_(None)),
            select(messages.c.position)
            .where(messages.c.memory == 1)
            .order_by(messages.c.body),
        ):
            with explain.explained(connection, "unindexed") as steps:
                connection.execute(statement)
            assert 1 == sum(not step.is_bounded for step in steps)
