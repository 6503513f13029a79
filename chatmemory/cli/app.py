"""The commands and their options."""

import logging
import sys

from pathlib import Path
from typing import Annotated, cast

import typer

from rich.console import Console
from rich.progress import track

from chatmemory.cli.one_line_errors import OneLineErrors
from chatmemory.cli.recordings import Recording, read_recordings
from chatmemory.cli.replay import Outcome, Replay
from chatmemory.cli.replay_store import opened
from chatmemory.cli.report import Report
from chatmemory.cli.settings import Settings, check_model, limit_of, overflow_of
from chatmemory.store import InMemoryChatMemoryStore
from chatmemory.tiktoken import TiktokenEstimator
from chatmemory.tokens import TokenCountEstimator
from chatmemory.windows import Eviction


# The report counts what the memories warn of.
logging.getLogger("chatmemory").addHandler(logging.NullHandler())

app = typer.Typer(
    cls=OneLineErrors,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def chatmemory() -> None:
    """Memory objects for LLM applications."""


@app.command()
def replay(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="JSONL, a record with `messages` a line (other formats than openai are "
            "skipped), or one JSON array of OpenAI messages.",
        ),
    ],
    *,
    max_messages: Annotated[
        int | None, typer.Option(metavar="N", help="A window of N messages.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", help="A window of N tokens.")
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="M",
            help="The model of OpenAI's whose tokens are counted: those of the "
            "messages, without the definitions of tools.",
        ),
    ] = "gpt-4o",
    eviction: Annotated[
        str,
        typer.Option(
            metavar="turns|sliding", help="By exchanges, or as in LangChain4j."
        ),
    ] = "turns",
    evict_to: Annotated[
        int | None,
        typer.Option(metavar="N", help="The low mark; by default the limit."),
    ] = None,
    overflow: Annotated[
        str | None,
        typer.Option(
            metavar="keep|raise",
            help="What becomes of a message if what has to stay exceeds the limit: it "
            "is kept, or refused. By default kept; not with sliding.",
        ),
    ] = None,
    store: Annotated[
        str,
        typer.Option(
            metavar="memory|sqlite|URL",
            help="Where the memories are: in this process, in a temporary SQLite file, "
            "or in the new file of a URL like sqlite:///replay.db, which stays.",
        ),
    ] = "memory",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for machines.")
    ] = False,
) -> None:
    """
    Replay recorded conversations through a window.

    It tells which window fits them, and what it saves.

    Each conversation goes message by message through a memory of its own. Wherever a
    model would be called, before each message of the assistant and after the last
    message of the user or a tool, the request is made, counted, and checked by the
    rules of OpenAI Chat. "Saved" is the share of tokens that the whole history would
    cost in addition.

    What the memory refuses, a result without its call for example, is counted and left
    out, and the request after it is withheld, as it is while a call is open. Another
    system message replaces the first.

    Exit status: 0; 1 if a request was invalid; 2 if a file or option can't be used.
    """
    measure, limit = limit_of(max_messages, max_tokens)
    settings = Settings(
        measure=measure,
        limit=limit,
        model=model,
        eviction=cast("Eviction", eviction),
        evict_to=evict_to,
        overflow=overflow_of(eviction, overflow),
        store=store,
    )
    check_model(model)
    estimator = TiktokenEstimator(model)
    settings.memory("trial", InMemoryChatMemoryStore(), estimator)
    recordings = read_recordings(files)
    outcomes = _replayed(recordings.conversations, settings, estimator)
    report = Report(settings, outcomes, recordings.skipped)
    if as_json:
        typer.echo(report.as_json())
    else:
        report.print(Console(highlight=False))
    if report.total.invalid:
        raise typer.Exit(1)


def _replayed(
    recordings: list[Recording], settings: Settings, estimator: TokenCountEstimator
) -> list[Outcome]:
    shown = track(
        recordings,
        description="Replaying",
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with opened(settings.store) as store:
        return [
            Replay(recording, settings, store, estimator, f"replay-{number}").run()
            for number, recording in enumerate(shown, start=1)
        ]
