"""
Recorded conversations, read from files.

A file is JSONL with a record a line, or one JSON array of the messages of a single
conversation. A record has `messages`, and maybe an `id`; its `format` is "openai" if it
has none. Records of other formats are counted and left.
"""

import json

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

import attrs

from chatmemory.cli.command_error import CommandError
from chatmemory.clients.openai import from_openai
from chatmemory.errors import ChatMemoryError
from chatmemory.messages import ChatMessage


FORMAT = "openai"


@attrs.frozen
class Recording:
    """One conversation, and where it is from; `id` is the line if the record has none."""

    file: str
    id: str
    messages: list[ChatMessage]


@attrs.frozen
class Recordings:
    """All conversations of some files, and how many records of each other format."""

    conversations: list[Recording] = attrs.field(factory=list[Recording])
    skipped: Counter[str] = attrs.field(factory=Counter[str])


def read_recordings(paths: Iterable[Path]) -> Recordings:
    """Read files; raises `CommandError` for one that is missing, broken or empty."""
    found = Recordings()
    for path in paths:
        items = list(_items(path))
        if not items:
            msg = f"{str(path)!r} is empty: it has neither records nor messages"
            raise CommandError(msg)
        for line, item in items:
            _take(found, path, line, item)
    return found


def _items(path: Path) -> Iterator[tuple[int, object]]:
    text = _text(path)
    if text.lstrip().startswith("["):
        messages = _parsed(text, repr(str(path)))
        yield 1, {"id": path.stem, "messages": messages}
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _parsed(line, _place(path, number))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        msg = f"{str(path)!r} can't be read: {error.strerror or error}"
        raise CommandError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{str(path)!r} is no UTF-8 text: byte {error.start} can't be decoded"
        raise CommandError(msg) from error


def _parsed(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        msg = f"{where} is no JSON: {error.msg} at character {error.pos + 1}"
        raise CommandError(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"{where} can't be read as JSON: {error}"
        raise CommandError(msg) from error


def _place(path: Path, line: int) -> str:
    return f"line {line} of {str(path)!r}"


def _take(found: Recordings, path: Path, line: int, item: object) -> None:
    where = _place(path, line)
    if not isinstance(item, dict):
        msg = f"{where} is no record but {type(item).__name__}: it must be an object"
        raise CommandError(msg)
    record = cast("dict[str, object]", item)
    record_format = record.get("format", FORMAT)
    if record_format != FORMAT:
        found.skipped[str(record_format)] += 1
        return
    name = str(record.get("id", line))
    messages = _messages(record.get("messages"), where)
    found.conversations.append(Recording(str(path), name, messages))


def _messages(history: object, where: str) -> list[ChatMessage]:
    if not isinstance(history, list):
        msg = (
            f"{where} has messages of type {type(history).__name__}: a record has "
            "`messages`, a list in the form of OpenAI Chat"
        )
        raise CommandError(msg)
    try:
        return from_openai(cast("list[Mapping[str, object]]", history))
    except ChatMemoryError as error:
        msg = f"{where} has what can't be read: {error}"
        raise CommandError(msg) from error
