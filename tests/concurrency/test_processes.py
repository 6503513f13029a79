"""Several processes on one database file."""

import subprocess
import sys

from pathlib import Path

import pytest

import batches

from batches import MEMORY_ID, check_whole, memory_on
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, shown


PROCESSES = 4
BATCHES = 200
WINDOW = 2 * PROCESSES * BATCHES

pytestmark = pytest.mark.usefixtures("impatient_threads")


def process(url: str, writer: int) -> subprocess.Popen[str]:
    """Start a process that adds its batches when it is told to."""
    arguments = [url, str(WINDOW), str(writer), str(BATCHES)]
    return subprocess.Popen(
        [sys.executable, Path(batches.__file__), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_nothing_is_lost_doubled_or_torn(tmp_path):
    """What processes add at the same moment is all there, each batch in one piece."""
    url = f"sqlite:///{tmp_path / 'chat.db'}"
    running = [process(url, writer) for writer in range(PROCESSES)]
    assert ["ready\n"] * PROCESSES == [each.stdout.readline() for each in running]
    for each in running:
        each.stdin.write("go\n")
        each.stdin.flush()
    for each in running:
        each.communicate()
    assert [0] * PROCESSES == [each.returncode for each in running]
    with SqlChatMemoryStore.from_url(url) as store:
        said = memory_on(store, WINDOW).messages()
    check_whole(said, writers=PROCESSES, batches=BATCHES)


ANOTHER_LIFE = """
import sys

from chatmemory import MessageWindowChatMemory, UserMessage
from chatmemory_stores.sql import SqlChatMemoryStore

url, memory_id, *words = sys.argv[1:]
with SqlChatMemoryStore.from_url(url) as store:
    memory = MessageWindowChatMemory(id=memory_id, max_messages=9, store=store)
    memory.clear()
    for word in words:
        memory.add(UserMessage(word))
"""


def test_a_memory_that_begins_anew_elsewhere_is_seen(tmp_path):
    """Nobody is shown a deleted memory because the new one has as many changes."""
    url = f"sqlite:///{tmp_path / 'chat.db'}"
    with SqlChatMemoryStore.from_url(url) as store:
        memory = memory_on(store, 9)
        for message in conversation("U1 U2 U3"):
            memory.add(message)
        assert "U1 U2 U3" == shown(memory.messages())
        command = [sys.executable, "-c", ANOTHER_LIFE, url, MEMORY_ID]
        subprocess.run([*command, "U4", "U5", "U6"], check=True)
        assert "U4 U5 U6" == shown(memory.messages())
        subprocess.run([*command, "U7", "U8", "U9"], check=True)
        memory.add(*conversation("U10"))
        assert "U7 U8 U9 U10" == shown(memory.messages())
