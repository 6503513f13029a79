"""
What a long history and many memories cost: they should cost nothing.

`python tests/stores/growth.py postgresql://postgres@127.0.0.1/test` prints what `add` and
`messages()` take with little and with much in the tables, and the ratio of the two.
"""

import argparse
import random
import statistics
import time

from contextlib import ExitStack, contextmanager

import attrs

from filled import SHOWN, filled

from chatmemory import AiMessage, MessageWindowChatMemory, UserMessage
from chatmemory_stores.sql import SqlChatMemoryStore


# A memory of many has no history: its rows are what it shows.
FEW = SHOWN


@attrs.frozen
class Growth:
    """Medians in seconds, with *little* and *much* of something in the tables."""

    grown: str
    operation: str
    cache: str
    little: float
    much: float

    @property
    def ratio(self):
        """How much slower it is with much."""
        return self.much / self.little

    def __str__(self):
        little, much = self.little * 1_000, self.much * 1_000
        return (
            f"{self.grown:<8} {self.operation:<8} {self.cache:<6} "
            f"{little:8.3f} ms {much:8.3f} ms  x {self.ratio:.2f}"
        )


@attrs.frozen
class Tables:
    """Filled tables, and stores on them: a warm one, and one without a cache."""

    stores: dict[str, SqlChatMemoryStore]
    memories: int

    def memory(self, cache, number):
        """Return one of the memories; of the warm store always the same."""
        if cache == "warm":
            number = 0
        return MessageWindowChatMemory(
            id=f"user{number % self.memories}",
            max_messages=SHOWN,
            store=self.stores[cache],
        )


@contextmanager
def tables(url, memories, rows):
    """Fill tables with so many memories of so many rows each."""
    with filled(url, user=(memories, rows)) as store:
        schema = store._operations.schema
        cold = SqlChatMemoryStore(
            store._engine,
            keep_history=True,
            memory_table=schema.memories.name,
            message_table=schema.messages.name,
            cache_bytes=0,
        )
        yield Tables({"warm": store, "cold": cold}, memories)


def add(memory):
    """Add what is said in one turn."""
    memory.add(UserMessage("Is it far?"), AiMessage("No."))


OPERATIONS = {"add": add, "messages": MessageWindowChatMemory.messages}


def run(url, history, memories, rounds):
    """
    Measure with little and much history, and with few and many memories.

    Both are pairs of numbers: how many rows one memory has, and how many memories
    there are.
    """
    few, many = memories
    yield from grown(url, "history", [(1, rows) for rows in history], rounds)
    yield from grown(url, "memories", [(few, FEW), (many, FEW)], rounds)


def grown(url, name, shapes, rounds):
    """Fill tables of both shapes; measure each operation in turns, warm and cold."""
    with ExitStack() as stack:
        both = [stack.enter_context(tables(url, *shape)) for shape in shapes]
        for operation, act in OPERATIONS.items():
            for cache in ("warm", "cold"):
                little, much = medians(both, act, cache, rounds)
                yield Growth(name, operation, cache, little, much)


def medians(both, act, cache, rounds):
    """Time an operation on both tables, round by round, the first round uncounted."""
    numbers = random.Random(0)
    times = [], []
    for turn in range(rounds + 1):
        number = numbers.randrange(2**32)
        for which in random.Random(turn).sample((0, 1), 2):
            memory = both[which].memory(cache, number)
            start = time.perf_counter()
            act(memory)
            times[which].append(time.perf_counter() - start)
    return [statistics.median(some[1:]) for some in times]


def main():
    """Measure from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--history", type=int, nargs=2, default=(100, 100_000))
    parser.add_argument("--memories", type=int, nargs=2, default=(10, 100_000))
    parser.add_argument("--rounds", type=int, default=300)
    for growth in run(**vars(parser.parse_args())):
        print(growth)  # noqa: T201 - it is a command


if __name__ == "__main__":
    main()
