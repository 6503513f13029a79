"""
Database servers that tests use if they are there.

On a laptop a test without its server is skipped and says so; where CI is "true" it
fails, so that no gate is green for want of a server.
"""

import os
import socket

from functools import cache

import pytest

from sqlalchemy import make_url


URLS = {
    "postgresql": os.environ.get(
        "CHATMEMORY_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1/test"
    ),
    "mysql": os.environ.get("CHATMEMORY_TEST_MYSQL", "mysql://root@127.0.0.1/test"),
}
PORTS = {"postgresql": 5432, "mysql": 3306}


def url_of(server: str, driver: str) -> str:
    """Return the URL of a running server; skip the test, or fail it, without one."""
    url = make_url(URLS[server]).set(drivername=f"{server}+{driver}")
    if not _is_reachable(url.host or "127.0.0.1", url.port or PORTS[server]):
        _miss(f"no {server} at {url.host}: set CHATMEMORY_TEST_{server.upper()}")
    return url.render_as_string(hide_password=False)


def _miss(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@cache
def _is_reachable(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError:
        return False
    return True
