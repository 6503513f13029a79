"""What adding a message and reading the window costs in memory."""

from frame import agent_loop, chat, measure, options, report

from chatmemory import (
    AiMessage,
    ChatMessage,
    InMemoryChatMemoryStore,
    MessageWindowChatMemory,
    SystemMessage,
    ToolExecutionResultMessage,
)


class BareList:
    """Keep the newest messages, and check nothing."""

    def __init__(self, limit: int):
        self.limit = limit
        self.kept: list[ChatMessage] = []

    def add(self, message: ChatMessage) -> None:
        self.kept.append(message)
        del self.kept[: -self.limit]

    def messages(self) -> list[ChatMessage]:
        return self.kept.copy()


class ReadAllWriteAll:
    """LangChain4j's algorithm: read all, append, evict, write all, for each message."""

    def __init__(self, limit: int):
        self.limit = limit
        self.store: dict[str, list[ChatMessage]] = {}

    def add(self, message: ChatMessage) -> None:
        kept = self.messages()
        kept.append(message)
        self._evict(kept)
        self.store["user"] = kept.copy()

    def messages(self) -> list[ChatMessage]:
        kept = self.store.get("user", []).copy()
        self._evict(kept)
        return kept

    def _evict(self, kept: list[ChatMessage]) -> None:
        while len(kept) > self.limit:
            first = 1 if isinstance(kept[0], SystemMessage) else 0
            evicted = kept.pop(first)
            if isinstance(evicted, AiMessage) and evicted.tool_execution_requests:
                while len(kept) > first and isinstance(
                    kept[first], ToolExecutionResultMessage
                ):
                    del kept[first]


def in_store(limit: int):
    store = InMemoryChatMemoryStore()
    return MessageWindowChatMemory(id="user", max_messages=limit, store=store)


def alone(limit: int):
    return MessageWindowChatMemory(max_messages=limit)


MEMORIES = {
    "bare list": BareList,
    "LangChain4j's algorithm": ReadAllWriteAll,
    "chatmemory": alone,
    "chatmemory, in-memory store": in_store,
}


def case(make, limit: int, said: list[ChatMessage]):
    """Fill a window first; what is timed evicts."""

    def prepare():
        memory = make(limit)
        for message in said[:limit]:
            memory.add(message)
        rest = said[limit:]

        def run() -> int:
            for message in rest:
                memory.add(message)
                memory.messages()
            return len(rest)

        return run

    return prepare


def main() -> None:
    given = options(__doc__)
    rounds, steps = (1, 20) if given.quick else (7, 600)
    rows = []
    for traffic in (chat, agent_loop):
        for limit in (20, 100, 1000):
            said = traffic(limit + steps)
            cases = {name: case(make, limit, said) for name, make in MEMORIES.items()}
            found = measure(cases, rounds)
            reference = found["LangChain4j's algorithm"]
            rows += [
                {
                    "traffic": traffic.__name__,
                    "window": limit,
                    "memory": name,
                    "µs": spent,
                    "of LangChain4j's": spent / reference,
                }
                for name, spent in found.items()
            ]
    report(rows, given.json)


if __name__ == "__main__":
    main()
