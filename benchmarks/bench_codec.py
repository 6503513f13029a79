"""What encoding and decoding messages costs; reference: json on plain dicts."""

import json

from frame import agent_loop, chat, measure, options, report

from chatmemory import messages_from_json, messages_to_json


def case(encode, decode, value, size: int, repeats: int):
    def run() -> int:
        for _ in range(repeats):
            decode(encode(value))
        return repeats * size

    return lambda: run


def main() -> None:
    given = options(__doc__)
    rounds, repeats, size = (1, 1, 20) if given.quick else (15, 20, 100)
    rows = []
    for traffic in (chat, agent_loop):
        said = traffic(size)
        plain = json.loads(messages_to_json(said))
        found = measure(
            {
                "json on dicts": case(json.dumps, json.loads, plain, size, repeats),
                "chatmemory": case(
                    messages_to_json, messages_from_json, said, size, repeats
                ),
            },
            rounds,
        )
        rows += [
            {
                "traffic": traffic.__name__,
                "codec": name,
                "µs a message": spent,
                "of json": spent / found["json on dicts"],
            }
            for name, spent in found.items()
        ]
    report(rows, given.json)


if __name__ == "__main__":
    main()
