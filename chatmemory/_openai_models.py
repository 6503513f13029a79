"""What a chat costs OpenAI's models beside its texts."""

import math
import re

import attrs


# Of an image whose size is not known.
SQUARE = (1024, 1024)


@attrs.frozen
class Tiles:
    """Images by squares of 512 pixels, after scaling to 2048, and the short side to 768."""

    base: int
    tile: int

    def cost(self, size: tuple[int, int] | None, *, is_low: bool) -> int:
        """Return the tokens of an image; in low detail it has no tiles."""
        if is_low:
            return self.base
        width, height = size or SQUARE
        scale = min(1, 2048 / max(width, height, 1), 768 / max(min(width, height), 1))
        columns, rows = (
            math.ceil(round(side * scale) / 512) for side in (width, height)
        )
        return self.base + self.tile * columns * rows


@attrs.frozen
class Patches:
    """Images by squares of 32 pixels, at most 1536 of them."""

    factor: float

    def cost(self, size: tuple[int, int] | None, *, is_low: bool) -> int:
        """Return the tokens of an image, whatever its detail."""
        width, height = size or SQUARE
        patches = min(1536, math.ceil(width / 32) * math.ceil(height / 32))
        return 1 + round(self.factor * patches)


@attrs.frozen
class OpenAIModel:
    """
    The vocabulary of a model, and the tokens that its rendering of a chat adds.

    `reply` is added to each request, `calls` to each message with calls, and `text` to
    each message of the assistant without.
    """

    vocabulary: str = "o200k_base"
    reply: int = 3
    calls: int = 0
    text: int = 0
    images: Tiles | Patches = Tiles(85, 170)


def _gpt_5(images: Tiles | Patches) -> OpenAIModel:
    return OpenAIModel(reply=2, calls=6, text=2, images=images)


# A name begins with a pattern; the first counts. The numbers follow from what OpenAI
# reported for recorded requests, those of o1 and o3 for images from its documentation.
_MODELS = {
    r"gpt-3|gpt-4(?![\do.])": OpenAIModel("cl100k_base"),
    r"gpt-4o-mini": OpenAIModel(images=Tiles(2833, 5667)),
    r"gpt-4\.1-mini": OpenAIModel(images=Patches(1.62)),
    r"gpt-4\.1-nano": OpenAIModel(images=Patches(2.46)),
    r"o4-mini": OpenAIModel(reply=2, images=Patches(1.72)),
    r"o\d": OpenAIModel(reply=2, images=Tiles(75, 150)),
    r"gpt-5.*-mini": _gpt_5(Patches(1.2)),
    r"gpt-5.*-nano": _gpt_5(Patches(1.5)),
    r"gpt-([5-9]|\d\d)": _gpt_5(Tiles(70, 140)),
    r"": OpenAIModel(),
}


def model_named(name: str) -> OpenAIModel:
    """
    Return what is known of a model, by the beginning of its name.

    What comes before it, as in "openai/gpt-4o" and "ft:gpt-4o:my-org::id", is left out.
    """
    name = name.lower().rpartition("/")[2].removeprefix("ft:")
    return next(model for pattern, model in _MODELS.items() if re.match(pattern, name))
