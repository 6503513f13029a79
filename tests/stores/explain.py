"""
Which index each statement of a store uses, as the database itself explains it.

`python tests/stores/explain.py sqlite:////tmp/explain.db --rows 1000000` prints the plans,
and fails if one of them reads a whole table or index, or sorts.
"""

import argparse
import sys

from contextlib import contextmanager

import attrs

from filled import filled
from sqlalchemy import event

from chatmemory_stores._operations import LATEST


# A tenth of all rows is one memory's; the others have few each.
FEW = 10


@attrs.frozen
class Step:
    """One step of a plan; `is_bounded` unless its work grows with the table."""

    call: str
    text: str
    is_bounded: bool


# What each method of `Statements` is called with, on the row of a memory.
CALLS = {
    "find": lambda head, key: [key],
    "lock": lambda head, key: [key],
    "begin": lambda head, key: [f"another {key}"],
    "read_range": lambda head, key: [head.memory, head.head, head.next_position],
    "read_list": lambda head, key: [head.memory, [0, 3, 5]],
    "advance": lambda head, key: [head, head.moved_to([], head.next_position)],
    "append": lambda head, key: [head.memory, head.next_position, ["{}", "{}"]],
    "drop_dead": lambda head, key: [attrs.evolve(head, head=9, pins="0 3-5")],
    "drop": lambda head, key: [head.memory],
    "page": lambda head, key: [key, LATEST, 100],
}


def plans(url, rows):
    """Fill tables and explain every statement, for a large memory and a small one."""
    large = rows // 10
    memories = {"large": (1, large), "small": ((rows - large) // FEW, FEW)}
    with filled(url, **memories) as store:
        statements = store._operations._statements
        for key in ("large0", "small1"):
            for name, arguments in CALLS.items():
                with store._engine.connect() as connection:
                    head = statements.find(connection, key)
                    with explained(connection, f"{name} {key[:-1]}") as steps:
                        getattr(statements, name)(connection, *arguments(head, key))
                    connection.rollback()
                yield from steps


@contextmanager
def explained(connection, call):
    """Explain each statement before it runs; give the list of steps."""
    prefix, read = DATABASES[connection.dialect.name]
    steps = []

    def explain(connection, _cursor, statement, parameters, _context, many):
        if not statement.startswith("EXPLAIN"):
            first = parameters[0] if many else parameters
            plan = connection.exec_driver_sql(f"{prefix} {statement}", first)
            found = [Step(call, *step) for step in read(plan.mappings().all())]
            steps.extend(found or [Step(call, "no table is read", True)])

    event.listen(connection, "before_cursor_execute", explain)
    yield steps
    event.remove(connection, "before_cursor_execute", explain)


def sqlite_steps(plan):
    """Read what EXPLAIN QUERY PLAN says."""
    for row in plan:
        yield row["detail"], not row["detail"].startswith(("SCAN", "USE TEMP B-TREE"))


def postgresql_steps(plan):
    """Read the tree of nodes."""
    nodes = [entry["Plan"] for entry in plan[0]["QUERY PLAN"]]
    while nodes:
        node = nodes.pop(0)
        nodes += node.get("Plans", [])
        kind, condition = node["Node Type"], node.get("Index Cond")
        if "Index Name" in node:
            yield f"{kind} {node['Index Name']} {condition}", condition is not None
        elif kind in ("Seq Scan", "Sort", "Incremental Sort"):
            yield f"{kind} {node.get('Relation Name', '')}", False


def mysql_steps(plan):
    """Read one row per table."""
    for row in plan:
        # An INSERT is explained as ALL, though it reads nothing.
        if row["select_type"] != "INSERT":
            step = f"{row['table']} {row['type']} {row['key']} {row['Extra'] or ''}"
            is_keyed = row["key"] is not None and row["type"] not in ("ALL", "index")
            yield step.rstrip(), is_keyed and "filesort" not in step


DATABASES = {
    "sqlite": ("EXPLAIN QUERY PLAN", sqlite_steps),
    "postgresql": ("EXPLAIN (FORMAT JSON)", postgresql_steps),
    "mysql": ("EXPLAIN", mysql_steps),
    "mariadb": ("EXPLAIN", mysql_steps),
}


def main():
    """Explain from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--rows", type=int, default=1_000_000)
    steps = list(plans(**vars(parser.parse_args())))
    for step in steps:
        mark = " " if step.is_bounded else "!"
        print(f"{mark} {step.call:<16} {step.text}")  # noqa: T201 - it is a command
    sys.exit(not all(step.is_bounded for step in steps))


if __name__ == "__main__":
    main()
