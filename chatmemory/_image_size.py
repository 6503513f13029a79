"""The size of an image, read from the beginning of its data."""

import binascii
import struct

from chatmemory.contents import ImageContent


# In base64; what stands before the size of a JPEG may be a thumbnail or a profile.
_BEGINNING = 256 * 1024
_JPEG_SIZES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


def size_of(image: ImageContent) -> tuple[int, int] | None:
    """Return width and height of an embedded PNG, GIF or JPEG, if they can be read."""
    text = image.base64_data or _embedded(image.url or "")
    try:
        return _size(binascii.a2b_base64(text[:_BEGINNING] + "=="))
    except (ValueError, struct.error):
        return None


def _embedded(url: str) -> str:
    return url.partition(";base64,")[2] if url.startswith("data:") else ""


def _size(data: bytes) -> tuple[int, int] | None:
    width: int
    height: int
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        width, height = struct.unpack_from(">II", data, 16)
    elif data.startswith(b"GIF8"):
        width, height = struct.unpack_from("<HH", data, 6)
    elif data.startswith(b"\xff\xd8"):
        height, width = struct.unpack_from(">HH", data, _jpeg_frame(data) + 5)
    else:
        return None
    return width, height


def _jpeg_frame(data: bytes) -> int:
    position = 2
    while True:
        kind, length = struct.unpack_from(">xBH", data, position)
        if kind in _JPEG_SIZES:
            return position
        position += 2 + length
