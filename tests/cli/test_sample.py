"""The bundled conversations, through windows of many sizes."""

import contextlib
import itertools
import json

from functools import cache
from pathlib import Path

import pytest

from typer.testing import CliRunner

from chatmemory import (
    InMemoryChatMemoryStore,
    MessageWindowChatMemory,
    SystemMessage,
    TokenWindowChatMemory,
    UserMessage,
    Utf8TokenCountEstimator,
)
from chatmemory.cli.app import app
from chatmemory.cli.recordings import read_recordings
from chatmemory.cli.replay import problems_of
from chatmemory.conversation import unanswered, units
from chatmemory_stores.sql import SqlChatMemoryStore
from turns_oracle import turns


SAMPLE = Path(__file__).parents[1] / "data" / "sample.jsonl"
WINDOWS = [
    *(("messages", limit) for limit in (3, 5, 10, 20, 50)),
    *(("tokens", limit) for limit in (600, 2_000, 8_000)),
]
ESTIMATOR = Utf8TokenCountEstimator()
COST = {"messages": len, "tokens": ESTIMATOR.count_messages}

windows = pytest.mark.parametrize(("measure", "limit"), WINDOWS)
marks = pytest.mark.parametrize("low", [False, True], ids=["limit", "low mark"])


def mark_of(limit):
    return limit * 3 // 5


@cache
def recorded():
    return read_recordings([SAMPLE]).conversations


@contextlib.contextmanager
def memory_store():
    yield InMemoryChatMemoryStore()


def sqlite_store():
    return SqlChatMemoryStore.from_url("sqlite://")


def memory_of(measure, limit, *, evict_to, id, store):
    options = {"evict_to": evict_to, "overflow": "keep", "id": id, "store": store}
    if measure == "messages":
        return MessageWindowChatMemory(max_messages=limit, **options)
    return TokenWindowChatMemory(max_tokens=limit, estimator=ESTIMATOR, **options)


def and_then(state, message):
    """Return a state and a new message: another system message takes the first's place."""
    if isinstance(message, SystemMessage):
        state = [m for m in state if not isinstance(m, SystemMessage)]
    return [*state, message]


def test_sample_is_worth_replaying():
    """It has ten conversations with calls, two languages, and a source and licence each."""
    records = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    with_calls = [r for r in records if any(m["role"] == "tool" for m in r["messages"])]

    assert len(with_calls) >= 10
    assert {"en", "zh"} == {record["language"] for record in with_calls}
    assert all(record["source"] and record["license"] for record in records)
    assert SAMPLE.stat().st_size < 300_000


@windows
@marks
def test_replay_of_the_sample_has_no_invalid_request(measure, limit, low):
    """Whatever the window and the mark, each request is made and none is invalid."""
    mark = ["--evict-to", str(mark_of(limit))] if low else []
    totals = totals_of(f"--max-{measure}", str(limit), *mark)

    assert 192 == totals["requests"]
    assert (0, 0, 0) == (totals["invalid"], totals["refused"], totals["withheld"])


def test_replay_on_sqlite_is_the_same():
    """What is kept in a database is what is kept in this process."""
    window = ["--max-messages", "10"]

    assert totals_of(*window) == totals_of(*window, "--store", "sqlite")


def totals_of(*options):
    result = CliRunner().invoke(app, ["replay", str(SAMPLE), *options, "--json"])
    assert (0, "") == (result.exit_code, result.stderr)
    return json.loads(result.stdout)["totals"]


@windows
@pytest.mark.parametrize(
    ("open_store", "low"),
    [(memory_store, False), (memory_store, True), (sqlite_store, True)],
)
def test_every_view_is_valid_and_that_of_the_oracle(measure, limit, open_store, low):
    """After each message the view is what the rules say, and a valid request."""
    mark = mark_of(limit) if low else limit
    with open_store() as store:
        for recording in recorded():
            memory = memory_of(
                measure, limit, evict_to=mark, id=recording.id, store=store
            )
            expected = []
            for message in recording.messages:
                memory.add(message)
                view = memory.messages()
                expected = turns(
                    and_then(expected, message),
                    cost=COST[measure],
                    limit=limit,
                    mark=mark,
                )

                assert expected == view
                assert unanswered(view) or not problems_of(view)


@windows
@marks
def test_nothing_is_evicted_while_all_fits(measure, limit, low):
    """As long as what was kept and what was added fit the limit, all of it stays."""
    evict_to = mark_of(limit) if low else None
    for before, message, after in steps(measure, limit, evict_to):
        whole = and_then(before, message)
        if COST[measure](whole) <= limit:
            assert whole == after


@windows
def test_no_more_is_evicted_than_necessary(measure, limit):
    """Put back what was evicted last, an exchange or a unit, and the limit is exceeded."""
    for before, message, after in steps(measure, limit, None):
        whole = and_then(before, message)
        kept = {id(m) for m in after}
        last = last_evicted(whole, kept) if len(after) < len(whole) else None
        if last is not None:
            put_back = [m for m in whole if id(m) in kept | last]

            assert COST[measure](put_back) > limit


def steps(measure, limit, mark):
    """Yield for each message of the sample the view before, the message, the view after."""
    for recording in recorded():
        memory = memory_of(
            measure,
            limit,
            evict_to=mark,
            id=recording.id,
            store=InMemoryChatMemoryStore(),
        )
        for message in recording.messages:
            before = memory.messages()
            memory.add(message)
            yield before, message, memory.messages()


def last_evicted(whole, kept):
    """Return the ids of the newest evicted unit of the last exchange, else exchange."""
    exchanges = []
    for unit in units(whole):
        if not exchanges or isinstance(unit[0], UserMessage):
            exchanges.append([])
        exchanges[-1].append(unit)
    *older, live = exchanges
    gone_in_live = [unit for unit in live if id(unit[0]) not in kept]
    if gone_in_live:
        return {id(m) for m in gone_in_live[-1]}
    gone = [exchange for exchange in older if id(exchange[0][0]) not in kept]
    return {id(m) for m in itertools.chain(*gone[-1])}
