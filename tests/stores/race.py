"""
Many writers on one memory, and a reader that looks on.

`python tests/stores/race.py sqlite:////tmp/race.db --processes 8 --threads 8 --batches 50`
prints what was lost, doubled and torn, and how fast it went; it fails if anything was.
"""

import argparse
import itertools
import multiprocessing
import sys
import threading
import time
import uuid

from collections import Counter

import attrs

from chatmemory import (
    AiMessage,
    MessageWindowChatMemory,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory.conversation import exchanges, is_valid
from chatmemory_stores.sql import SqlChatMemoryStore


MEMORY_ID = "raced for"
WINDOW = 20
PAGE = 1_000


@attrs.frozen
class Race:
    """One run: which tables, and how many write how much."""

    url: str
    processes: int
    threads: int
    batches: int
    table: str = attrs.field(factory=lambda: f"race_{uuid.uuid4().hex[:8]}")

    def store(self):
        """Open the store; every process has one of its own."""
        return SqlChatMemoryStore.from_url(
            self.url,
            keep_history=True,
            memory_table=self.table,
            message_table=f"{self.table}_message",
        )

    def memory(self, store):
        """Return a memory object on the one id."""
        return MessageWindowChatMemory(id=MEMORY_ID, max_messages=WINDOW, store=store)


@attrs.frozen
class Outcome:
    """What came of a race; `broken` are views that could not have been sent."""

    lost: int
    doubled: int
    torn: int
    out_of_order: int
    broken: int
    read: int
    seconds: float

    def faults(self):
        """Add up all that should be zero."""
        return self.lost + self.doubled + self.torn + self.out_of_order + self.broken


def batch(writer, number):
    """Return one exchange of two to five messages, each saying whose it is."""
    label = f"{writer}/{number}"
    messages = [UserMessage(f"{label}/0")]
    if number % 3:
        calls = [
            ToolExecutionRequest(id=f"{label}/{n}", name="look", arguments="{}")
            for n in range(number % 3)
        ]
        messages.append(AiMessage(f"{label}/1", tool_execution_requests=calls))
        messages += [
            ToolExecutionResultMessage.of(call, f"{label}/{n}")
            for n, call in enumerate(calls, start=2)
        ]
    messages.append(AiMessage(f"{label}/{len(messages)}"))
    return messages


def write(race, process):
    """Add all batches of one process, from its threads."""

    def work(store, writer):
        memory = race.memory(store)
        for number in range(race.batches):
            memory.add(*batch(writer, number))

    with race.store() as store:
        threads = [
            threading.Thread(target=work, args=(store, f"{process}.{thread}"))
            for thread in range(race.threads)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def said(store):
    """Return the texts of the whole history, page by page."""
    texts, before = [], None
    while page := store.history(MEMORY_ID, before=before, limit=PAGE):
        texts[:0] = [entry.message.text for entry in page]
        before = page[0].position
    return texts


def is_whole(view):
    """Tell whether a view can be sent and holds no part of a batch."""
    return is_valid(view) and all(
        [m.text for m in exchange]
        == [m.text for m in batch(*named(exchange[0].text)[:2])]
        for exchange in exchanges(view)
    )


def named(text):
    """Take apart what a message says of itself."""
    writer, number, index = text.split("/")
    return writer, int(number), int(index)


def run(race):
    """Let all write at once, read meanwhile, and count what went wrong."""
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=write, args=(race, n)) for n in range(race.processes)
    ]
    broken = read = 0
    with race.store() as store:
        start = time.perf_counter()
        for writer in writers:
            writer.start()
        memory = race.memory(store)
        while any(writer.is_alive() for writer in writers):
            broken += not is_whole(memory.messages())
            read += 1
        for writer in writers:
            writer.join()
        seconds = time.perf_counter() - start
        outcome = judged(race, said(store), broken, read, seconds)
        with store._engine.begin() as connection:
            store.metadata.drop_all(connection)
    return outcome


def judged(race, texts, broken, read, seconds):
    """Compare a history with what was to be said."""
    writers = itertools.product(range(race.processes), range(race.threads))
    batches = [
        [m.text for m in batch(f"{p}.{t}", number)]
        for p, t in writers
        for number in range(race.batches)
    ]
    counts = Counter(texts)
    place = {text: index for index, text in enumerate(texts)}
    wanted = list(itertools.chain.from_iterable(batches))
    order = [place.get(one[0], -1) for one in batches]
    return Outcome(
        lost=sum(text not in counts for text in wanted),
        doubled=sum(count - 1 for count in counts.values()),
        torn=sum(
            [place.get(text, -1) - place.get(one[0], -1) for text in one]
            != list(range(len(one)))
            for one in batches
        ),
        out_of_order=sum(
            order[n] < order[n - 1] for n in range(1, len(order)) if n % race.batches
        ),
        broken=broken,
        read=read,
        seconds=seconds,
    )


def main():
    """Run one race from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    for option in ("processes", "threads", "batches"):
        parser.add_argument(f"--{option}", type=int, required=True)
    race = Race(**vars(parser.parse_args()))
    outcome = run(race)
    rate = race.processes * race.threads * race.batches / outcome.seconds
    print(f"{outcome}\n{rate:.0f} batches a second")  # noqa: T201 - it is a command
    sys.exit(outcome.faults() > 0)


if __name__ == "__main__":
    main()
