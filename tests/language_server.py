"""What answers as OpenAI's server does? A small one on loopback, with the answers that a test gives it; what it was asked is written down."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Conversation:
    """The answers still to be given (fields of the shape, or a status to refuse with), and the requests so far."""

    def __init__(self, answers: Sequence[dict[str, Any] | int]) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.address = ""


@contextmanager
def language_server(*answers: dict[str, Any] | int) -> Iterator[Conversation]:
    """A server with these answers; `address` is what a client is given."""
    conversation = Conversation(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            conversation.requests.append(asked)
            conversation.keys.append(self.headers.get("Authorization", ""))
            answer = conversation.answers.pop(0) if conversation.answers else 500
            status, body = (answer, {"error": {"message": "no"}}) if isinstance(answer, int) else (200, completion(asked, answer))
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing on the tests' output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    conversation.address = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield conversation
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(asked: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """A call of the tool that the request asks for."""
    call = {"id": "c1", "type": "function", "function": {"name": asked["tools"][0]["function"]["name"], "arguments": json.dumps(answer)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": asked["model"], "choices": [choice], "usage": usage}
