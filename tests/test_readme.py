"""The README's examples run, in order, with a model on this machine."""

from pathlib import Path

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from openai_stub import stub


README = Path(__file__).parents[1] / "README.md"


def test_examples_run(tmp_path, monkeypatch):
    """Every Python block of the README runs after those before it."""
    monkeypatch.chdir(tmp_path)
    parsers = [PythonCodeBlockParser(), SkipParser()]
    document = Sybil(parsers, path=str(README.parent)).parse(README)
    with stub() as (url, _requests):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        for example in document.examples():
            example.evaluate()
