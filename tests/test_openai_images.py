"""What images cost OpenAI's models, by their size and detail."""

import base64
import struct

import pytest

from chatmemory import ImageContent, UserMessage
from chatmemory.tiktoken import TiktokenEstimator


def cost(model, image):
    count = TiktokenEstimator(model).count_unit
    return count([UserMessage([image])]) - count([UserMessage("")])


def png(width, height):
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height)


def gif(width, height):
    return b"GIF89a" + struct.pack("<HH", width, height)


def jpeg(width, height):
    thumbnail = b"\xff\xe1" + struct.pack(">H", 2 + 9_000) + b"\xff\xc0" * 4_500
    tables = b"\xff\xc4" + struct.pack(">H", 2 + 20) + b"\x00" * 20
    frame = b"\xff\xc2" + struct.pack(">HBHH", 17, 8, height, width)
    return b"\xff\xd8" + thumbnail + tables + frame


def image(data, **fields):
    text = base64.b64encode(data).decode()
    return ImageContent(base64_data=text, mime_type="image/png", **fields)


SIZES = [
    ((1, 1), 1),
    ((512, 512), 1),
    ((513, 512), 2),
    ((1024, 768), 4),
    ((768, 1024), 4),
    ((1024, 1024), 4),
    ((4000, 4000), 4),
    ((2048, 1024), 6),
    ((3000, 300), 4),
    ((9000, 500), 4),
    # Billed so by OpenAI: https://community.openai.com/t/1281361
    ((2049, 513), 8),
    ((2050, 513), 4),
    ((0, 0), 0),
]


@pytest.mark.parametrize("written", [png, gif, jpeg])
@pytest.mark.parametrize(("size", "tiles"), SIZES)
def test_sizes(written, size, tiles):
    """An image is scaled to 2048 and its short side to 768, then cut into tiles of 512."""
    content = image(written(*size), detail_level="HIGH")
    assert 85 + 170 * tiles == cost("gpt-4o", content)


@pytest.mark.parametrize(("level", "tiles"), [("LOW", 0), ("MEDIUM", 2), ("AUTO", 2)])
def test_detail(level, tiles):
    """Only low detail costs less: the size does not matter then."""
    content = image(png(600, 300), detail_level=level)
    assert 85 + 170 * tiles == cost("gpt-4o", content)


def test_data_urls():
    """Data in a URL is as good as any."""
    data = base64.b64encode(png(513, 1)).decode()
    content = ImageContent(url=f"data:image/png;base64,{data}", detail_level="HIGH")
    assert 85 + 170 * 2 == cost("gpt-4o", content)


UNKNOWN = {
    "a URL": ImageContent(url="https://example.org/a.png", detail_level="HIGH"),
    "nothing": ImageContent(detail_level="HIGH"),
    "another type": image(b"RIFF....WEBPVP8 ", detail_level="HIGH"),
    "cut off": image(png(9, 9)[:20], detail_level="HIGH"),
    "a JPEG without a frame": image(jpeg(9, 9)[:9_000], detail_level="HIGH"),
    "no base64": ImageContent(base64_data="a", detail_level="HIGH"),
    "no ASCII": ImageContent(base64_data="äöü", detail_level="HIGH"),
}


@pytest.mark.parametrize("content", UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_sizes(content):
    """What can't be measured counts as a square of 1024 pixels."""
    assert 765 == cost("gpt-4o", content)


MODELS = [
    ("gpt-4", 85, 765),
    ("gpt-4o", 85, 765),
    ("gpt-4.1", 85, 765),
    ("my-deployment", 85, 765),
    ("gpt-4o-mini", 2833, 2833 + 4 * 5667),
    ("o3", 75, 675),
    ("gpt-5", 70, 630),
    ("gpt-4.1-mini", 1660, 1660),
    ("gpt-4.1-nano", 2520, 2520),
    ("o4-mini", 1762, 1762),
    ("gpt-5-mini", 1230, 1230),
    ("gpt-5-nano", 1537, 1537),
]


@pytest.mark.parametrize(("model", "low", "high"), MODELS)
def test_models(model, low, high):
    """Each model has its prices; those that count patches know no low detail."""
    url = "https://example.org/a.png"
    assert low == cost(model, ImageContent(url=url, detail_level="LOW"))
    assert high == cost(model, ImageContent(url=url, detail_level="HIGH"))


# Billed so by OpenAI: https://community.openai.com/t/1262691 and /t/1281361
PATCHES = [
    ("gpt-4.1-mini", (128, 64), 14),
    ("gpt-4.1-nano", (128, 64), 21),
    ("o4-mini", (128, 64), 15),
    ("gpt-4.1-mini", (4000, 1474), 2489),
]


@pytest.mark.parametrize(("model", "size", "tokens"), PATCHES)
@pytest.mark.parametrize("level", ["LOW", "HIGH"])
def test_patches(model, size, tokens, level):
    """Squares of 32 pixels, but never more than 1536 of them, whatever the detail."""
    assert tokens == cost(model, image(png(*size), detail_level=level))
