"""What answers as Anthropic's and Google's servers do? Small strict ones on loopback, after their documentation, that call the tool they are given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Body = dict[str, Any]
Answering = Callable[[str, Body, Any], tuple[int, Body]]


@contextmanager
def serving(answer: Answering) -> Iterator[tuple[str, list[Body]]]:
    """A server that gives these answers; its address, and the requests so far."""
    requests: list[Body] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(asked)
            status, body = answer(self.path, asked, self.headers)
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing on the tests' output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def anthropic(fields: Body, key: str) -> Answering:
    """POST /v1/messages: a key, a version and max_tokens are required, and messages begin with the user's."""

    def answer(path: str, asked: Body, headers: Any) -> tuple[int, Body]:
        if key not in (headers.get("x-api-key"), headers.get("Authorization", "").removeprefix("Bearer ")):
            return 401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
        wrong = path.partition("?")[0] != "/v1/messages" or not headers.get("anthropic-version") or not asked.get("max_tokens")
        if wrong or asked["messages"][0]["role"] != "user" or not asked.get("model"):
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": f"{path} {sorted(asked)}"}}
        use = {"type": "tool_use", "id": "toolu_1", "name": asked["tools"][-1]["name"], "input": fields}
        usage = {"input_tokens": 321, "output_tokens": 12}
        return 200, {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": asked["model"],
            "content": [use],
            "stop_reason": "tool_use",
            "usage": usage,
        }

    return answer


def gemini(fields: Body, key: str) -> Answering:
    """POST /v1/models/NAME:generateContent (or v1beta) with a key in its own header."""

    def answer(path: str, asked: Body, headers: Any) -> tuple[int, Body]:
        if headers.get("x-goog-api-key") != key:
            return 403, {"error": {"code": 403, "message": "no", "status": "PERMISSION_DENIED"}}
        if not (path.startswith(("/v1/models/", "/v1beta/models/")) and path.endswith(":generateContent") and asked.get("contents")):
            return 400, {"error": {"code": 400, "message": path, "status": "INVALID_ARGUMENT"}}
        (tool,) = asked["tools"]
        call = {"functionCall": {"name": tool["functionDeclarations"][-1]["name"], "args": fields}}
        usage = {"promptTokenCount": 321, "candidatesTokenCount": 12, "totalTokenCount": 333}
        content = {"role": "model", "parts": [call]}
        return 200, {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage, "modelVersion": "x"}

    return answer
