"""
A model on this machine that speaks OpenAI Chat.

It calls the first tool of a request once, and otherwise answers with a sentence. A request
that breaks a rule of OpenAI's gets the status 400, as there.
"""

import json
import threading

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chatmemory.cli.openai_rules import violations


ANSWER = "There is one at 9:40."


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        """Answer a request to /chat/completions."""
        size = int(self.headers["Content-Length"])
        request = json.loads(self.rfile.read(size))
        self.server.requests.append(request)
        found = violations(request["messages"])
        if found:
            self._send(400, {"error": {"message": found[0], "type": "invalid_request"}})
        else:
            self._send(200, completion(request))

    def log_message(self, *args):
        """Say nothing."""

    def _send(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def completion(request):
    """Return what the model makes of a request, as OpenAI writes it."""
    wants_tool = request.get("tools") and request["messages"][-1]["role"] == "user"
    message = {"role": "assistant", "content": ANSWER, "refusal": None}
    if wants_tool:
        function = {
            "name": request["tools"][0]["function"]["name"],
            "arguments": '{"city": "Oslo"}',
        }
        call = {"id": "call_1", "type": "function", "function": function}
        message |= {"content": None, "tool_calls": [call]}
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": "tool_calls" if wants_tool else "stop",
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request["model"],
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


@contextmanager
def stub() -> Iterator[tuple[str, list[dict]]]:
    """Serve on a free port; give the base URL, and the requests as they come."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        server.requests = []
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", server.requests
        finally:
            server.shutdown()
            thread.join()
