"""What a store has to bring back as it was: ids, and messages of every kind."""

from chatmemory.attributes import JsonValue
from chatmemory.contents import (
    AudioContent,
    Content,
    DetailLevel,
    ImageContent,
    PdfFileContent,
    TextContent,
    VideoContent,
)
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    CustomMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)


IDS = [
    "Alice",
    "alice",
    "alice ",
    " alice",
    "ali_e",
    "alice\t",
    "ali%",
    "ali",
    "\uff41lice",  # fullwidth
    "alice\u200b",
    "\u00e9",  # composed
    "e\u0301",  # decomposed
    "e",
    "stra\u00dfe",
    "strasse",
    "1",
    "01",
    "1.0",
    "../alice",
    "alice:bob",
    "'; DROP TABLE chatmemory; --",
    '" OR ""="',
    "x" * 255,
    "x" * 254 + "y",
    "x" * 254 + "\u00e9",
    "\U0001f600" * 255,
]

TEXTS = {
    "empty": "",
    "spaces at both ends": " \t text \n ",
    "line breaks": "\r\n, \n, \r, \u0085, \u2028 and \u2029",
    "NUL": "before\0after",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x9f",
    "lone high surrogate": "half \ud83d",
    "lone low surrogate": "\ude00 half",
    "surrogates in the wrong order": "\ude00\ud83d",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u202e",
    "composed and decomposed": "\u00e9 e\u0301 \ufb01 n\u0323\u0303",
    "four bytes": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1f3\U0001f1f4",
    "the last character": "\U0010ffff \uffff \ufeff",
    "quotes and markers": "'; DROP TABLE x; -- \" \\ %s %(x)s :x ? $1 {} <b>&amp;",
    "JSON": '{"type":"USER","contents":[null]}',
    "1 MB": "0123456789abcde\u00e9" * 2**16,
}

# As JSON writes them, or not.
VALUES: dict[str, JsonValue] = {
    "null": None,
    "booleans": [True, False],
    "small": [0, 1, -1, 1.0, 0.0, -0.0],
    "beyond 64 bits": [2**63, -(2**63) - 1, 2**64, 10**40],
    "floats": [1e-7, 1e300, 5e-324, 0.1, 1e22, 123456789.123456789],
    "texts": ["", "\0", "\ud83d", "\U0001f600"],
    "nested": [[], {}, [[]], {"": {"a b": [None, {"type": "x"}]}}],
    "": "no name",
    "type": "a name that JSON forms use",
}

REQUEST = ToolExecutionRequest(
    id="call_1",
    name="get_weather",
    arguments='{"city": "Z\u00fcrich", "days": 3.0}',
    attributes={"signature": "c2ln", "n": 2**70},
)

CONTENTS: dict[str, Content] = {
    "text": TextContent("text", attributes={"cache_control": {"type": "ephemeral"}}),
    "image url": ImageContent(url="https://example.org/a b.png?q=\u00e9"),
    "image": ImageContent(
        base64_data="aGk=",
        mime_type="image/png",
        revised_prompt="a cat",
        detail_level=DetailLevel.ULTRA_HIGH,
        attributes=VALUES,
    ),
    "audio url": AudioContent(url="https://example.org/a.wav"),
    "audio bytes": AudioContent(
        binary_data=bytes(range(256)), mime_type="audio/wav", attributes=VALUES
    ),
    "audio": AudioContent(base64_data="aGk=", mime_type="audio/wav"),
    "video": VideoContent(
        base64_data="aGk=", mime_type="video/mp4", attributes={"n": 1}
    ),
    "video url": VideoContent(url="https://example.org/a.mp4"),
    "PDF": PdfFileContent(base64_data="aGk=", attributes={"title": "\u00e9"}),
    "PDF url": PdfFileContent(url="https://example.org/a.pdf", mime_type="x/pdf"),
}

MESSAGES: dict[str, ChatMessage] = {
    **{f"text: {name}": UserMessage(text) for name, text in TEXTS.items()},
    **{f"content: {name}": UserMessage([each]) for name, each in CONTENTS.items()},
    "system": SystemMessage("You are a travel agent.", attributes=VALUES),
    "user": UserMessage(list(CONTENTS.values()), name="Klaus", attributes=VALUES),
    "user without a name": UserMessage("Hi", name=""),
    "AI": AiMessage(
        "text",
        thinking="thinking \ud83d",
        tool_execution_requests=[REQUEST, ToolExecutionRequest()],
        attributes={"anthropic": {"signature": "c2ln"}, **VALUES},
    ),
    "AI without anything": AiMessage(),
    "AI with empty texts": AiMessage("", thinking=""),
    "result": ToolExecutionResultMessage.of(REQUEST, "4"),
    "result without id": ToolExecutionResultMessage(text=""),
    "failed result": ToolExecutionResultMessage(
        id="",
        tool_name="",
        contents=list(CONTENTS.values()),
        is_error=True,
        attributes=VALUES,
    ),
    "result that is no error": ToolExecutionResultMessage(text="4", is_error=False),
    "custom": CustomMessage(VALUES),
    "custom without anything": CustomMessage(),
}

# The two halves of one character as two: text that JSON has no form for.
HARD_TO_STORE = UserMessage("\ud83d" + "\ude00")
