"""
A way to a database server that breaks when it is told to.

What is sent to the server is searched for a pattern. The connection that sends it is cut
before the server has got it, or once the server has answered, but without the answer.
"""

import re
import select
import socket
import socketserver
import threading

from contextlib import suppress
from typing import Self

import attrs

from sqlalchemy import URL, make_url

from servers import PORTS


CHUNK = 65536


@attrs.frozen
class Cut:
    """Where to cut: at what is sent, `before` or else after the server did it."""

    sent: bytes
    before: bool = False


class CuttingProxy(socketserver.ThreadingTCPServer):
    """Pass on connections to a server; used as `with`, it runs in a thread."""

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        parsed = make_url(url)
        port = parsed.port or PORTS[parsed.get_backend_name()]
        self.target = (parsed.host, port)
        self.url = _unencrypted(parsed.set(host="127.0.0.1", port=self.port))
        self._cut: Cut | None = None
        self._cuts = 0
        self._sent = b""
        self._open: set[_Connection] = set()
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        """Where the proxy listens."""
        return self.server_address[1]

    def cut_at(self, cut: Cut) -> None:
        """Cut the next connection that sends this; only the one."""
        with self._lock:
            self._cut, self._cuts, self._sent = cut, 0, b""

    def cut_all(self) -> int:
        """Cut all connections that there are; return how many."""
        with self._lock:
            cut = list(self._open)
        for connection in cut:
            connection.cut()
        return len(cut)

    def times_sent(self, pattern: bytes) -> int:
        """Count how often something was sent since `cut_at`."""
        with self._lock:
            return len(re.findall(pattern, self._sent))

    def due(self, sent: bytes) -> Cut | None:
        """Return the cut that is due with what is sent, and forget it."""
        with self._lock:
            self._sent += sent
            due = self._cut
            if due is None or not re.search(due.sent, self._sent):
                return None
            self._cut = None
            return due

    def opened(self, connection: "_Connection") -> None:
        """Take note of a connection."""
        with self._lock:
            self._open.add(connection)

    def closed(self, connection: "_Connection") -> None:
        """Forget a connection."""
        with self._lock:
            self._open.discard(connection)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.shutdown()
        self._thread.join()
        self.cut_all()
        self.server_close()


class _Connection(socketserver.BaseRequestHandler):
    """One connection, in a thread of its own."""

    server: CuttingProxy
    request: socket.socket

    def handle(self) -> None:
        with socket.create_connection(self.server.target) as self._upstream:
            self.server.opened(self)
            # Either end may go at any time.
            with suppress(OSError):
                while self._passed_on():
                    pass
            self.server.closed(self)

    def cut(self) -> None:
        """Shut both ends; the thread sees it."""
        for end in (self.request, self._upstream):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _passed_on(self) -> bool:
        """Pass on what comes next; return whether the connection goes on."""
        readable, _, _ = select.select([self.request, self._upstream], [], [])
        if self._upstream in readable:
            answer = self._upstream.recv(CHUNK)
            self.request.sendall(answer)
            return bool(answer)
        sent = self.request.recv(CHUNK)
        cut = self.server.due(sent)
        if cut is None or not cut.before:
            self._upstream.sendall(sent)
        if cut is not None and not cut.before:
            self._upstream.recv(CHUNK)
        return bool(sent) and cut is None


def _unencrypted(url: URL) -> str:
    """Name a URL whose traffic can be read, if the server has TLS as well."""
    options = {"psycopg": {"sslmode": "disable"}, "asyncpg": {"ssl": "disable"}}
    query = options.get(url.get_driver_name(), {})
    return url.update_query_dict(query).render_as_string(hide_password=False)
