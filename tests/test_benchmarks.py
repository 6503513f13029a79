"""Every benchmark runs."""

import json
import subprocess
import sys

from pathlib import Path

import pytest


BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("bench_*.py")), ids=str)
def test_a_benchmark_runs(path: Path, tmp_path: Path):
    """Each file runs alone, prints a table and writes the same figures."""
    target = tmp_path / "figures.json"
    command = [sys.executable, str(path), "--quick", "--json", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    rows = json.loads(target.read_text("utf-8"))
    assert len(rows) + 1 == len(done.stdout.splitlines())


def test_there_are_benchmarks():
    """Without any file the test above would not run at all."""
    assert list(BENCHMARKS.glob("bench_*.py"))
