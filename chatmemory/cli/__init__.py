"""The command line, an application on top of both packages."""

import sys

from chatmemory.errors import MissingExtraError


def main() -> None:
    """Run `chatmemory`; say what to install if something is missing."""
    try:
        from chatmemory.cli.app import app  # noqa: PLC0415 - it needs the extra
    except (ModuleNotFoundError, MissingExtraError) as error:
        way_out = "the command line needs pip install 'chatmemory-py[cli]'"
        sys.stderr.write(f"Error: {error}: {way_out}\n")
        sys.exit(2)
    app(prog_name="chatmemory")
