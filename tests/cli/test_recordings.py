"""Reading recorded conversations."""

import json

import pytest

from chatmemory.cli.command_error import CommandError
from chatmemory.cli.recordings import read_recordings
from chatmemory.clients.openai import to_openai
from notation import conversation, shown


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file, of text or bytes."""

    def write(content, name="chats.jsonl"):
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        return path

    return write


def record(text, **fields):
    return json.dumps({"messages": to_openai(conversation(text)), **fields})


def test_records_are_read_line_by_line(write):
    """A JSONL file has a conversation a line; empty lines mean nothing."""
    path = write("\n".join([record("U1 A1", id="a"), "", record("S U", id="b"), ""]))

    found = read_recordings([path]).conversations

    assert [("a", "U1 A1"), ("b", "S U")] == [(r.id, shown(r.messages)) for r in found]
    assert {str(path)} == {r.file for r in found}


def test_array_is_one_conversation(write):
    """A JSON array of messages is a conversation that is called like its file."""
    text = json.dumps(to_openai(conversation("U A[c1] T:c1")), indent=2)

    [found] = read_recordings([write(text, "monday.json")]).conversations

    assert ("monday", "U A[c1] T:c1") == (found.id, shown(found.messages))


def test_record_without_id_is_called_like_its_line(write):
    """A record need not have an id; lines are counted from 1, and empty ones count."""
    path = write(f"\n{record('U')}\n{record('U', id=7)}\n")

    assert ["2", "7"] == [r.id for r in read_recordings([path]).conversations]


def test_files_are_read_in_order(write):
    """Several files are read one after the other, and one may be there twice."""
    paths = [write(record("U", id=name), f"{name}.jsonl") for name in ("b", "a")]

    found = read_recordings([*paths, paths[0]]).conversations

    assert ["b", "a", "b"] == [recording.id for recording in found]


def test_other_formats_are_counted_and_skipped(write):
    """Records of another format are not looked at, but for their number."""
    lines = [
        '{"format": "anthropic", "messages": [{"role": "alien"}]}',
        record("U", id="a", format="openai"),
        '{"format": "gemini"}',
        '{"format": "anthropic"}',
    ]

    found = read_recordings([write("\n".join(lines))])

    assert ["a"] == [recording.id for recording in found.conversations]
    assert {"anthropic": 2, "gemini": 1} == found.skipped


def test_byte_order_mark_and_windows_lines_are_no_obstacle(write):
    """What editors on Windows add is ignored, and other line separators are text."""
    text = record("U", id="a\u2028b").replace("\\u2028", "\u2028")

    [found] = read_recordings([write(f"\ufeff{text}\r\n")]).conversations

    assert "a\u2028b" == found.id


ALIEN = '{"messages": [{"role": "user", "content": "Hi"}, {"role": "alien"}]}'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "'chats.jsonl' is empty"),
        (" \n\n", "'chats.jsonl' is empty"),
        (b"\xff\xfe", "'chats.jsonl' is no UTF-8 text: byte 0 can't be decoded"),
        ("hello", "line 1 of 'chats.jsonl' is no JSON: Expecting value at character 1"),
        ('{"messages": []}\n{', "line 2 of 'chats.jsonl' is no JSON: Expecting"),
        ("[{]", "'chats.jsonl' is no JSON: Expecting"),
        ("[" * 200_000, "'chats.jsonl' can't be read as JSON: "),
        ("1" * 5_000, "line 1 of 'chats.jsonl' can't be read as JSON: "),
        ("7", "line 1 of 'chats.jsonl' is no record but int: it must be an object"),
        ('{"chat": []}', "line 1 of 'chats.jsonl' has messages of type NoneType"),
        ('{"messages": {}}', "line 1 of 'chats.jsonl' has messages of type dict"),
        ('{"messages": [1]}', "line 1 of 'chats.jsonl' has what can't be read: "),
        (ALIEN, "can't take role 'alien' in message 1: its role must be one of"),
        ('["Hi"]', "line 1 of 'chats.jsonl' has what can't be read: item 0 of a"),
        ('{"messages": [{"role": "system", "content": " "}]}', "message 0: "),
    ],
)
def test_file_that_is_no_recording_is_refused(content, expected, write, monkeypatch):
    """An error names the file, the line, and what is wrong there, in one line."""
    path = write(content)
    monkeypatch.chdir(path.parent)

    with pytest.raises(CommandError) as caught:
        read_recordings([path.relative_to(path.parent)])

    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_is_refused(tmp_path):
    """A file that is not there is named."""
    with pytest.raises(CommandError, match="chats' can't be read: No such file"):
        read_recordings([tmp_path / "chats"])


def test_folder_is_refused(tmp_path):
    """A folder is no file."""
    with pytest.raises(CommandError, match="can't be read: Is a directory"):
        read_recordings([tmp_path])


def test_text_of_messages_is_not_in_errors(write):
    """What users said does not end up in an error."""
    path = write('{"messages": [{"role": "user", "content": {"secret": "secret"}}]}')

    with pytest.raises(CommandError) as caught:
        read_recordings([path])

    assert "secret" not in str(caught.value)
