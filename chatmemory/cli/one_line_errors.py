"""A group of commands that says in one line what is wrong with what was typed."""

import sys

from typing import Any, NoReturn

import typer

from typer.core import TyperGroup

from chatmemory.cli.command_error import CommandError
from chatmemory.errors import ChatMemoryError


class OneLineErrors(TyperGroup):
    """Ends with status 2 and a line on stderr, where others print usage or traceback."""

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run a command, and exit."""
        options["standalone_mode"] = False
        try:
            status = super().main(*args, **options)
        except typer.Abort:
            sys.exit(130)
        except Exception as error:
            line = _line(error)
            if line is None:
                raise
            sys.stderr.write(f"Error: {line}\n")
            sys.exit(2)
        sys.exit(status)


def _line(error: Exception) -> str | None:
    if isinstance(error, CommandError | ChatMemoryError | OSError):
        return str(error)
    # What Typer raises for bad usage has this, in each version from a class elsewhere.
    describe = getattr(error, "format_message", None)
    return None if describe is None else " ".join(describe().split())
