"""Images, sounds, files and videos."""

import attrs
import pytest

from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.contents import (
    AudioContent,
    DetailLevel,
    ImageContent,
    PdfFileContent,
    TextContent,
    VideoContent,
)
from chatmemory.errors import (
    UnsupportedContentError,
)
from chatmemory.messages import (
    UserMessage,
)
from openai_wire import assert_comes_back, image, user, written


@pytest.mark.parametrize(
    ("part", "content"),
    [
        (
            image(detail="low"),
            ImageContent(url="https://example.org/a.png", detail_level="LOW"),
        ),
        (
            image("data:image/png;base64,iVBO", detail="high"),
            ImageContent(
                base64_data="iVBO", mime_type="image/png", detail_level="HIGH"
            ),
        ),
        (image(), ImageContent(url="https://example.org/a.png", detail_level="AUTO")),
        (
            {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
            AudioContent(base64_data="AA==", mime_type="audio/wav"),
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "", "format": "mp3"}},
            AudioContent(base64_data="", mime_type="audio/mp3"),
        ),
        (
            {"type": "video_url", "video_url": {"url": "https://example.org/v"}},
            VideoContent(url="https://example.org/v"),
        ),
        (
            {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AA=="}},
            VideoContent(base64_data="AA==", mime_type="video/mp4"),
        ),
        (
            {
                "type": "file",
                "file": {"file_data": "data:application/pdf;base64,AA=="}
                | {"filename": "a.pdf"},
            },
            PdfFileContent(
                base64_data="AA==",
                attributes={"openai": {"file": {"filename": "a.pdf"}}},
            ),
        ),
        (
            {"type": "file", "file": {"file_id": "file-1"}},
            PdfFileContent(attributes={"openai": {"file": {"file_id": "file-1"}}}),
        ),
    ],
)
def test_medium_in_both_directions(part, content):
    """Each kind of medium is a content of its own, and comes back as it was."""
    assert [UserMessage([content])] == from_openai([user(part)])
    assert user(part) == written(UserMessage([content]))


@pytest.mark.parametrize(
    "part",
    [
        image("data:image/svg+xml,<svg/>"),
        image("data:image/png;charset=x;base64,AA=="),
        image("data:;base64,AA=="),
        image(""),
        image(detail="original", format="image/png"),
        image(detail=None),
        image() | {"cache_control": {}},
        {"type": "video_url", "video_url": {"url": "https://a", "fps": 2}, "x": 1},
        {
            "type": "input_audio",
            "input_audio": {"data": "AA==", "format": "flac", "id": "a"},
        },
        {
            "type": "file",
            "file": {
                "file_data": "data:text/plain;base64,AA==",
                "filename": "a.txt",
                "file_id": None,
            },
        },
        {"type": "file", "file": {"file_data": "https://example.org/a.pdf"}},
    ],
)
def test_unusual_medium_comes_back(part):
    """What has no place in a content is kept beside it."""
    assert_comes_back(user(part))


@pytest.mark.parametrize(
    ("level", "detail"),
    [("LOW", "low"), ("MEDIUM", "auto"), ("HIGH", "high"), ("ULTRA_HIGH", "high")],
)
def test_detail_level(level, detail):
    """Each level is sent as the nearest that the API has."""
    content = ImageContent(url="https://example.org/a.png", detail_level=level)

    assert user(image(detail=detail)) == written(UserMessage([content]))


def test_automatic_detail_is_left_out():
    """That the model decides is the default, so it is not said."""
    (message,) = from_openai([user(image(detail="auto"))])

    assert DetailLevel.AUTO is message.contents[0].detail_level
    assert user(image()) == written(message)


@pytest.mark.parametrize(
    ("level", "detail"), [("ULTRA_HIGH", "original"), ("AUTO", "auto"), ("LOW", "low")]
)
def test_changed_detail_level_wins_over_the_kept_one(level, detail):
    """A detail that only OpenAI has is sent until somebody changes the level."""
    (message,) = from_openai([user(image(detail="original"))])
    content = attrs.evolve(message.contents[0], detail_level=level)

    assert user(image(detail=detail)) == written(UserMessage([content]))


@pytest.mark.parametrize(
    ("mime_type", "audio_format"),
    [
        ("audio/mpeg", "mp3"),
        ("audio/mp3", "mp3"),
        ("audio/x-wav", "wav"),
        ("audio/ogg", "ogg"),
    ],
)
def test_audio_format(mime_type, audio_format):
    """Bytes are sent as base64, in the format that their type names."""
    content = AudioContent(binary_data=b"\x00\xff", mime_type=mime_type)
    part = {"data": "AP8=", "format": audio_format}

    assert user({"type": "input_audio", "input_audio": part}) == written(
        UserMessage([content])
    )


def test_file_data_gets_a_filename():
    """OpenAI refuses file data without a filename, so there is always one."""
    content = PdfFileContent(base64_data="AA==")
    file = {"file_data": "data:application/pdf;base64,AA==", "filename": "file"}

    assert user({"type": "file", "file": file}) == written(UserMessage([content]))


@pytest.mark.parametrize(
    "content",
    [
        ImageContent(),
        ImageContent(base64_data="AA=="),
        ImageContent(mime_type="image/png"),
        VideoContent(),
        AudioContent(),
        AudioContent(mime_type="audio/wav"),
        AudioContent(url="https://example.org/a.wav", mime_type="audio/wav"),
        AudioContent(base64_data="AA=="),
        AudioContent(base64_data="AA==", mime_type="application/ogg"),
        PdfFileContent(),
        PdfFileContent(url="https://example.org/a.pdf"),
    ],
)
def test_medium_that_says_too_little_is_refused(content):
    """Nothing is guessed: without data or its type a medium has no form."""
    with pytest.raises(UnsupportedContentError, match="it needs") as caught:
        to_openai([UserMessage("a"), UserMessage([TextContent("b"), content])])

    assert (1, type(content).__name__) == (
        caught.value.message_index,
        caught.value.content_type,
    )
