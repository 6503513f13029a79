"""A database that does not wait for the disk."""

from collections.abc import Generator
from pathlib import Path

import pytest

from sqlalchemy import Engine, create_engine, event


@pytest.fixture
def engine(tmp_path: Path) -> Generator[Engine]:
    """
    A caller's own engine on an SQLite file.

    The disk is not waited for: what is at stake is what writers do to each other, not
    what a power cut does, and thousands of commits take seconds then, not minutes.
    """
    engine = create_engine(
        f"sqlite:///{tmp_path / 'chat.db'}", connect_args={"timeout": 60}
    )

    @event.listens_for(engine, "connect")
    def _(connection, _record) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")

    yield engine
    engine.dispose()
