"""Token counts as OpenAI reports them, with tiktoken's vocabularies."""

import re

from collections.abc import Iterable, Sequence
from typing import assert_never

from chatmemory.errors import InvalidOptionError, MissingExtraError


try:
    from tiktoken import Encoding
except ImportError as error:
    msg = "chatmemory.tiktoken needs tiktoken: pip install 'chatmemory-py[tiktoken]'"
    raise MissingExtraError(msg) from error

from chatmemory._image_size import size_of
from chatmemory._openai_models import OpenAIModel, model_named
from chatmemory._openai_rendering import (
    rendered_arguments,
    rendered_calls,
    rendered_results,
    tool_author,
)
from chatmemory._vocabulary import encoding_named
from chatmemory.contents import Content, DetailLevel, ImageContent, TextContent
from chatmemory.conversation import grouped
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    CustomMessage,
    SystemMessage,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory.tokens import MEDIUM


__all__ = ["TiktokenEstimator"]

MESSAGE = 4  # with its role
RESULT = 3  # which stands for the role: "functions." and the tool's name
ONE_CALL = 5
PARALLEL_CALLS = 16

# For a long run of letters or spaces tiktoken takes quadratic time, or overflows its
# stack. Between a letter or digit and a space or mark a text falls apart anyway.
_PART = 1_000
_PARTS = re.compile(
    rf".{{1,{_PART}}}(?<=[^\W_])(?=[\s!-&(-/:-@\u3001\u3002\uff0c])|.{{1,{_PART}}}",
    re.DOTALL,
)


class TiktokenEstimator:
    """
    Count as OpenAI bills, with the vocabulary and the rendering of a model.

    *model* is one of OpenAI's names, also "openai/gpt-4o" or a fine-tuned
    "ft:gpt-4o:...". Models count by the beginning of their names: gpt-3.5 and gpt-4;
    o1 and later; gpt-5 and later; all others, an unknown name too, count as gpt-4o.

    Texts, names, calls and results, also of parallel calls, are exact on recorded
    requests to Chat Completions, but for models with prompts of their own (o1-mini,
    search). An image is exact if its size can be read from its data, and else counts
    as one of 1024 x 1024 pixels; any other medium costs 765. Thinking costs nothing, as
    it is not sent. Definitions of tools and response formats are not counted: leave
    room for them.

    A text of more than 1,000 characters is counted in parts; that may cost a token in a
    stretch of 1,000 characters in which no letter or digit ends at a space or mark.

    The vocabulary is never downloaded. It comes from tiktoken's cache or from the extra
    `offline`; without both the constructor raises `EncodingUnavailableError`.
    """

    def __init__(self, model: str) -> None:
        if not model or not isinstance(model, str):
            msg = f'model must be the name of a model, as in "gpt-4o": {model!r}'
            raise InvalidOptionError(msg)
        self._name = model
        self._model: OpenAIModel = model_named(model)
        self._encoding: Encoding = encoding_named(self._model.vocabulary)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    def count_text(self, text: str, /) -> int:
        """Return the number of tokens; the names of special tokens are text."""
        parts = [text] if len(text) <= _PART else _PARTS.findall(text)
        return sum(len(self._encoding.encode_ordinary(part)) for part in parts)

    def count_unit(self, unit: Sequence[ChatMessage], /) -> int:
        """Return what a message or tool group costs; parallel calls are billed as one."""
        match unit:
            case [AiMessage(tool_execution_requests=(_, _, *_)) as message, _, *_]:
                return self._count_ai(message) + self._count_results(unit[1:])
            case _:
                return sum(map(self._count_message, unit))

    def count_messages(self, messages: Sequence[ChatMessage], /) -> int:
        """Return what a request costs, without the definitions of tools."""
        return self._model.reply + sum(map(self.count_unit, grouped(messages)))

    def _count_message(self, message: ChatMessage) -> int:
        match message:
            case SystemMessage():
                return MESSAGE + self.count_text(message.text)
            case UserMessage():
                name = 1 + self.count_text(message.name) if message.name else 0
                return MESSAGE + name + self._count_contents(message.contents)
            case AiMessage():
                return self._count_ai(message)
            case ToolExecutionResultMessage():
                author = self.count_text(tool_author(message.tool_name))
                return RESULT + author + self._count_contents(message.contents)
            case CustomMessage():
                return 0
            case _:  # pragma: no cover - there are no other messages
                assert_never(message)

    def _count_ai(self, message: AiMessage) -> int:
        said = MESSAGE + self.count_text(message.text or "")
        match message.tool_execution_requests:
            case ():
                return said + self._model.text
            case (request,):
                name = self.count_text(request.name or "")
                arguments = self.count_text(rendered_arguments(request))
                return said + self._model.calls + ONE_CALL + name + arguments
            case requests:
                calls = self.count_text(rendered_calls(requests))
                return said + self._model.calls + PARALLEL_CALLS + calls

    def _count_results(self, results: Sequence[ChatMessage]) -> int:
        answers = [r for r in results if isinstance(r, ToolExecutionResultMessage)]
        texts = [_text(answer.contents) for answer in answers]
        media = sum(self._count_media(answer.contents) for answer in answers)
        return self.count_text(rendered_results(texts)) + media

    def _count_contents(self, contents: Iterable[Content]) -> int:
        return self.count_text(_text(contents)) + self._count_media(contents)

    def _count_media(self, contents: Iterable[Content]) -> int:
        return sum(map(self._count_medium, contents))

    def _count_medium(self, content: Content) -> int:
        match content:
            case TextContent():
                return 0
            case ImageContent():
                is_low = content.detail_level is DetailLevel.LOW
                return self._model.images.cost(size_of(content), is_low=is_low)
            case _:
                return MEDIUM


def _text(contents: Iterable[Content]) -> str:
    return "".join(c.text for c in contents if isinstance(c, TextContent))
