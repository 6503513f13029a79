"""Reports about token windows and what is counted, each named after its id."""

from collections.abc import Sequence

import pytest

from chatmemory import (
    ChatMessage,
    ImageContent,
    TextContent,
    TextTokenCountEstimator,
    TokenWindowChatMemory,
    ToolExecutionResultMessage,
    UserMessage,
    Utf8TokenCountEstimator,
    WindowOverflowError,
)
from chatmemory.clients.openai import reply_from_openai
from chatmemory.messages import AiMessage, SystemMessage, ToolExecutionRequest
from chatmemory.tiktoken import TiktokenEstimator
from notation import conversation, shown
from sendable import refusals


def words(text: str) -> int:
    return len(text.split())


def of_words(number: int, word: str = "word") -> str:
    return " ".join([word] * number)


def of_words_counted() -> TextTokenCountEstimator:
    return TextTokenCountEstimator(words)


def of_gpt_4o() -> TiktokenEstimator:
    return TiktokenEstimator("gpt-4o")


class WithTools(TextTokenCountEstimator):
    """Counts words, and what the definitions of the tools cost in every request."""

    def __init__(self, tools: int) -> None:
        super().__init__(words)
        self._tools = tools

    def count_messages(self, messages: Sequence[ChatMessage]) -> int:
        return self._tools + super().count_messages(messages)


def test_langchain_ai_langchain_34664():
    """Of 8,000 tokens the system message and the tools take 6,000: 2,000 are left."""
    estimator = WithTools(tools=3_000)
    memory = TokenWindowChatMemory(max_tokens=8_000, estimator=estimator)
    memory.add(SystemMessage(of_words(3_000)))
    for number in range(15):
        memory.add(UserMessage(of_words(100, f"U{number}")))
        memory.add(AiMessage(of_words(100, f"A{number}")))
    system, *history = memory.messages()
    assert isinstance(system, SystemMessage)
    assert estimator.count_unit(history) <= 2_000 < 200 + estimator.count_unit(history)
    assert estimator.count_messages(memory.messages()) <= 8_000


@pytest.mark.parametrize("make", [Utf8TokenCountEstimator, of_gpt_4o])
def test_google_gemini_gemini_cli_11084(make):
    """An image of 400 kB costs what an image costs, not what its base64 text would."""
    estimator = make()
    large, small = (
        UserMessage(
            [
                TextContent("What is it?"),
                ImageContent(
                    base64_data="iVBORw0K" * times,
                    mime_type="image/png",
                    detail_level="HIGH",
                ),
            ]
        )
        for times in (50_000, 1)
    )
    assert estimator.count_unit([small]) == estimator.count_unit([large])
    assert estimator.count_unit([large]) < 1_000
    memory = TokenWindowChatMemory(max_tokens=1_000, estimator=estimator)
    memory.add(large)
    assert [large] == memory.messages()


def test_run_llama_llama_index_11637():
    """3,100 tokens do not fit in 3,000, and the error says which message is too big."""
    memory = TokenWindowChatMemory(max_tokens=3_000, estimator=words)
    system = SystemMessage(of_words(3_080))
    with pytest.raises(WindowOverflowError) as caught:
        memory.add(system, UserMessage(of_words(9)))
    assert (3_000, 3_100) == (caught.value.limit, caught.value.need)
    assert ("SystemMessage", 3_084) == (
        caught.value.largest_type,
        caught.value.largest_cost,
    )
    assert "SystemMessage alone costs 3084" in str(caught.value)
    assert [] == memory.messages()


@pytest.mark.parametrize("make", [of_words_counted, Utf8TokenCountEstimator, of_gpt_4o])
def test_run_llama_llama_index_21950(make):
    """Arguments of 5,000 words count: the call is refused, or goes when it may."""
    estimator = make()
    request = ToolExecutionRequest(id="c1", name="tool", arguments=of_words(5_000))
    call = AiMessage(tool_execution_requests=[request])
    assert estimator.count_unit([call]) >= 5_000
    memory = TokenWindowChatMemory(max_tokens=1_000, estimator=estimator)
    memory.add(*conversation("S U1"))
    with pytest.raises(WindowOverflowError) as caught:
        memory.add(call)
    assert caught.value.need >= 5_000
    memory = TokenWindowChatMemory(
        max_tokens=1_000, estimator=estimator, overflow="keep"
    )
    memory.add(*conversation("S U1"))
    memory.add(call, ToolExecutionResultMessage.of(request, "done"))
    memory.add(*conversation("A1"))
    assert "S U1 A1" == shown(memory.messages())


def test_langchain_ai_langchain_35002():
    """What a provider reports beside a reply changes no count."""
    response = {
        "choices": [{"message": {"role": "assistant", "content": "hello"}}],
        "usage": {
            "prompt_tokens": 10_000,
            "completion_tokens": 1,
            "total_tokens": 10_001,
        },
    }
    estimator = of_words_counted()
    reply = reply_from_openai(response)
    assert estimator.count_unit([AiMessage("hello")]) == estimator.count_unit([reply])
    memory = TokenWindowChatMemory(max_tokens=50, estimator=estimator)
    memory.add(UserMessage("hi"), reply)
    memory.add(UserMessage("and how are you?"))
    assert 3 == len(memory.messages())


@pytest.mark.parametrize("eviction", ["turns", "sliding"])
def test_spring_projects_spring_ai_3423(eviction: str):
    """Of three messages of 5,000 tokens the newest that fits in 8,000 is kept."""
    memory = TokenWindowChatMemory(max_tokens=8_000, estimator=words, eviction=eviction)
    question, answer, last = (
        UserMessage(of_words(4_996, "U1")),
        AiMessage(of_words(4_996, "A1")),
        UserMessage(of_words(4_996, "U2")),
    )
    assert 5_000 == of_words_counted().count_unit([question])
    memory.add(question, answer, last)
    assert [last] == memory.messages()


class Picky:
    """Asks a provider, so to say: it refuses what no provider would take."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count_text(self, text: str) -> int:
        return 1

    def count_unit(self, unit: Sequence[ChatMessage]) -> int:
        self.asked.append(shown(unit))
        if len(unit) > 1:
            assert [] == refusals([UserMessage("?"), *unit])
        return len(unit)

    def count_messages(self, messages: Sequence[ChatMessage]) -> int:
        assert [] == refusals([UserMessage("?"), *messages])
        return len(messages)


@pytest.mark.parametrize("eviction", ["turns", "sliding"])
@pytest.mark.parametrize("verb", ["add in steps", "add", "set"])
def test_langchain_ai_langchain_29637(eviction: str, verb: str):
    """The counter is asked for single messages and whole groups only, and it ends."""
    estimator = Picky()
    memory = TokenWindowChatMemory(max_tokens=3, estimator=estimator, eviction=eviction)
    said = conversation("U1 A[c1] T:c1 A1 U2")
    if verb == "add in steps":
        for each in said[:3]:
            memory.add(each)
        memory.add(*said[3:])
    else:
        getattr(memory, verb)(*said)
    left = {"turns": "U2", "sliding": "A1 U2"}
    assert left[eviction] == shown(memory.messages())
    assert set(estimator.asked) <= {*shown(said).split(), "A[c1] T:c1"}
