"""One recorded conversation through a memory: where a model is called, what is counted."""

import attrs
import pytest

from chatmemory import InMemoryChatMemoryStore
from chatmemory.cli.recordings import Recording
from chatmemory.cli.replay import Replay
from chatmemory.cli.settings import Settings
from chatmemory.cli.tally import Tally, total
from notation import conversation
from ten_tokens import TenTokens


class TenTokensAndOne(TenTokens):
    """Counts ten tokens for each message, and one more for a request."""

    def count_messages(self, messages):
        return 1 + super().count_messages(messages)


def replayed(text, *, limit=100, measure="messages", **options):
    recording = Recording("chats.jsonl", "a", conversation(text))
    settings = Settings(measure=measure, limit=limit, **options)
    store = InMemoryChatMemoryStore()
    return Replay(recording, settings, store, TenTokensAndOne(), "a").run()


def counted(*names):
    """Return a function that replays and returns these counts."""

    def counts(text, **options):
        tally = replayed(text, **options).tally
        return tuple(getattr(tally, name) for name in names)

    return counts


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("", []),
        ("S", []),
        ("U", [1]),
        ("U S", [2]),
        ("U A", [1]),
        ("U A S", [1]),
        ("U1 A1 U2 A2", [1, 3]),
        ("U1 U2 A", [2]),
        ("U A1 A2", [1, 2]),
        ("A", []),
        ("A U", [2]),
        ("S A U A", [1, 3]),
        ("U A[c1] T:c1 A", [1, 3]),
        ("U A[c1] T:c1", [1, 3]),
        ("U A[c1]", [1]),
        ("U A[c1,c2] T:c1", [1]),
        ("U A[c1,c2] T:c1 T:c2", [1, 4]),
        ("U1 A[c1] U2 A2", [1, 4]),
    ],
)
def test_model_is_called_before_each_reply_and_at_the_end(text, lengths):
    """A request is made before each reply, and after the last question or result."""
    expected = len(lengths), sum(1 + 10 * length for length in lengths), 0

    assert expected == counted("requests", "tokens_sent", "withheld")(text)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("U1 A1 U2 A2", {}, (4, 0, 4, 0, 0)),
        ("U1 A1 U2 A2", {"limit": 3}, (4, 2, 2, 0, 0)),
        ("S U1 A1 U2 A2", {"limit": 3}, (5, 2, 3, 0, 0)),
        ("S1 U S2 A", {}, (4, 0, 3, 1, 0)),
        ("S U S A", {}, (4, 0, 3, 1, 0)),
        ("U A[c1] T:c1 T:c1 A", {}, (5, 0, 4, 1, 0)),
        ("T:c1 U A", {}, (3, 0, 2, 0, 1)),
        ("U A[c1,c1] A", {}, (3, 0, 2, 0, 1)),
        ("U U", {"limit": 1, "eviction": "sliding"}, (2, 1, 1, 0, 0)),
        ("S1 U1 A1 S2 U2", {"limit": 2}, (5, 2, 2, 1, 0)),
        ("U A[c1] T:c1", {"limit": 2, "overflow": "raise"}, (3, 0, 2, 0, 1)),
        ("A1[c1] U A2 T:c1 A3", {"limit": 3}, (5, 1, 3, 0, 1)),
    ],
)
def test_each_message_is_counted_once(text, options, expected):
    """Of all messages some are evicted, kept, replaced, or refused, and none is two."""
    counts = counted("messages", "evicted", "kept", "replaced", "refused")
    messages, *parts = counts(text, **options)

    assert expected == (messages, *parts)
    assert messages == sum(parts)


@pytest.mark.parametrize(
    ("text", "options", "requests", "withheld"),
    [
        ("U A[c1,c2] T:c1 A", {}, 1, 1),
        ("T:c1 A U A", {}, 1, 1),
        ("U T:c1", {}, 0, 1),
        ("T:c1 S A", {}, 1, 0),
        ("U A[c1] T:c1 A", {"limit": 2, "overflow": "raise"}, 1, 1),
        ("S U A", {"limit": 1, "overflow": "raise"}, 0, 1),
    ],
)
def test_request_is_withheld_that_could_not_be_made(text, options, requests, withheld):
    """After a refused message, and while a call is open, no model is called."""
    assert (requests, withheld) == counted("requests", "withheld")(text, **options)


def test_tokens_are_compared_with_the_whole_history():
    """The same requests are counted with the window and with all that was said."""
    tally = replayed("S U1 A1 U2 A2 U3", limit=2).tally

    assert 21 + 21 + 21 == tally.tokens_sent
    assert 21 + 41 + 61 == tally.tokens_without_window
    assert 1 - 63 / 123 == pytest.approx(tally.saved)


def test_whole_history_has_what_the_window_made_the_memory_refuse():
    """What is refused because of the window would be sent without it."""
    text = "U1 A[c1,c2,c3] T:c1 T:c2 T:c3 U2 A2"
    tally = replayed(text, limit=2, eviction="sliding").tally

    assert (1, 11 + 61) == (tally.refused, tally.tokens_without_window)


def test_without_requests_nothing_is_saved():
    """Nothing of nothing is nothing."""
    assert 0 == replayed("S").tally.saved


@pytest.mark.parametrize(
    ("measure", "limit", "expected"),
    [("messages", 2, 1), ("messages", 3, 0), ("tokens", 30, 1), ("tokens", 31, 0)],
)
def test_requests_over_the_limit_are_counted_and_measured(measure, limit, expected):
    """What has to stay is sent although it exceeds the limit of messages or tokens."""
    tally = replayed(
        "U A[c1] T:c1 A", measure=measure, limit=limit, overflow="keep"
    ).tally

    assert (2, expected, 0) == (tally.requests, tally.over_limit, tally.invalid)
    assert (3, 31) == (tally.largest_request_messages, tally.largest_request_tokens)


@pytest.mark.parametrize(
    ("measure", "limit", "low"), [("messages", 4, 1), ("tokens", 41, 11)]
)
def test_options_reach_the_memory(measure, limit, low):
    """Both windows are made with the eviction, low mark and overflow that was asked for."""

    def kept(text, **options):
        return replayed(text, measure=measure, limit=limit, **options).tally.kept

    assert 3 == kept("U1 A1 U2 A2 U3")
    assert 1 == kept("U1 A1 U2 A2 U3", evict_to=low)
    assert 4 == kept("U1 A1 U2 A2 U3", eviction="sliding")
    assert 5 == kept("U A[c1,c2,c3] T:c1 T:c2 T:c3", overflow="keep")
    assert 4 == kept("U A[c1,c2,c3] T:c1 T:c2 T:c3", overflow="raise")


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (
            "U A[c1:a.b] T:c1:a.b A",
            {},
            "request 2: messages[1].tool_calls[0].function.name: does not match",
        ),
        ("C U A", {}, "request 1: OpenAI Chat can't take CustomMessage"),
        (
            "U A[c1] T:c1 A",
            {"limit": 1, "eviction": "sliding"},
            "request 2: messages: is empty",
        ),
    ],
)
def test_invalid_requests_are_counted_and_explained(text, options, expected):
    """What a provider would refuse, or has no form, is counted once and says why."""
    outcome = replayed(text, **options)
    [problem] = outcome.problems

    assert 1 == outcome.tally.invalid
    assert problem.startswith(expected)


@pytest.mark.parametrize(
    ("text", "without_user", "system_only"),
    [
        ("U", 0, 0),
        ("S U A", 0, 0),
        ("A[c1] T:c1 A", 1, 0),
        ("S A", 1, 0),
        ("S", 0, 1),
        ("S1 S2", 0, 1),
    ],
)
def test_recordings_without_a_user_are_counted(text, without_user, system_only):
    """One without a user message is replayed and counted; so is one of the system's."""
    counts = counted("without_user_message", "system_messages_only")

    assert (without_user, system_only) == counts(text)


def test_tallies_add_up():
    """A total has the sum of each count, and the largest of the largest requests."""
    tallies = [replayed("U1 A1 U2 A2").tally, replayed("U1").tally]
    expected = {
        field.name: sum(getattr(tally, field.name) for tally in tallies)
        for field in attrs.fields(Tally)
    }
    expected |= {"largest_request_messages": 3, "largest_request_tokens": 31}

    assert expected == attrs.asdict(total(tallies))
    assert Tally() == total([])
