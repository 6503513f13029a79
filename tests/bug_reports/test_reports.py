"""
Each public report of these kinds is a test.

`tests/data/bug_reports.json` has the reports. Those of a kind are in the file of its
name, and each is the test of its name: owner/repository#1 is test_owner_repository_1.
"""

import ast
import json
import re

from pathlib import Path

import pytest


KINDS = [
    "async",
    "concurrency",
    "eviction",
    "serialization",
    "store",
    "system",
    "tokens",
    "tool-pairs",
]

# The ids of reports without a test, and why they have none.
EXCLUDED: dict[str, str] = {}

HERE = Path(__file__).parent
DATA = HERE.parent / "data" / "bug_reports.json"
REPORTS = {report["id"]: report for report in json.loads(DATA.read_text("utf-8"))}
COVERED = [key for key, report in REPORTS.items() if report["kind"] in KINDS]


def name_of_test(report_id: str) -> str:
    return "test_" + re.sub(r"\W+", "_", report_id).lower()


def names_in(kind: str) -> set[str]:
    path = HERE / f"test_{kind.replace('-', '_')}.py"
    module = ast.parse(path.read_text("utf-8"))
    names = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    return {name for name in names if name.startswith("test_")}


@pytest.mark.parametrize("report_id", COVERED)
def test_each_report_is_tested(report_id: str):
    """A report has its test in the file of its kind, or a reason to have none."""
    is_tested = name_of_test(report_id) in names_in(REPORTS[report_id]["kind"])
    assert is_tested != bool(EXCLUDED.get(report_id))


@pytest.mark.parametrize("kind", KINDS)
def test_each_test_is_of_a_report(kind: str):
    """No test has a name that is no report's, or stands in the wrong file."""
    expected = {name_of_test(key) for key in COVERED if REPORTS[key]["kind"] == kind}
    assert set() == names_in(kind) - expected


def test_what_is_excluded_is_a_report():
    """The list of exclusions does not outlive its reports."""
    assert set() == set(EXCLUDED) - set(COVERED)
