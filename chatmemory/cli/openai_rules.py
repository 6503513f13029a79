"""
What OpenAI Chat Completions refuses with a 400, as rules on the messages of a request.

The rules come from answers of the API that are quoted in public issues, named at each
rule, and from the types of the openai package. They know nothing of the converters, so
that they can judge them. Where compatible servers are known to accept more, a rule is
as lax as they are and says so.

What holds for single models only is left out (o1-mini refuses system messages), and so
is what nobody has seen refused: a second result for a call, results out of call order,
two messages of one role in a row, an assistant's message first or last.
"""

import re

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

import attrs


Message: TypeAlias = Mapping[str, object]

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
PART_TYPES = {
    "user": ("text", "image_url", "input_audio", "file", "video_url"),
    "assistant": ("text", "refusal"),
}
TEXT_ONLY = ("text",)
CALL_TYPES = ("function", "custom")
INSTEAD_OF_CONTENT = ("tool_calls", "function_call", "refusal", "audio")
MAX_ID = 40
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
PARTICIPANT = re.compile(r"[^\s<|\\/>]+")
IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,")


def violations(request: Sequence[Message]) -> list[str]:
    """
    List what is wrong with the messages of a request: nothing, if it can be sent.

    Each entry begins with the field that is wrong. A request is what a model is called
    with, so it does not end with calls that are still open.
    """
    if not request:
        return ["messages: is empty"]  # run-llama/llama_index#9373
    in_blocks = (
        found
        for block in _blocks(request)
        for rule in BLOCK_RULES
        for found in rule(block)
    )
    in_messages = (
        f"messages[{index}].{found}"
        for index, message in enumerate(request)
        for rule in MESSAGE_RULES
        for found in rule(message)
    )
    return [*in_blocks, *in_messages]


@attrs.define
class _Block:
    """A message, the ids of its calls, and the results that directly follow it."""

    index: int
    calls: list[object]
    results: list[object] = attrs.field(factory=list[object])


def _blocks(request: Iterable[Message]) -> list[_Block]:
    blocks = [_Block(-1, [])]
    for index, message in enumerate(request):
        if message.get("role") == "tool":
            blocks[-1].results.append(message.get("tool_call_id"))
        else:
            calls = [call.get("id") for call in _objects(message.get("tool_calls"))]
            blocks.append(_Block(index, calls))
    return blocks


def _no_orphans(block: _Block) -> Iterator[str]:
    """Want a result to be in the block behind its call (miurla/morphic#136)."""
    for offset, call_id in enumerate(block.results, start=1):
        if call_id not in block.calls:
            yield (
                f"messages[{block.index + offset}].tool_call_id: "
                "is not that of a call directly before"
            )


def _all_answered(block: _Block) -> Iterator[str]:
    """Want each call answered directly behind it (BerriAI/litellm#10083)."""
    for position, call_id in enumerate(block.calls):
        if call_id not in block.results:
            yield (
                f"messages[{block.index}].tool_calls[{position}]: "
                "has no result directly behind"
            )


def _role_is_known(message: Message) -> Iterator[str]:
    """Want one of the roles that the openai package has a type for."""
    if message.get("role") not in ROLES:
        yield "role: is not known"


def _content_is_text_or_parts(message: Message) -> Iterator[str]:
    """Refuse anything else that is there (pydantic/pydantic-ai#2653)."""
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        yield "content: is neither a text nor a list"


def _content_is_there(message: Message) -> Iterator[str]:
    """
    Want content, or in an assistant's message something else to say.

    run-llama/llama_index#17921; the legacy role function may have null.
    """
    says_else = any(message.get(name) for name in INSTEAD_OF_CONTENT)
    is_excused = {"assistant": says_else, "function": True}
    if message.get("content") is None and not is_excused.get(str(message.get("role"))):
        yield "content: is missing or null"


def _content_is_not_an_empty_list(message: Message) -> Iterator[str]:
    """Refuse [] (langchain-ai/langchainjs#11419), but beside calls Mistral takes it."""
    if message.get("content") == [] and not message.get("tool_calls"):
        yield "content: is an empty list"


def _parts_have_a_type(message: Message) -> Iterator[str]:
    """Want the type of each part, as the API says in a recording of crewAI's tests."""
    for position, part in enumerate(_objects(message.get("content"))):
        if part.get("type") is None:
            yield f"content[{position}].type: is missing"


def _parts_suit_the_role(message: Message) -> Iterator[str]:
    """
    Refuse media where the role has text only, and types that are not known.

    Recorded for tool results in pydantic-ai's tests. video_url is no type of OpenAI,
    but one of vLLM and OpenRouter.
    """
    types = PART_TYPES.get(str(message.get("role")), TEXT_ONLY)
    for position, part in enumerate(_objects(message.get("content"))):
        if part.get("type") is not None and part.get("type") not in types:
            yield f"content[{position}].type: is not one for this role"


def _images_are_of_a_known_type(message: Message) -> Iterator[str]:
    """Want png, jpeg, gif or webp, as the API says in a recording of openllmetry's."""
    for position, part in enumerate(_objects(message.get("content"))):
        url = str(_object(part.get("image_url")).get("url"))
        if url.startswith("data:") and not IMAGE.match(url):
            yield f"content[{position}].image_url.url: is no png, jpeg, gif or webp"


def _files_are_complete(message: Message) -> Iterator[str]:
    """Want an id, or data and a filename (openai/openai-agents-python#1513)."""
    for position, part in enumerate(_objects(message.get("content"))):
        file = _object(part.get("file"))
        has_data = file.get("file_data") and file.get("filename")
        if part.get("type") == "file" and not (file.get("file_id") or has_data):
            yield f"content[{position}].file: has neither file_id nor data and filename"


def _calls_are_not_an_empty_list(message: Message) -> Iterator[str]:
    """Refuse [] (chatboxai/chatbox#2079); the key is to be left out then."""
    if message.get("tool_calls") == []:
        yield "tool_calls: is an empty list"


def _calls_have_a_type(message: Message) -> Iterator[str]:
    """Want one of the types that the openai package has."""
    for position, call in enumerate(_objects(message.get("tool_calls"))):
        if call.get("type") not in CALL_TYPES:
            yield f"tool_calls[{position}].type: is not known"


def _ids_are_short(message: Message) -> Iterator[str]:
    """Want ids of 1 to 40 characters (microsoft/autogen#6377)."""
    ids = {
        f"tool_calls[{position}].id": call.get("id")
        for position, call in enumerate(_objects(message.get("tool_calls")))
    }
    if message.get("role") == "tool":
        ids["tool_call_id"] = message.get("tool_call_id")
    for field, call_id in ids.items():
        if not isinstance(call_id, str) or not 1 <= len(call_id) <= MAX_ID:
            yield f"{field}: is not a text of 1 to {MAX_ID} characters"


def _arguments_are_text(message: Message) -> Iterator[str]:
    """Refuse arguments that are no text (aaif-goose/goose-mobile#20)."""
    for position, call in enumerate(_objects(message.get("tool_calls"))):
        function = _object(call.get("function"))
        if call.get("type") == "function" and not isinstance(
            function.get("arguments"), str
        ):
            yield f"tool_calls[{position}].function.arguments: is no text"


def _tool_names_are_plain(message: Message) -> Iterator[str]:
    """Want letters, digits, _ and - (mcp-use/mcp-use#90, continuedev/continue#9784)."""
    for position, call in enumerate(_objects(message.get("tool_calls"))):
        name = str(_object(call.get("function")).get("name", ""))
        if call.get("type") == "function" and not TOOL_NAME.fullmatch(name):
            yield f"tool_calls[{position}].function.name: does not match [a-zA-Z0-9_-]+"


def _names_are_plain(message: Message) -> Iterator[str]:
    """
    Refuse a participant's name with a space or one of < | \\ / > in it.

    FlowiseAI/Flowise#2948 has the older rule, which takes letters, digits, _ and - only.
    """
    name = message.get("name")
    if name is not None and not PARTICIPANT.fullmatch(str(name)):
        yield "name: has a space in it, or one of < | \\ / >, or is empty"


BLOCK_RULES = (_no_orphans, _all_answered)
MESSAGE_RULES = (
    _role_is_known,
    _content_is_text_or_parts,
    _content_is_there,
    _content_is_not_an_empty_list,
    _parts_have_a_type,
    _parts_suit_the_role,
    _images_are_of_a_known_type,
    _files_are_complete,
    _calls_are_not_an_empty_list,
    _calls_have_a_type,
    _ids_are_short,
    _arguments_are_text,
    _tool_names_are_plain,
    _names_are_plain,
)


def _object(value: object) -> Message:
    return cast("Message", value) if isinstance(value, Mapping) else {}


def _objects(value: object) -> list[Message]:
    if isinstance(value, list):
        return [_object(item) for item in cast("list[object]", value)]
    return []
