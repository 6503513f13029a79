"""What a token window costs in memory; reference: encoding each new message once."""

from frame import chat, measure, options, report

from chatmemory import TokenWindowChatMemory
from chatmemory.tiktoken import TiktokenEstimator


TOKENS_OF_A_MESSAGE = 200


def encoding(said):
    estimator = TiktokenEstimator("gpt-4o")

    def run() -> int:
        for message in said:
            estimator.count_text(message.text)
        return len(said)

    return run


def window(limit: int, filling, said):
    memory = TokenWindowChatMemory(
        max_tokens=limit, estimator=TiktokenEstimator("gpt-4o")
    )
    for message in filling:
        memory.add(message)

    def run() -> int:
        for message in said:
            memory.add(message)
            memory.messages()
        return len(said)

    return run


def main() -> None:
    given = options(__doc__)
    limits = (4_000,) if given.quick else (4_000, 32_000, 128_000)
    rounds, steps = (1, 10) if given.quick else (3, 200)
    rows = []
    for limit in limits:
        full = limit // TOKENS_OF_A_MESSAGE
        said = chat(2 * full + steps)
        filling, timed = said[:-steps], said[-steps:]
        found = measure(
            {
                "one encode": lambda timed=timed: encoding(timed),
                "chatmemory": lambda limit=limit, filling=filling, timed=timed: window(
                    limit, filling, timed
                ),
            },
            rounds,
        )
        rows += [
            {
                "limit": limit,
                "memory": name,
                "µs": us,
                "of one encode": us / found["one encode"],
            }
            for name, us in found.items()
        ]
    report(rows, given.json)


if __name__ == "__main__":
    main()
