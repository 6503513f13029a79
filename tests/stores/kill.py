"""
A writer that is killed again and again, at any point of an `add`.

`python tests/stores/kill.py postgresql://postgres@127.0.0.1/test --kills 200` prints how
many kills hit an `add`, and what became of it; it fails if that proves nothing.
"""

import argparse
import multiprocessing
import os
import random
import signal
import sys
import time
import uuid

import attrs

from chatmemory import (
    AiMessage,
    MessageWindowChatMemory,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory_stores.sql import SqlChatMemoryStore


MEMORY_ID = "killed"
LARGE = 10_000_000
# The kill comes during this add of a writer, or soon after it.
LAST_ADD = 3
LATEST = 1.5  # times what the add before took


@attrs.frozen
class Outcome:
    """
    What came of the kills; `torn` is what must never be.

    `slowest` is the longest that the next add took, in seconds.
    """

    before: int
    after: int
    outside: int
    torn: int
    slowest: float

    def is_proof(self):
        """Tell whether most kills hit an add, at both sides of its commit, in vain."""
        inside = self.before + self.after
        return not self.torn and 0 < self.before < inside >= self.outside


def opened(url, table):
    """Open the store; every process has one of its own."""
    return SqlChatMemoryStore.from_url(
        url, memory_table=table, message_table=f"{table}_message"
    )


def batch(number):
    """Return an exchange of four messages that say which it is."""
    call = ToolExecutionRequest(id=f"c{number}", name="look", arguments="{}")
    return [
        UserMessage(f"{number}"),
        AiMessage(f"{number}", tool_execution_requests=[call]),
        ToolExecutionResultMessage.of(call, f"{number}"),
        AiMessage(f"{number}"),
    ]


def write(url, table, first, told):
    """Add batches for ever, telling when one begins and when it is done."""
    memory = MessageWindowChatMemory(
        id=MEMORY_ID, max_messages=LARGE, store=opened(url, table)
    )
    number = first
    while True:
        told.send(("begins", number, 0.0))
        start = time.perf_counter()
        memory.add(*batch(number))
        told.send(("is done", number, time.perf_counter() - start))
        number += 1


def killed_once(url, table, first, moment):
    """
    Start a writer and kill it around an add; return what it said last.

    *moment* is when, in the time that the add before took.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["chatmemory_stores.sql"])
    heard, told = context.Pipe(duplex=False)
    writer = context.Process(target=write, args=(url, table, first, told))
    writer.start()
    told.close()
    taken = _wait_for_add(heard, first + LAST_ADD)
    kill_at = time.perf_counter() + moment * taken
    while time.perf_counter() < kill_at:
        pass  # sleeping and polling are no finer than what they would wait for
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    last = "begins", first + LAST_ADD
    try:
        while True:
            *last, _taken = heard.recv()
    except (EOFError, OSError):
        heard.close()
        return last


def _wait_for_add(heard, number):
    """Wait until an add begins; return what the one before took, in seconds."""
    taken = 0.0
    while True:
        said, of, seconds = heard.recv()
        if (said, of) == ("begins", number):
            return taken
        taken = seconds


def run(url, kills, seed=0):
    """Kill writers, and look each time at what is left with a store of our own."""
    table = f"kill_{uuid.uuid4().hex[:8]}"
    moments = random.Random(seed)
    slowest = 0.0
    counts = dict.fromkeys(("before", "after", "outside", "torn"), 0)
    with opened(url, table) as store:
        memory = MessageWindowChatMemory(id=MEMORY_ID, max_messages=LARGE, store=store)
        number = 0
        for _ in range(kills):
            said, last = killed_once(url, table, number, moments.uniform(0, LATEST))
            found = memory.messages()
            counts[judged(found, said, last)] += 1
            # The next writer goes on at once.
            number = len(found) // 4
            start = time.perf_counter()
            memory.add(*batch(number))
            slowest = max(slowest, time.perf_counter() - start)
            number += 1
        with store._engine.begin() as connection:
            store.metadata.drop_all(connection)
    return Outcome(**counts, slowest=slowest)


def judged(found, said, last):
    """Tell whether the add that the writer spoke of last is wholly there or not."""
    whole = [message for n in range(len(found) // 4) for message in batch(n)]
    if found != whole or len(found) // 4 not in (last, last + 1):
        return "torn"
    if said == "is done":
        return "outside" if len(found) // 4 == last + 1 else "torn"
    return "after" if len(found) // 4 == last + 1 else "before"


def main():
    """Kill from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--kills", type=int, required=True)
    outcome = run(**vars(parser.parse_args()))
    print(outcome)  # noqa: T201 - it is a command
    sys.exit(not outcome.is_proof())


if __name__ == "__main__":
    main()
