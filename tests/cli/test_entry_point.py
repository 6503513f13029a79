"""The installed command, in a process and on a terminal of its own."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig

from importlib.metadata import entry_points

import pytest

from chatmemory.cli import main


TEN = ("--max-messages", "10")
CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


@pytest.fixture
def chats(tmp_path):
    """Return a file with a conversation."""
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps({"messages": CHAT}), "utf-8")
    return str(path)


def test_missing_extra_is_one_line_and_status_2(monkeypatch, capsys):
    """Without what the command line needs it says what to install."""
    monkeypatch.delitem(sys.modules, "chatmemory.cli.app")
    monkeypatch.setitem(sys.modules, "typer", None)

    with pytest.raises(SystemExit) as caught:
        main()

    assert (2, "") == (caught.value.code, capsys.readouterr().out)


@pytest.mark.parametrize("module", ["typer", "rich", "tiktoken", "sqlalchemy"])
def test_each_module_of_the_extra_is_asked_for(module):
    """Whichever module is missing, the way out is the same, and there is no traceback."""
    code = "import sys; sys.modules[sys.argv[1]] = None; import chatmemory.cli as cli"
    finished = subprocess.run(
        [sys.executable, "-c", f"{code}; cli.main()", module],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (2, "") == (finished.returncode, finished.stdout)
    assert finished.stderr.startswith("Error: ")
    assert finished.stderr.endswith("pip install 'chatmemory-py[cli]'\n")
    assert 1 == finished.stderr.count("\n")


def test_main_runs_the_app(monkeypatch, capsys):
    """The entry point of the distribution is the app."""
    [entry_point] = entry_points(group="console_scripts", name="chatmemory")
    monkeypatch.setattr(sys, "argv", ["chatmemory", "--help"])

    with pytest.raises(SystemExit) as caught:
        entry_point.load()()

    assert entry_point.load() is main
    assert not caught.value.code
    assert capsys.readouterr().out.startswith("Usage: chatmemory ")


def script():
    return shutil.which("chatmemory", path=sysconfig.get_path("scripts"))


def test_installed_script_replays(chats):
    """The installed command replays; without a terminal its output has no escapes."""
    finished = subprocess.run(
        [script(), "replay", chats, *TEN],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (0, "") == (finished.returncode, finished.stderr)
    assert "\x1b" not in finished.stdout
    assert "messages" in finished.stdout


def on_terminal(*command, **environment):
    """Run a command on a terminal of its own; return what it shows."""
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        command,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", **environment},
    )
    os.close(terminal)
    shown = b""
    while chunk := read(controller):
        shown += chunk
    os.close(controller)
    assert 0 == process.wait(60)
    return shown.decode()


def read(controller):
    try:
        return os.read(controller, 65_536)
    except OSError:  # on Linux the end of a terminal is an error
        return b""


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_progress_is_shown_on_a_terminal(environment, chats):
    """On a terminal a bar tells how far the replay is, also without colours."""
    shown = on_terminal(script(), "replay", chats, *TEN, **environment)

    assert "Replaying" in shown
    assert "100%" in shown
    assert ("NO_COLOR" in environment) != ("\x1b[3" in shown)
