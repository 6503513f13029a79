"""What is shown of a replay."""

import io
import json

import pytest

from rich.console import Console

from chatmemory.cli.recordings import Recording
from chatmemory.cli.replay import Outcome
from chatmemory.cli.report import SHOWN_PROBLEMS, Report
from chatmemory.cli.settings import Settings
from chatmemory.cli.tally import Tally


USUAL = Tally(
    conversations=1,
    messages=2_345,
    requests=1_171,
    evicted=2_335,
    kept=10,
    tokens_sent=123_456,
    tokens_without_window=987_654,
    largest_request_messages=12,
    largest_request_tokens=3_210,
    over_limit=4,
)
COUNTS = [
    "conversations",
    "without_user_message",
    "system_messages_only",
    "messages",
    "requests",
    "evicted",
    "kept",
    "replaced",
    "refused",
    "withheld",
    "tokens_sent",
    "tokens_without_window",
    "largest_request_messages",
    "largest_request_tokens",
    "over_limit",
    "invalid",
]


def outcome(id="a", tally=USUAL, problems=()):
    return Outcome(Recording("chats.jsonl", id, []), tally, list(problems))


def report(*outcomes, skipped=(), measure="messages", **options):
    settings = Settings(measure=measure, limit=10, **options)
    return Report(settings, outcomes, dict(skipped))


def printed(shown, width=80):
    file = io.StringIO()
    shown.print(Console(file=file, width=width, highlight=False))
    return file.getvalue()


def row(text, first):
    """Return the words of the line that begins with *first*."""
    return next(line.split() for line in text.splitlines() if line.startswith(first))


def test_each_conversation_has_a_row():
    """A row has the counts under their headers, in thousands that one can read."""
    text = printed(report(outcome("one"), outcome("two")))

    expected = ["2,345", "1,171", "2,335", "10", "123,456", "88%", "12", "4", "0"]
    headers = [
        "msgs",
        "reqs",
        "evicted",
        "kept",
        "sent",
        "saved",
        "largest",
        "over",
        "invalid",
    ]
    assert ["conversation", *headers] == row(text, "conversation")
    assert [["one", *expected], ["two", *expected]] == [
        row(text, "one"),
        row(text, "two"),
    ]


def test_largest_request_is_in_what_the_window_measures():
    """A window of tokens shows the largest request in tokens."""
    assert "3,210" == row(printed(report(outcome("one"), measure="tokens")), "one")[-3]


def test_totals_name_every_count():
    """Each count of a tally stands in the totals, summed up, and so does what is saved."""
    text = printed(report(outcome(), outcome()))
    totals = text[text.index("totals") :]

    assert "4,690" == row(totals, "messages")[-1]
    assert "246,912" == row(totals, "tokens sent")[-1]
    assert "12" == row(totals, "largest request, messages")[-1]
    assert "88%" == row(totals, "saved by the window")[-1]
    assert len(COUNTS) + 1 == len(totals.splitlines()) - 2


def test_window_is_named_first():
    """The output begins with the options it is the answer to."""
    shown = report(outcome(), evict_to=6, overflow="keep", store="sqlite")

    assert (
        "Window: 10 messages, eviction turns, evict-to 6, overflow keep; tokens as "
        "gpt-4o counts them; store sqlite."
    ) == " ".join(printed(shown).split("\n\n")[0].split())


@pytest.mark.parametrize(
    ("name", "header"),
    [("without_user_message", "user"), ("system_messages_only", "only")],
)
def test_odd_recordings_have_a_column_of_their_own(name, header):
    """The column is there only if there is such a recording."""
    odd = outcome("two", Tally(conversations=1, **{name: 1}))

    without = printed(report(outcome("one")))
    text = printed(report(outcome("one"), odd))

    assert header not in row(without, "conversation")
    assert header == row(text, "conversation")[-1]
    assert ("0", "1") == (row(text, "one")[-1], row(text, "two")[-1])


def test_table_fits_80_columns():
    """With all columns, long ids and long numbers no line is cut or longer than 80."""
    odd = Tally(conversations=1, without_user_message=1, system_messages_only=1)
    text = printed(report(outcome("0123456789" * 4), outcome("b", odd)))

    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert "0123456789" * 4 == "".join(
        line.split()[0] for line in text.splitlines() if line[:1].isdecimal()
    )


def test_without_conversations_there_is_no_table_of_them():
    """If all records are skipped, the totals alone are shown, and nothing is saved."""
    text = printed(report(skipped={"anthropic": 3}))

    assert "msgs" not in text
    assert ["saved", "by", "the", "window", "-"] == row(text, "saved")


def test_skipped_formats_are_said_in_one_line():
    """What was skipped is counted by format, in a fixed order."""
    text = printed(report(outcome(), skipped={"gemini": 1, "anthropic": 1_500}))

    expected = "Skipped records of other formats: 1,500 anthropic, 1 gemini."
    assert expected == text.splitlines()[-1]


def test_problems_are_listed():
    """Each problem stands behind the id of its conversation."""
    text = printed(report(outcome("one", problems=["request 2: messages: is empty"])))

    assert "one: request 2: messages: is empty" == text.splitlines()[-1]


def test_many_problems_are_cut_short():
    """After some problems the rest is counted."""
    problems = [f"request {n}: x" for n in range(SHOWN_PROBLEMS + 3)]
    lines = printed(report(outcome(problems=problems))).splitlines()

    assert "a: request 9: x" == lines[-2]
    assert "... and 3 more: see --json" == lines[-1]


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("[red]a", "[red]a"),
        ("\x1b[31ma", "?[31ma"),
        ("a\nb", "a?b"),
        ("\ud800a", "?a"),
    ],
)
def test_ids_are_shown_as_text(id, expected):
    """Markup in an id means nothing; what can't be printed is replaced."""
    shown = report(outcome(id, problems=["p"]))

    assert [expected, f"{expected}:"] == [
        line.split()[0]
        for line in printed(shown).splitlines()
        if line.startswith(expected)
    ]


def test_ids_are_shown_in_the_encoding_of_the_terminal():
    """What the encoding does not have is replaced."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    shown = report(outcome("你好", problems=["p"]), skipped={"你": 1})
    shown.print(Console(file=file, width=80))
    file.flush()
    text = raw.getvalue().decode("ascii")

    assert "??" == row(text, "??")[0].split("|")[0]
    assert text.endswith("formats: 1 ?.\n??: p\n")


def test_json_has_all_of_it():
    """JSON has the window, each conversation, the totals and what was skipped."""
    outcomes = [outcome("one", problems=["p"]), outcome("two")]
    shown = report(*outcomes, skipped={"gemini": 1}, overflow="keep")

    found = json.loads(shown.as_json())

    assert ["window", "conversations", "totals", "skipped"] == list(found)
    assert {
        "measure": "messages",
        "limit": 10,
        "model": "gpt-4o",
        "eviction": "turns",
        "evict_to": None,
        "overflow": "keep",
        "store": "memory",
    } == found["window"]
    assert COUNTS == list(found["totals"])
    assert [["file", "id", *COUNTS, "problems"]] * 2 == [
        list(conversation) for conversation in found["conversations"]
    ]
    assert ("one", ["p"]) == (
        found["conversations"][0]["id"],
        found["conversations"][0]["problems"],
    )
    assert 4_690 == found["totals"]["messages"]
    assert {"gemini": 1} == found["skipped"]


def test_json_is_ascii():
    """Whatever is in an id, any machine can read it."""
    text = report(outcome("你\ud800")).as_json()

    assert text.isascii()
    assert "你\ud800" == json.loads(text)["conversations"][0]["id"]
