"""The README's example of a store of one's own, in one table, passes the suite."""

import sqlite3

from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from chatmemory import Change, messages_from_json, messages_to_json
from chatmemory.testing import AtomicChatMemoryStoreSuite


class ChatTable:
    def __init__(self, path):
        self.path = path
        with self.locked() as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS chat (id TEXT PRIMARY KEY, json TEXT)"
            )

    @contextmanager
    def locked(self):
        with closing(sqlite3.connect(self.path, timeout=30)) as db, db:
            db.execute("BEGIN IMMEDIATE")  # from here to the end nobody else writes
            yield db

    def get_messages(self, memory_id):
        return self.change_messages(memory_id, lambda state: None)

    def update_messages(self, memory_id, messages):
        self.change_messages(memory_id, lambda state: Change(messages, messages))

    def delete_messages(self, memory_id):
        self.update_messages(memory_id, [])

    def change_messages(self, memory_id, change):
        with self.locked() as db:
            found = db.execute("SELECT json FROM chat WHERE id = ?", [memory_id])
            state = messages_from_json(*(found.fetchone() or [None]))
            changed = change(state.copy())
            if changed is None:
                return state
            row = [memory_id, messages_to_json(changed.messages, extended=True)]
            db.execute("REPLACE INTO chat VALUES (?, ?)", row)
            return changed.messages.copy()


class TestChatTable(AtomicChatMemoryStoreSuite):
    examples = 5

    @pytest.fixture
    def store(self, tmp_path: Path) -> ChatTable:
        return ChatTable(tmp_path / "chat.db")

    @pytest.fixture
    def reopened(self, tmp_path: Path):
        return lambda: ChatTable(tmp_path / "chat.db")
