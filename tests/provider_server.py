"""What answers as Voyage, OpenAI and Gemini do? A strict server on loopback, as their public documentation of the API says, that writes down what is paid.

`server.plan` says how the next requests are answered otherwise: a number is a status, `Answer` has more, None is an answer as usual; `server.refused` are
texts of which the provider will have nothing. What is not in the documentation of a provider (a path, a field, a header, a size) is refused as it says.
"""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

from clew.core.tokens import count_tokens
from clew.testing.hashing_embedder import HashingEmbedder

KEY = "sk-test-0123456789abcdef"
LARGEST_BODY = 8_000_000


@dataclass(frozen=True)
class Answer:
    """How one request is answered. `cut`: the connection ends in the middle of the answer; `hangs`: nothing comes until the server ends."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    hangs: bool = False
    dims: int = 0
    nan: bool = False
    missing: int = 0
    body: bytes | None = None


@dataclass
class Seen:
    """One request: its path, its body, the status it got, and what was paid for it."""

    path: str
    body: Any
    status: int = 0
    texts: tuple[str, ...] = ()


class Refused(Exception):
    """What the documentation does not allow."""

    def __init__(self, status: int, said: str, *, code: str = "") -> None:
        super().__init__(said)
        self.status, self.said, self.code = status, said, code


class ProviderServer:
    """The state of a running server."""

    def __init__(self) -> None:
        self.address = ""
        self.key = KEY
        self.plan: list[Answer | int | None] = []
        self.always: Answer | int | None = None
        self.refused: set[str] = set()
        self.seen: list[Seen] = []
        self.before: Callable[[Seen], None] = lambda _: None
        """Called when a request has been read and not been answered."""
        self.ended = Event()
        self._lock = Lock()
        self._embedders: dict[tuple[str, int], HashingEmbedder] = {}

    @property
    def paid(self) -> list[str]:
        """Every text that was embedded, as often as it was."""
        with self._lock:
            return [text for seen in self.seen for text in seen.texts]

    def next(self) -> Answer:
        with self._lock:
            planned = self.plan.pop(0) if self.plan else self.always
        return Answer(planned) if isinstance(planned, int) else planned or Answer()

    def pay(self, seen: Seen, texts: list[str]) -> None:
        with self._lock:
            seen.texts = tuple(texts)

    def vectors(self, model: str, dims: int, texts: list[str]) -> list[list[float]]:
        with self._lock:
            embedder = self._embedders.setdefault((model, dims), HashingEmbedder(dims, model))
            return [[float(number) for number in row] for row in embedder.embed_documents(texts)]


# -- what the three providers document --

VOYAGE = {"voyage-4-large": 120_000, "voyage-4": 320_000, "voyage-4-lite": 1_000_000, "voyage-code-3": 120_000}
"""Tokens in a request at most, by model."""
VOYAGE_DIMS = (256, 512, 1024, 2048)
VOYAGE_FIELDS = {"input", "model", "input_type", "truncation", "output_dimension", "output_dtype", "encoding_format"}
OPENAI = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
OPENAI_FIELDS = {"input", "model", "dimensions", "encoding_format", "user"}
GEMINI = {"gemini-embedding-2": (8_192, 3072), "gemini-embedding-001": (2_048, 3072)}
GEMINI_TASKS = "RETRIEVAL_QUERY RETRIEVAL_DOCUMENT SEMANTIC_SIMILARITY CLASSIFICATION CLUSTERING QUESTION_ANSWERING FACT_VERIFICATION CODE_RETRIEVAL_QUERY".split()


def voyage(server: ProviderServer, headers: Mapping[str, str], seen: Seen, answer: Answer) -> Any:
    """docs.voyageai.com, Text embedding models."""
    _bearer(server, headers, "Provided API key is invalid.")
    body = _fields(seen.body, VOYAGE_FIELDS)
    model, texts = body.get("model"), body.get("input")
    _check(model in VOYAGE, f"Model {model} is not supported.")
    texts = [texts] if isinstance(texts, str) else texts
    _check(
        isinstance(texts, list) and bool(texts) and all(isinstance(one, str) and one for one in texts),
        "Input cannot contain empty strings or empty lists",
    )
    _check(len(texts) <= 1_000, "The batch size limit is 1000.")
    _check(body.get("input_type") in (None, "query", "document"), "input_type must be one of None, query, document.")
    dims = body.get("output_dimension") or 1024
    _check(dims in VOYAGE_DIMS, f"output_dimension must be one of {VOYAGE_DIMS}.")
    _check(body.get("output_dtype") in (None, "float"), "this server knows float alone")
    _check(body.get("encoding_format") in (None, "base64"), "encoding_format must be None or base64.")
    tokens = [_tokens(one) for one in texts]
    truncates = body.get("truncation", True)
    _check(
        truncates or max(tokens) <= 32_000,
        "The example at index 0 in your batch has too many tokens and does not fit into the model's context window of 32000 tokens.",
    )
    _check(
        sum(min(size, 32_000) for size in tokens) <= VOYAGE[str(model)],
        f"Request to model '{model}' failed. The max allowed tokens per submitted batch is {VOYAGE[str(model)]}.",
    )
    _tasteful(server, texts)
    rows = _rows(server, str(model), dims, texts, answer)
    server.pay(seen, texts)
    encode = _base64 if body.get("encoding_format") else list
    data = [{"object": "embedding", "embedding": encode(row), "index": i} for i, row in enumerate(rows)]
    return {"object": "list", "data": data, "model": model, "usage": {"total_tokens": sum(tokens)}}


def openai(server: ProviderServer, headers: Mapping[str, str], seen: Seen, answer: Answer) -> Any:
    """platform.openai.com, API reference, Create embeddings."""
    _bearer(server, headers, f"Incorrect API key provided: {headers.get('authorization', '')[7:]}.")
    body = _fields(seen.body, OPENAI_FIELDS)
    model, texts = body.get("model"), body.get("input")
    if model not in OPENAI:
        raise Refused(404, f"The model `{model}` does not exist or you do not have access to it.", code="model_not_found")
    texts = [texts] if isinstance(texts, str) else texts
    _check(
        isinstance(texts, list) and 1 <= len(texts) <= 2_048 and all(isinstance(one, str) and one for one in texts), "'$.input' is invalid."
    )
    tokens = [count_tokens(one) for one in texts]
    _check(max(tokens) <= 8_192, f"This model's maximum context length is 8192 tokens, however you requested {max(tokens)} tokens.")
    _check(sum(tokens) <= 300_000, f"Requested {sum(tokens)} tokens, max 300000 tokens per request")
    dims = body.get("dimensions", OPENAI[model])
    _check("dimensions" not in body or model != "text-embedding-ada-002", "This model does not support specifying dimensions.")
    _check(isinstance(dims, int) and 1 <= dims <= OPENAI[model], "Invalid value for 'dimensions'.")
    _check(body.get("encoding_format", "float") in ("float", "base64"), "Invalid value for 'encoding_format'.")
    _tasteful(server, texts)
    rows = _rows(server, model, dims, texts, answer)
    server.pay(seen, texts)
    encode = _base64 if body.get("encoding_format") == "base64" else list
    data = [{"object": "embedding", "embedding": encode(row), "index": i} for i, row in enumerate(rows)]
    return {"object": "list", "data": data, "model": model, "usage": {"prompt_tokens": sum(tokens), "total_tokens": sum(tokens)}}


def gemini(server: ProviderServer, headers: Mapping[str, str], seen: Seen, answer: Answer) -> Any:
    """ai.google.dev, API reference, models.batchEmbedContents."""
    if headers.get("x-goog-api-key") != server.key:
        raise Refused(400, "API key not valid. Please pass a valid API key.", code="API_KEY_INVALID")
    found = re.fullmatch(r"/gemini/v1beta/models/([\w.-]+):batchEmbedContents", seen.path)
    model = found[1] if found else ""
    if model not in GEMINI:
        raise Refused(404, f"models/{model} is not found for API version v1beta, or is not supported for embedContent.")
    longest, most = GEMINI[model]
    requests = _fields(seen.body, {"requests"}).get("requests")
    _check(isinstance(requests, list) and 1 <= len(requests) <= 100, "at most 100 requests can be in one batch")
    texts, dims, tokens = [], most, 0
    for one in requests:
        _fields(one, {"model", "content", "taskType", "title", "outputDimensionality"})
        _check(one.get("model") == f"models/{model}", "model must be that of the path")
        task = one.get("taskType")
        _check(task is None or (task in GEMINI_TASKS and model != "gemini-embedding-2"), "taskType is not supported by this model")
        parts = one.get("content", {}).get("parts")
        _check(
            isinstance(parts, list) and all(isinstance(part.get("text"), str) and part["text"] for part in parts),
            "content contains an empty Part.",
        )
        text = "".join(part["text"] for part in parts)
        _check(count_tokens(text) <= longest, f"input is longer than {longest} tokens")
        tokens += count_tokens(text)
        dims = one.get("outputDimensionality", most)
        _check(isinstance(dims, int) and 128 <= dims <= most, "outputDimensionality is out of range")
        texts.append(text)
    _tasteful(server, texts)
    bare = [re.sub(r"^(title: .*? \| text: |task: .*? \| query: )", "", text) for text in texts]
    rows = _rows(server, model, dims, bare, answer)
    server.pay(seen, bare)
    return {"embeddings": [{"values": row} for row in rows]}


SERVED = {"/voyage/v1/embeddings": voyage, "/openai/v1/embeddings": openai}
"""What answers at which path; whoever needs more of a provider adds it here."""


def _provider(path: str) -> Callable[..., Any]:
    handler = SERVED.get(path) or (gemini if path.startswith("/gemini/") else None)
    if handler is None:
        raise Refused(404, "Not Found")
    return handler


def _error(path: str, status: int, said: str, code: str) -> Any:
    """An error as each provider words it."""
    if path.startswith("/openai/"):
        return {"error": {"message": said, "type": "invalid_request_error", "param": None, "code": code or None}}
    if path.startswith("/gemini/"):
        names = {
            400: "INVALID_ARGUMENT",
            403: "PERMISSION_DENIED",
            404: "NOT_FOUND",
            429: "RESOURCE_EXHAUSTED",
            500: "INTERNAL",
            503: "UNAVAILABLE",
        }
        details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": code, "domain": "googleapis.com"}] if code else []
        return {"error": {"code": status, "message": said, "status": names.get(status, "UNKNOWN"), "details": details}}
    return {"detail": said}


def _bearer(server: ProviderServer, headers: Mapping[str, str], said: str) -> None:
    if headers.get("authorization") != f"Bearer {server.key}":
        raise Refused(401, said, code="invalid_api_key")


def _check(right: bool, said: str) -> None:
    if not right:
        raise Refused(400, said)


def _fields(body: Any, known: set[str]) -> dict[str, Any]:
    _check(isinstance(body, dict), "The request body is not valid JSON.")
    _check(set(body) <= known, f"Argument {sorted(set(body) - known)} is not supported by our API.")
    return dict(body)


def _tasteful(server: ProviderServer, texts: list[str]) -> None:
    _check(not any(word in text for text in texts for word in server.refused), "A text was refused.")


def _tokens(text: str) -> int:
    """Voyage's tokenizers count up to a fifth more than those of OpenAI, its documentation says."""
    return count_tokens(text) * 6 // 5


def _rows(server: ProviderServer, model: str, dims: int, texts: list[str], answer: Answer) -> list[list[float]]:
    rows = server.vectors(model, answer.dims or dims, texts)
    if answer.nan:
        rows[0][0] = float("nan")
    return rows[: len(rows) - answer.missing]


def _base64(row: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode("ascii")


# -- the socket --


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: ProviderServer

    def do_POST(self) -> None:
        seen, planned = Seen(self.path, None), Answer()
        try:
            self._read(seen)
            with self.state._lock:
                self.state.seen.append(seen)
            self.state.before(seen)
            planned = answer = self.state.next()
            if answer.hangs:
                self.state.ended.wait()
                self.close_connection = True
                return
            if answer.status != 200:
                raise Refused(answer.status, "as planned")
            content = answer.body
            if content is None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                content = json.dumps(_provider(self.path)(self.state, headers, seen, answer)).encode()
            seen.status = 200
            self._send(200, content, answer.headers, cut=answer.cut)
        except Refused as no:
            seen.status = no.status
            self._send(no.status, json.dumps(_error(self.path, no.status, no.said, no.code)).encode(), planned.headers)

    def do_GET(self) -> None:
        self._send(404, json.dumps(_error(self.path, 404, "Not Found", "")).encode(), {})

    def _read(self, seen: Seen) -> None:
        length = self.headers.get("Content-Length")
        if length is None:
            raise Refused(411, "Length Required")
        if int(length) > LARGEST_BODY:
            self.close_connection = True
            raise Refused(413, "Request Entity Too Large")
        content = self.rfile.read(int(length))
        if self.headers.get_content_type() != "application/json":
            raise Refused(415, "Content-Type must be application/json")
        try:
            seen.body = json.loads(content)
        except ValueError:
            raise Refused(400, "The request body is not valid JSON.") from None

    def _send(self, status: int, content: bytes, headers: Mapping[str, str], *, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = self.close_connection or cut

    def log_message(self, *_: object) -> None:
        """Nothing on the tests' output."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that was killed is no fault of the server."""


@contextmanager
def provider_server() -> Iterator[ProviderServer]:
    """A running server; the address of a provider is `server.address` and `/voyage/v1`, `/openai/v1` or `/gemini`."""
    state = ProviderServer()
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"state": state}))
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
