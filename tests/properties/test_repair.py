"""What `repair` keeps and adds, held against the rules of matching in their own words."""

from hypothesis import given

from chatmemory import (
    AiMessage,
    ChatMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory.conversation import match, repair, unanswered
from chatmemory.placeholders import is_placeholder
from conversations import conversations
from notation import conversation
from validator import problems


Call = tuple[int, int]


def answered(messages: list[ChatMessage]) -> dict[int, Call]:
    """
    Map each result to the message and call that it answers, by brute force.

    It answers the newest earlier call with its id that has no result yet, and within one
    message the first. One without an id does not cross a user message; in the newest
    message with such a call it answers the first of its tool, else the first.
    """
    found: dict[int, Call] = {}
    for position, result in enumerate(messages):
        if not isinstance(result, ToolExecutionResultMessage):
            continue
        open_calls = [
            (index, number)
            for index, number, request in calls(messages[:position])
            if request.id == result.id
            and (index, number) not in found.values()
            and (result.id or not crosses_user(messages[index:position]))
        ]
        if open_calls:
            newest = max(index for index, _ in open_calls)
            same = [call for call in open_calls if call[0] == newest]
            found[position] = min(same, key=lambda call: rank(messages, call, result))
    return found


def calls(
    messages: list[ChatMessage],
) -> list[tuple[int, int, ToolExecutionRequest]]:
    return [
        (index, number, request)
        for index, message in enumerate(messages)
        if isinstance(message, AiMessage)
        for number, request in enumerate(message.tool_execution_requests)
    ]


def crosses_user(messages: list[ChatMessage]) -> bool:
    return any(isinstance(message, UserMessage) for message in messages)


def rank(
    messages: list[ChatMessage], call: Call, result: ToolExecutionResultMessage
) -> tuple[bool, int]:
    index, number = call
    request = messages[index].tool_execution_requests[number]
    return not result.id and request.name != result.tool_name, number


def without_placeholders(said: str) -> list[ChatMessage]:
    return [each for each in conversation(said) if not is_placeholder(each)]


@given(conversations())
def test_results_answer_the_calls_they_should(said: str):
    """The library matches as the rules say."""
    messages = without_placeholders(said)
    assert answered(messages) == match(messages)


@given(conversations())
def test_results_that_answer_are_kept_and_no_others(said: str):
    """Each real result that answers something is shown once, under its call."""
    messages = without_placeholders(said)
    repaired = repair(messages).messages
    expected = sorted(
        (call, messages[position].text) for position, call in answered(messages).items()
    )
    origins = [
        position
        for position, message in enumerate(messages)
        if not isinstance(message, SystemMessage | ToolExecutionResultMessage)
    ]
    spoken = [
        position
        for position, message in enumerate(repaired)
        if not isinstance(message, SystemMessage | ToolExecutionResultMessage)
    ]
    origin_of = dict(zip(spoken, origins, strict=True))
    shown_answers = sorted(
        ((origin_of[index], number), repaired[position].text)
        for position, (index, number) in answered(repaired).items()
        if not is_placeholder(repaired[position])
    )
    assert expected == shown_answers


@given(conversations())
def test_placeholders_are_added_for_the_unanswered_and_no_others(said: str):
    """A call has a result, or a placeholder, or is still open."""
    messages = without_placeholders(said)
    repaired = repair(messages).messages
    placeholders = sum(map(is_placeholder, repaired))
    missing = len(calls(messages)) - len(answered(messages))
    assert missing == placeholders + len(unanswered(messages))
    assert len(calls(repaired)) == len(answered(repaired)) + len(unanswered(repaired))


@given(conversations())
def test_repairing_again_changes_nothing(said: str):
    """What was repaired can be sent, and needs no repair."""
    once = repair(conversation(said))
    twice = repair(once.messages)
    assert [] == problems(once.messages)
    assert [] == twice.changes
    assert once.messages == twice.messages
