"""What an import costs, each in a Python of its own."""

import subprocess
import sys

from frame import measure, options, report


def case(code: str):
    def run() -> int:
        subprocess.run([sys.executable, "-c", code], check=True)
        return 1

    return lambda: run


CASES = {
    "nothing": case("pass"),
    "attrs": case("import attrs"),
    "chatmemory": case("import chatmemory"),
    "chatmemory_stores.sql": case("import chatmemory_stores.sql"),
}


def main() -> None:
    given = options(__doc__)
    found = measure(CASES, 1 if given.quick else 15)
    nothing = found["nothing"]
    attrs = found["attrs"] - nothing
    rows = [
        {
            "import": name,
            "ms": (us - nothing) / 1000,
            "of attrs": (us - nothing) / attrs,
        }
        for name, us in found.items()
    ]
    report(rows, given.json)


if __name__ == "__main__":
    main()
