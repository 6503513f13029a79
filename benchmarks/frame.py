"""What all benchmarks share: messages, rounds in turn, medians, a table."""

import argparse
import json
import random
import time

from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from chatmemory import (
    AiMessage,
    ChatMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)


SAMPLE = Path(__file__).parent.parent / "tests" / "data" / "sample.jsonl"
Run = Callable[[], int]  # does the work, and says how many operations that was


def options(description: str | None) -> argparse.Namespace:
    """Read the command line of a benchmark."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--quick", action="store_true", help="only show that it runs")
    return parser.parse_args()


def texts(seed: int = 6, length: int = 800) -> list[str]:
    """Cut texts of about one length from the bundled conversations, and shuffle."""
    lines = SAMPLE.read_text("utf-8").splitlines()
    found = [
        message["content"]
        for line in lines
        for message in json.loads(line)["messages"]
        if isinstance(message.get("content"), str)
    ]
    whole = " ".join(found)
    pieces = [whole[at : at + length] for at in range(0, len(whole), length)]
    random.Random(seed).shuffle(pieces)
    return [piece for piece in pieces if piece.strip()]


def chat(size: int) -> list[ChatMessage]:
    """Make messages of a user and an assistant, in turn."""
    kinds = cycle([UserMessage, AiMessage])
    said = islice(zip(kinds, cycle(texts())), size)
    # No two are equal: what is remembered of one must not make the next one cheap.
    return [kind(f"{at}: {text}") for at, (kind, text) in enumerate(said)]


def agent_loop(size: int, calls: int = 4) -> list[ChatMessage]:
    """Make questions that each take some calls, one after the other."""
    said, source = [], cycle(texts())
    while len(said) < size:
        said.append(UserMessage(next(source)))
        for _ in range(calls):
            request = ToolExecutionRequest(id=f"call-{len(said)}", name="search")
            result = ToolExecutionResultMessage.of(request, next(source))
            said += [AiMessage(tool_execution_requests=[request]), result]
        said.append(AiMessage(next(source)))
    return said[:size]


def measure(cases: dict[str, Callable[[], Run]], rounds: int) -> dict[str, float]:
    """Time all cases in turn, and take each one's median, in µs an operation."""
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, prepare in cases.items():
            run = prepare()
            start = time.perf_counter()
            operations = run()
            spent = (time.perf_counter() - start) / operations * 1e6
            if number:  # the first round warms up
                taken[name].append(spent)
    return {name: median(times) for name, times in taken.items()}


def report(rows: list[dict[str, object]], target: Path | None) -> None:
    """Print the rows as a table, and write them where that is asked for."""
    shown = [list(rows[0])] + [
        [
            f"{cell:.2f}" if isinstance(cell, float) else str(cell)
            for cell in row.values()
        ]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for line in shown:
        print("  ".join(map(str.ljust, line, widths)).rstrip())
    if target is not None:
        target.write_text(json.dumps(rows, indent=1), "utf-8")
