"""The store of a replay."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.exc import SQLAlchemyError

from chatmemory.cli.command_error import CommandError
from chatmemory.store import ChatMemoryStore, InMemoryChatMemoryStore
from chatmemory_stores.sql import SqlChatMemoryStore


SQLITE_FILE = "sqlite:///"


@contextmanager
def opened(option: str) -> Generator[ChatMemoryStore, None, None]:
    """
    Open the store that `--store` names, and close it.

    Raises `CommandError` for what names none, for a file that is there already, and for
    what the database can't do.
    """
    if option == "memory":
        yield InMemoryChatMemoryStore()
    elif option == "sqlite":
        with (
            TemporaryDirectory(prefix="chatmemory-") as folder,
            _sqlite(Path(folder, "replay.db")) as store,
        ):
            yield store
    else:
        with _sqlite(_new_file(option)) as store:
            yield store


def _new_file(option: str) -> Path:
    name = option.removeprefix(SQLITE_FILE)
    if name in ("", option):
        msg = (
            f"--store {option!r} is no store: use memory, sqlite (a temporary file) or "
            "sqlite:///new.db"
        )
        raise CommandError(msg)
    path = Path(name)
    if path.exists():
        msg = f"--store {option!r} exists: name a new file, or delete it first"
        raise CommandError(msg)
    return path


@contextmanager
def _sqlite(path: Path) -> Generator[ChatMemoryStore, None, None]:
    try:
        with SqlChatMemoryStore.from_url(f"{SQLITE_FILE}{path}") as store:
            yield store
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or type(error).__name__
        msg = f"the store {str(path)!r} failed: {cause}"
        raise CommandError(msg) from error
