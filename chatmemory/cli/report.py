"""What a replay shows: tables for people, JSON for machines."""

import json

from collections.abc import Iterator, Mapping, Sequence

import attrs

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from chatmemory.cli.replay import Outcome
from chatmemory.cli.settings import Settings
from chatmemory.cli.tally import Tally, total


# Columns that are there only if they have something to count.
RARE = {"no\nuser": "without_user_message", "system\nonly": "system_messages_only"}
TOTALS = {
    "conversations": "conversations",
    "  without a user message": "without_user_message",
    "  with system messages only": "system_messages_only",
    "messages": "messages",
    "  evicted": "evicted",
    "  kept at the end": "kept",
    "  replaced or repeated": "replaced",
    "  refused by the memory": "refused",
    "requests": "requests",
    "  over the limit": "over_limit",
    "  invalid": "invalid",
    "requests withheld": "withheld",
    "largest request, messages": "largest_request_messages",
    "largest request, tokens": "largest_request_tokens",
    "tokens sent": "tokens_sent",
    "tokens without a window": "tokens_without_window",
}
SHOWN_PROBLEMS = 10


@attrs.frozen
class Report:
    """
    What came of recordings; `skipped` counts the records of each other format.
    """

    settings: Settings
    outcomes: Sequence[Outcome]
    skipped: Mapping[str, int]

    @property
    def total(self) -> Tally:
        """The sum of all replays."""
        return total(outcome.tally for outcome in self.outcomes)

    def as_json(self) -> str:
        """Return one JSON object, in ASCII; its keys are always the same."""
        report = {
            "window": attrs.asdict(self.settings),
            "conversations": [_fields(outcome) for outcome in self.outcomes],
            "totals": attrs.asdict(self.total),
            "skipped": dict(sorted(self.skipped.items())),
        }
        return json.dumps(report, indent=2)

    def print(self, console: Console) -> None:
        """Print a row for each conversation, the totals, and what is to be said."""
        _print_line(console, self._window())
        console.print()
        if self.outcomes:
            console.print(self._conversations(console.encoding))
            console.print()
        console.print(self._totals())
        for line in self._remarks():
            _print_line(console, line)

    def _window(self) -> str:
        settings = self.settings
        mark = f", evict-to {settings.evict_to:,}" if settings.evict_to else ""
        overflow = f", overflow {settings.overflow}" if settings.overflow else ""
        return (
            f"Window: {settings.limit:,} {settings.measure}, "
            f"eviction {settings.eviction}{mark}{overflow}; "
            f"tokens as {settings.model} counts them; store {settings.store}."
        )

    def _conversations(self, encoding: str) -> Table:
        whole = self.total
        rare = {header: name for header, name in RARE.items() if getattr(whole, name)}
        table = _table("conversation", *self._cells(whole), *rare)
        for outcome in self.outcomes:
            cells = list(self._cells(outcome.tally).values())
            cells += [f"{getattr(outcome.tally, name):,}" for name in rare.values()]
            table.add_row(Text(_printable(outcome.recording.id, encoding)), *cells)
        return table

    def _cells(self, tally: Tally) -> dict[str, str]:
        largest = getattr(tally, f"largest_request_{self.settings.measure}")
        return {
            "msgs": f"{tally.messages:,}",
            "reqs": f"{tally.requests:,}",
            "evicted": f"{tally.evicted:,}",
            "kept": f"{tally.kept:,}",
            "tokens\nsent": f"{tally.tokens_sent:,}",
            "saved": _saved(tally),
            "largest": f"{largest:,}",
            "over": f"{tally.over_limit:,}",
            "invalid": f"{tally.invalid:,}",
        }

    def _totals(self) -> Table:
        whole = self.total
        table = _table("totals", "")
        for label, name in TOTALS.items():
            table.add_row(label, f"{getattr(whole, name):,}")
        table.add_row("saved by the window", _saved(whole))
        return table

    def _remarks(self) -> Iterator[str]:
        if self.skipped:
            formats = sorted(self.skipped.items())
            counts = ", ".join(f"{number:,} {name}" for name, number in formats)
            yield f"Skipped records of other formats: {counts}."
        problems = [
            f"{outcome.recording.id}: {problem}"
            for outcome in self.outcomes
            for problem in outcome.problems
        ]
        yield from problems[:SHOWN_PROBLEMS]
        if len(problems) > SHOWN_PROBLEMS:
            yield f"... and {len(problems) - SHOWN_PROBLEMS:,} more: see --json"


def _fields(outcome: Outcome) -> dict[str, object]:
    recording = outcome.recording
    return {
        "file": recording.file,
        "id": recording.id,
        **attrs.asdict(outcome.tally),
        "problems": outcome.problems,
    }


def _table(first: str, *headers: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    table.add_column(first, overflow="fold")
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
    return table


def _saved(tally: Tally) -> str:
    return f"{tally.saved:.0%}" if tally.tokens_without_window else "-"


def _print_line(console: Console, text: str) -> None:
    console.print(Text(_printable(text, console.encoding)))


def _printable(text: str, encoding: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown.encode(encoding, "replace").decode(encoding)
