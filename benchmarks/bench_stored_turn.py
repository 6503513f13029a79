"""
What a stored turn costs on SQLite in WAL: user, assistant, one `messages()`.

Reference: the sqlite3 driver that inserts the same rows as JSON, a transaction for each
message with synchronous=FULL, and reads nothing back.
"""

import sqlite3
import tempfile

from functools import partial
from pathlib import Path

from frame import chat, measure, options, report

from chatmemory import MessageWindowChatMemory, message_to_json
from chatmemory_stores.sql import SqlChatMemoryStore


WINDOW = 50


def raw(folder: Path, turns: int):
    said = chat(WINDOW + 2 * turns)
    db = sqlite3.connect(folder / "raw.db", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE IF NOT EXISTS chat (id INTEGER PRIMARY KEY, json TEXT)")

    def run() -> int:
        for message in said[WINDOW:]:
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO chat (json) VALUES (?)", [message_to_json(message)])
            db.execute("COMMIT")
        db.close()
        return turns

    return run


def stored(folder: Path, turns: int, *, anew: bool):
    said = chat(WINDOW + 2 * turns)
    url = f"sqlite:///{folder}/{'anew' if anew else 'kept'}.db"
    store = SqlChatMemoryStore.from_url(url)
    store.create_tables()
    memory = MessageWindowChatMemory(id="user", max_messages=WINDOW, store=store)
    memory.set(*said[:WINDOW])

    def run() -> int:
        used = memory
        for at in range(WINDOW, len(said), 2):
            if anew:
                fresh = SqlChatMemoryStore.from_url(url)
                used = MessageWindowChatMemory(
                    id="user", max_messages=WINDOW, store=fresh
                )
            used.add(said[at])
            used.add(said[at + 1])
            used.messages()
            if anew:
                fresh.close()
        return turns

    return run


def main() -> None:
    given = options(__doc__)
    rounds, turns = (1, 3) if given.quick else (5, 100)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = measure(
            {
                "sqlite3": partial(raw, folder, turns),
                "object kept": partial(stored, folder, turns, anew=False),
                "new store per turn": partial(stored, folder, turns, anew=True),
            },
            rounds,
        )
    rows = [
        {"turn": case, "µs": us, "of sqlite3": us / found["sqlite3"]}
        for case, us in found.items()
    ]
    report(rows, given.json)


if __name__ == "__main__":
    main()
