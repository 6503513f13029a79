"""The command as it is typed: options, errors, exit status."""

import json

from pathlib import Path

import pytest

from typer.testing import CliRunner

from chatmemory.cli.app import app
from chatmemory.clients.openai import to_openai
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation


SAMPLE = Path(__file__).parents[1] / "data" / "sample.jsonl"
TEN = ("--max-messages", "10")


def run(*arguments, **options):
    return CliRunner().invoke(app, ["replay", *map(str, arguments)], **options)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes conversations as records, one by one."""

    def write(*texts):
        path = tmp_path / "chats.jsonl"
        records = [{"messages": to_openai(conversation(text))} for text in texts]
        path.write_text("\n".join(map(json.dumps, records)), "utf-8")
        return path

    return write


def test_readme_command_shows_the_sample():
    """What the README has one type shows each conversation, and ends well."""
    result = run(SAMPLE, *TEN)

    assert (0, "") == (result.exit_code, result.stderr)
    assert "tau-airline-3-0" in result.stdout
    assert "Window: 10 messages, eviction turns, overflow keep" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_json_is_all_that_is_printed():
    """With --json the output is one JSON object, the same each time."""
    first, second = run(SAMPLE, *TEN, "--json"), run(SAMPLE, *TEN, "--json")

    assert (0, "") == (first.exit_code, first.stderr)
    assert first.stdout == second.stdout
    assert 15 == json.loads(first.stdout)["totals"]["conversations"]


def test_options_reach_the_window(write):
    """What was asked for is what is reported."""
    path = write("U")
    options = "--max-tokens 900 --model gpt-4 --evict-to 500 --overflow raise --json"

    assert {
        "measure": "tokens",
        "limit": 900,
        "model": "gpt-4",
        "eviction": "turns",
        "evict_to": 500,
        "overflow": "raise",
        "store": "memory",
    } == json.loads(run(path, *options.split()).stdout)["window"]


@pytest.mark.parametrize(
    "model", ["gpt-5-mini", "GPT-4o", "o3", "chatgpt-4o-latest", "openai/gpt-4.1"]
)
def test_models_of_openai_are_known(model, write):
    """A model is known by the beginning of its name, whoever serves it."""
    assert 0 == run(write("U"), *TEN, "--model", model).exit_code


def test_sliding_window_has_no_overflow(write):
    """LangChain4j's rule never raises, so it is not told to keep anything."""
    result = run(write("U"), *TEN, "--eviction", "sliding", "--json")

    assert None is json.loads(result.stdout)["window"]["overflow"]


def test_files_add_up(write):
    """Several files are one replay."""
    path = write("U1 A1", "U2")

    totals = json.loads(run(path, path, *TEN, "--json").stdout)["totals"]

    assert (4, 6) == (totals["conversations"], totals["messages"])


def test_invalid_request_ends_with_status_1(write):
    """A window that empties a request in a tool loop is found out."""
    path = write("U A[c1,c2] T:c1 T:c2 A")

    result = run(path, "--max-messages", 2, "--eviction", "sliding")

    assert (1, "") == (result.exit_code, result.stderr)
    assert "1: request 2: messages: is empty" in result.stdout.splitlines()


def test_recording_that_breaks_a_rule_ends_with_status_1(write):
    """What was recorded may be what a provider refuses."""
    result = run(write("U A[c1:a.b] T:c1:a.b A"), *TEN, "--json")

    assert 1 == result.exit_code
    assert 1 == json.loads(result.stdout)["totals"]["invalid"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "either --max-messages N or --max-tokens N"),
        ("--max-messages 3 --max-tokens 3", "either --max-messages N or --max-tokens"),
        (
            "--max-messages 0",
            "max_messages must be a whole number greater than zero: 0",
        ),
        ("--max-tokens -5", "max_tokens must be a whole number greater than zero: -5"),
        ("--max-messages many", "Invalid value for '--max-messages'"),
        ("--max-messages", "'--max-messages' requires an argument"),
        ("--max-messages 3 --evict-to 0", "evict_to must be a whole number greater"),
        ("--max-messages 3 --eviction best", 'must be "turns" or "sliding": \'best\''),
        ("--max-messages 3 --overflow drop", 'must be "keep" or "raise": \'drop\''),
        (
            "--max-messages 3 --eviction sliding --overflow keep",
            'overflow has no meaning with eviction="sliding"',
        ),
        ("--max-messages 3 --model claude-1", "--model 'claude-1' is not known as one"),
        ("--max-messages 3 --store pg", "--store 'pg' is no store: use memory, sqlite"),
        ("--max-messages 3 --store sqlite:///", "--store 'sqlite:///' is no store"),
        (
            "--max-messages 3 --store sqlite:///missing/new.db",
            "the store 'missing/new.db' failed: unable to open database file",
        ),
        ("--max-messages 3 --store sqlite:///chats.jsonl", "exists: name a new file"),
        ("--max-messages 3 --best", "No such option: --best"),
        ("--max-messages 3 missing.jsonl", "'missing.jsonl' can't be read: No such"),
        ("--max-messages 3 .", "'.' can't be read: Is a directory"),
    ],
)
def test_bad_option_or_file_is_one_line_and_status_2(
    options, expected, write, monkeypatch
):
    """What can't be done is said in one line on stderr, and nothing else is printed."""
    path = write("U A")
    monkeypatch.chdir(path.parent)

    result = run(path, *options.split())

    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith("Error: ")
    assert 1 == result.stderr.count("\n")
    assert expected in result.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [("hello", "is no JSON"), ('{"a": 1}', "messages of type NoneType"), ("", "empty")],
)
def test_bad_content_is_one_line_and_status_2(text, expected, tmp_path):
    """A file that holds no conversations ends the command."""
    path = tmp_path / "chats.jsonl"
    path.write_text(text, "utf-8")

    result = run(path, *TEN)

    assert (2, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))
    assert expected in result.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "Missing command."),
        (["replay", *TEN], "Missing argument 'FILES"),
        (["play"], "No such command 'play'."),
    ],
)
def test_bad_command_is_one_line_and_status_2(arguments, expected):
    """So does a command that is incomplete or does not exist."""
    result = CliRunner().invoke(app, arguments)

    assert (2, "") == (result.exit_code, result.stdout)
    assert expected.casefold() in result.stderr.casefold()
    assert 1 == result.stderr.count("\n")


@pytest.mark.parametrize("arguments", [["--help"], ["replay", "--help"]])
def test_help_ends_with_status_0(arguments):
    """Help is no error."""
    result = CliRunner().invoke(app, arguments)

    assert (0, "") == (result.exit_code, result.stderr)
    assert "replay" in result.stdout


def test_temporary_database_is_gone_afterwards(write, tmp_path, monkeypatch):
    """A replay on SQLite leaves no file behind."""
    path = write("U A")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    assert 0 == run(path, *TEN, "--store", "sqlite").exit_code
    assert [path] == list(tmp_path.iterdir())


def test_named_database_stays(write, tmp_path):
    """In the file of a URL each conversation is a memory, to look at."""
    url = f"sqlite:///{tmp_path}/new.db"

    assert 0 == run(write("U1 A1", "U2 A2 U3"), *TEN, "--store", url).exit_code
    with SqlChatMemoryStore.from_url(url) as store:
        assert conversation("U1 A1") == store.get_messages("replay-1")
        assert conversation("U2 A2 U3") == store.get_messages("replay-2")
