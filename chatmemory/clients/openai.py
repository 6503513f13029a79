"""
OpenAI Chat Completions, and all that speak it.

Azure, Groq, vLLM, LiteLLM, DeepSeek, OpenRouter and Mistral's, Gemini's and Ollama's
compatible endpoints take what `to_openai` makes. Nothing here imports an SDK.

What becomes of each message:

- `SystemMessage`: role system, wherever it stands; role developer if it came as one,
  which is `attributes={"openai": {"role": "developer"}}`.
- `UserMessage`: a text is a str, also a blank one; contents are parts. In `name` each
  character that OpenAI refuses there (white space and < | \\ / >) becomes _.
- `AiMessage`: text as content, requests as tool_calls. Without text, calls, refusal
  and audio it is left out. Thinking goes back into the field it came from
  (reasoning_content or reasoning); other thinking is not sent, as Chat has no place
  for it.
- `ToolExecutionResultMessage`: role tool, with text only; there is no flag for errors,
  so `is_error` is not sent. Its `tool_name` is that of the call, and sent as name only
  if it came as one.
- `CustomMessage`: `UnsupportedContentError`, like every content named below as having
  no form.

What becomes of each content:

- `TextContent`: text. Parts of a system or assistant message are joined to one text;
  the parts themselves are kept, and sent for as long as the text is the same.
- `ImageContent`: image_url, with its URL, or a data URL of base64_data and mime_type.
  MEDIUM is sent as "auto", ULTRA_HIGH as "high", AUTO is left out; "original" is read
  as ULTRA_HIGH. `revised_prompt` is not sent.
- `AudioContent`: input_audio; the format is what follows audio/ in `mime_type`, with
  mp3 for audio/mpeg and wav for audio/wave and the like. A URL has no form.
- `PdfFileContent`: file, with the file_id it came with, or a data URL; a file of
  another type keeps its `mime_type`. A URL has no form.
- `VideoContent`: video_url, which OpenAI has not, but compatible servers have.

Calls and results have ids. One that is not 1 to 40 visible ASCII characters is replaced
by a hash, one that is missing by the position of the call; the result gets the same.

Fields that no message, call or content has (cache_control, prefix, refusal, audio,
extra_content with a signature, ...) are kept in `attributes["openai"]` and sent as they
came. So `to_openai(from_openai(history)) == history`, but for these, which mean the same:

- a list of one text part without further fields becomes a str;
- assistant content that is missing or [] becomes null; tool_calls that are missing,
  null or [] are left out; an assistant message with nothing to send is left out;
- a detail of "auto" is left out;
- the id and type of a call and the id of a result are there, arguments that are missing
  or null are "{}", and base64 file data has a filename ("file" if it had none);
- of audio that the model spoke only the id is sent; audio without an id, and a
  function_call without a name and arguments, as some gateways add, are left out;
- so are parsed and parsed_arguments, which are the SDK's own.

The sources: the types of the openai package for the fields; requests recorded in the
tests of pydantic-ai, llama-stack and openllmetry for what servers accept, among them
unknown fields; for what OpenAI refuses, its answers quoted in langchainjs#11419
(content []), llama_index#17921 (null without calls), microsoft/autogen#6377 (ids of 40
characters), openai-agents-python#1513 (no filename), pydantic-ai (media in tool
results); DeepSeek's for reasoning_content (continuedev/continue#11285).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from chatmemory.clients._fields import SupportsModelDump
from chatmemory.clients._ids import wire_ids
from chatmemory.clients._openai_calls import ACCEPTED_IDS
from chatmemory.clients._openai_fields import fields_of, take_list
from chatmemory.clients._openai_messages import read, write
from chatmemory.clients._tool_names import with_tool_names
from chatmemory.errors import InvalidMessageError, MessageTypeError
from chatmemory.messages import AiMessage, ChatMessage


if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam


__all__ = ["from_openai", "reply_from_openai", "to_openai"]


def to_openai(messages: Sequence[ChatMessage]) -> "list[ChatCompletionMessageParam]":
    """
    Return what `client.chat.completions.create(messages=...)` takes.

    Messages are sent in their order and number: it is the memory's view, or
    `chatmemory.conversation.repair`, that makes calls and results fit together. Raises
    `UnsupportedContentError` for what the API has no form for.
    """
    messages = list(messages)
    ids = wire_ids(messages, ACCEPTED_IDS)
    written = (write(index, message, ids) for index, message in enumerate(messages))
    return cast(
        "list[ChatCompletionMessageParam]",
        [fields for fields in written if fields is not None],
    )


def from_openai(
    history: Iterable[Mapping[str, object] | SupportsModelDump],
) -> list[ChatMessage]:
    """
    Build messages of a history as OpenAI Chat has it.

    Its items are dicts or message objects of the SDK, and so are the tool calls within
    them. A result gets the name of the tool whose call it answers. Raises
    `MessageTypeError` for an item or field of a wrong type, `InvalidMessageError` for
    a blank system message or an empty list of parts, and `UnsupportedContentError` for
    roles, parts and calls of an unknown type and for function_call.
    """
    return with_tool_names(
        [read(index, _item_fields(index, item)) for index, item in enumerate(history)]
    )


def reply_from_openai(response: Mapping[str, object] | SupportsModelDump) -> AiMessage:
    """
    Build a message of what the model answered.

    *response* is a ChatCompletion, one of its choices or the message of one, as an
    object or a dict; of several choices it is the first. Fields that are null and empty
    annotations are left out, as some compatible servers refuse them when they are sent
    back.
    """
    fields = _without_noise(_reply_fields(fields_of(response, "a response")))
    message = read(0, {"role": "assistant", **fields})
    if isinstance(message, AiMessage):
        return message
    msg = f"a reply comes from the assistant: {type(message).__name__} is none"
    raise MessageTypeError(msg)


def _item_fields(index: int, item: object) -> dict[str, object]:
    what = f"item {index} of a history"
    fields = fields_of(item, what)
    return fields if isinstance(item, Mapping) else _without_noise(fields)


def _reply_fields(fields: dict[str, object]) -> dict[str, object]:
    if "role" in fields:
        return fields
    if "message" in fields:
        return fields_of(fields["message"], "the message of a choice")
    if "delta" in fields:
        msg = (
            "a streamed chunk is no whole reply: add up the stream first, e.g. with "
            "client.chat.completions.stream(...) and its get_final_completion()"
        )
        raise MessageTypeError(msg)
    choices = take_list(fields, "choices")
    if not choices:
        msg = (
            "the response has no choices, so there is no reply to remember: look at its "
            "error field, and ask again"
        )
        raise InvalidMessageError(msg)
    return _reply_fields(fields_of(choices[0], "a choice"))


def _without_noise(fields: dict[str, object]) -> dict[str, object]:
    return {
        name: value
        for name, value in fields.items()
        if value is not None and not (name == "annotations" and value == [])
    }
