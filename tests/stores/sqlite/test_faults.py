"""Files that another process holds, or that may only be read."""

import subprocess
import sys

import pytest

from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, shown


HOLD = """
import sqlite3, sys

connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_file_that_another_process_holds(path, store):
    """After the engine's timeout there is an error; then the same store goes on."""
    store.update_messages("user", conversation("U1"))
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 0.01})
    waiting = SqlChatMemoryStore(engine)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert "held\n" == holder.stdout.readline()
        with pytest.raises(OperationalError, match="locked"):
            waiting.update_messages("user", conversation("U1 A1"))
        assert "U1" == shown(waiting.get_messages("user"))
    waiting.update_messages("user", conversation("U1 A1"))
    assert "U1 A1" == shown(store.get_messages("user"))
    engine.dispose()


def test_a_file_that_may_only_be_read(path, store):
    """It can be read, and a write is an error that leaves it as it is."""
    store.update_messages("user", conversation("U1"))
    engine = create_engine(f"sqlite:///file:{path}?mode=ro&uri=true")
    reading = SqlChatMemoryStore(engine)
    for _ in range(2):
        with pytest.raises(OperationalError, match="readonly"):
            reading.update_messages("user", conversation("U1 A1"))
        assert "U1" == shown(reading.get_messages("user"))
    engine.dispose()
