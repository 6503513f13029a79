"""What a command raises, and how it ends."""

import pytest
import typer

from typer.testing import CliRunner

from chatmemory import InvalidLimitError
from chatmemory.cli.command_error import CommandError
from chatmemory.cli.one_line_errors import OneLineErrors


def run(error):
    """Run a command that raises an error."""
    app = typer.Typer(cls=OneLineErrors)
    app.callback()(lambda: None)

    @app.command()
    def fail():
        raise error

    return CliRunner().invoke(app, ["fail"], catch_exceptions=False)


@pytest.mark.parametrize(
    "error",
    [
        CommandError("no"),
        InvalidLimitError("no"),
        OSError("no"),
        typer.BadParameter("no"),
    ],
)
def test_what_can_be_put_right_is_one_line_and_status_2(error):
    """A bad file or option, a full disk: one line on stderr says it."""
    result = run(error)

    assert (2, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))
    assert result.stderr.startswith("Error: ")
    assert result.stderr.endswith("no\n")


def test_usage_error_of_several_lines_becomes_one():
    """Typer may put a list below a message."""
    assert "a b c" in run(typer.BadParameter("a\n\tb\n\tc")).stderr


def test_what_has_no_way_out_is_not_hidden():
    """An error that no user can put right passes through, with its traceback."""
    with pytest.raises(ZeroDivisionError):
        run(ZeroDivisionError())


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (typer.Abort(), 130),
        (KeyboardInterrupt(), 130),
        (typer.Exit(), 0),
        (typer.Exit(1), 1),
    ],
)
def test_other_endings_have_a_status_and_no_error(error, status):
    """Who interrupts a command is shown no traceback; a command may choose its status."""
    result = run(error)

    assert (status, "") == (result.exit_code, result.stderr.strip())
