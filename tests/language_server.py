"""What answers as OpenAI's server does? A strict one on loopback that plays a scripted model, good or bad, and writes down what it was asked.

An answer is the fields of the shape (a dict), a text that keeps to no shape (a str), a status to refuse with (an int), a `Refusal` with headers, `Raw` bytes
for a body that is no answer at all, `HANGS` (nothing comes until the server ends), `DRIPS` and `FLOODS` (a body that has no end, slow or fast), `BREAKS` (the connection is closed), or a function of the request that
gives one of these. `always` answers whatever comes after the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, cast

from clew.core.tokens import count_tokens

HANGS, BREAKS, DRIPS, FLOODS = object(), object(), object(), object()
KNOWN = frozenset(
    "model messages temperature max_tokens max_completion_tokens tools tool_choice response_format stream parallel_tool_calls seed stop top_p".split()
)
"""Fields that the documentation has; another one is refused, as the real server does."""
ROLES = frozenset(["system", "developer", "user", "assistant", "tool"])


@dataclass(frozen=True)
class Refusal:
    """A status with headers, such as Retry-After."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """A body as it is, with status 200."""

    body: bytes


class Conversation:
    """The answers still to be given, and the requests so far."""

    def __init__(self, answers: tuple[Any, ...], always: Any) -> None:
        self.answers = list(answers)
        self.always = always
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.faults: list[str] = []
        """What the strict server found wrong in requests."""
        self.address = ""
        self.ended = Event()
        self.was_asked = Event()
        self.sent = 0
        """Bytes of replies without an end."""
        self.body = json.dumps({"error": {"message": "no"}}).encode()
        """What stands in a refusal."""
        self._lock = Lock()

    def answer(self, asked: dict[str, Any], key: str) -> Any:
        with self._lock:
            self.requests.append(asked)
            self.keys.append(key)
            self.was_asked.set()
            answer = self.answers.pop(0) if self.answers else self.always
        return answer(asked) if callable(answer) else answer

    @property
    def said(self) -> list[str]:
        """The text of each request, all messages of it."""
        return [text_of(asked) for asked in self.requests]


@contextmanager
def language_server(*answers: Any, always: Any = 500) -> Iterator[Conversation]:
    """A server with these answers; `address` is what a client is given."""
    conversation = Conversation(answers, always)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if fault := wrong(self.path, asked, self.headers.get("Authorization", "")):
                conversation.faults.append(fault)
                self._send(400, {"error": {"message": fault, "type": "invalid_request_error"}})
                return
            answer = conversation.answer(asked, self.headers["Authorization"])
            if answer is BREAKS:
                self.close_connection = True
            elif answer is HANGS:
                conversation.ended.wait()
            elif answer is DRIPS or answer is FLOODS:
                self._pour(100 if answer is DRIPS else 1_000_000, 0.01 if answer is DRIPS else 0)
            elif isinstance(answer, Raw):
                self._write(200, answer.body, {})
            elif isinstance(answer, int | Refusal):
                refusal = Refusal(answer) if isinstance(answer, int) else answer
                self._write(refusal.status, conversation.body, refusal.headers)
            else:
                self._send(200, completion(asked, answer))

        def _pour(self, size: int, pause: float) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            with suppress(OSError):
                while not conversation.ended.wait(pause):
                    conversation.sent += self.wfile.write(b" " * size)

        def _send(self, status: int, body: object) -> None:
            self._write(status, json.dumps(body).encode(), {})

        def _write(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing on the tests' output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    conversation.address = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield conversation
    finally:
        conversation.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
        assert not conversation.faults, conversation.faults


def wrong(path: str, asked: Mapping[str, Any], key: str) -> str:
    """What the documentation does not allow in a request; empty where all is well."""
    if path != "/v1/chat/completions":
        return f"there is no {path}"
    if not key.startswith("Bearer ") or not key.removeprefix("Bearer "):
        return "no key"
    if unknown := set(asked) - KNOWN:
        return f"unknown fields {sorted(unknown)}"
    if not isinstance(asked.get("model"), str) or not asked.get("messages"):
        return "a model and messages are required"
    if any(message.get("role") not in ROLES for message in asked["messages"]):
        return "a message has no role"
    most = asked.get("max_completion_tokens", asked.get("max_tokens", 1))
    return "" if isinstance(most, int) and most > 0 else "max_tokens must be positive"


def completion(asked: Mapping[str, Any], answer: Mapping[str, Any] | str) -> dict[str, Any]:
    """A reply: a text, or the fields in the way that the request asks for, a call of its last tool or JSON as content."""
    message: dict[str, Any] = {"role": "assistant", "content": answer if isinstance(answer, str) else json.dumps(answer)}
    if not isinstance(answer, str) and asked.get("tools"):
        call = {"name": asked["tools"][-1]["function"]["name"], "arguments": json.dumps(answer)}
        message |= {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": call}]}
    read, wrote = count_tokens(text_of(asked) + json.dumps(asked.get("tools", ""))), count_tokens(json.dumps(answer))
    usage = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    choice = {"index": 0, "finish_reason": "tool_calls" if "tool_calls" in message else "stop", "message": message}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": asked["model"], "choices": [choice], "usage": usage}


def text_of(asked: Mapping[str, Any]) -> str:
    """All that a request says in messages."""
    return "\n".join(str(message.get("content") or "") for message in asked["messages"])


Answering = Callable[[Mapping[str, Any]], Any]


def shape_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema that a request asks for."""
    if asked.get("tools"):
        return cast("dict[str, Any]", asked["tools"][-1]["function"]["parameters"])
    return cast("dict[str, Any]", asked["response_format"]["json_schema"]["schema"])
