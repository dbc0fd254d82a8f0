"""Does `clew models get` fetch a model once, whole and unchanged, from the hub that its user named, and nobody else anything?"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tokenizers import Tokenizer, models

Run = Callable[..., Any]
REVISION = "0123456789abcdef0123456789abcdef01234567"
MODEL = "minish/tiny"


class Hub:
    """A hub: files of one model, what was asked, and what is done to answers."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []
        self.spoil: Callable[[str, bytes], bytes] = lambda _, content: content
        self.address = ""

    def answer(self, path: str) -> bytes | None:
        self.asked.append(path)
        base = f"/{MODEL}/resolve/{REVISION}/"
        if path == f"/api/models/{MODEL}":
            return json.dumps({"id": MODEL, "sha": REVISION}).encode()
        if path == f"/api/models/{MODEL}/tree/{REVISION}?recursive=true":
            return json.dumps([self._entry(name, content) for name, content in self.files.items()]).encode()
        if path.startswith(base) and path.removeprefix(base) in self.files:
            name = path.removeprefix(base)
            return self.spoil(name, self.files[name])
        return None

    def _entry(self, name: str, content: bytes) -> dict[str, Any]:
        """Large files are kept beside git, by their SHA-256."""
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        entry: dict[str, Any] = {"type": "file", "oid": blob, "size": len(content), "path": name}
        if name.endswith(".safetensors"):
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content)}
        return entry


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    served = Hub(tiny())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = served.answer(self.path)
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    served.address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("CLEW_MODELS_HUB", served.address)
    yield served
    server.shutdown()
    thread.join()
    server.server_close()


def tiny() -> dict[str, bytes]:
    """A model of model2vec, of three words and two numbers, and what nobody needs."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "thread": 1, "labyrinth": 2}, unk_token="[UNK]"))
    header = json.dumps({"embeddings": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]}}).encode()
    table = struct.pack("<Q", len(header)) + header + struct.pack("<6f", 0, 0, 1, 0, 0, 1)
    return {
        "model.safetensors": table,
        "tokenizer.json": tokenizer.to_str().encode(),
        "config.json": b"{}",
        "../outside.json": b"{}",
        "weights.bin": b"x" * 1000,
    }


def folder(home: Path) -> Path:
    return home / ".local/share/clew/models/static" / MODEL


def test_a_model_is_fetched_when_that_is_said_and_found_by_its_name(project: Path, hub: Hub, home: Path, clew: Run) -> None:
    missing = clew("index", "--embedder", f"static:{MODEL}")
    assert missing.code == 2 and f"clew models get static:{MODEL}" in missing.err
    assert hub.asked == []
    done = clew("models", "get", f"static:{MODEL}", "--json")
    assert (done.code, done.json) == (0, {"embedder": f"static:{MODEL}", "folder": str(folder(home))})
    assert sorted(one.name for one in folder(home).iterdir()) == ["config.json", "from.json", "model.safetensors", "tokenizer.json"]
    assert not list(folder(home).parent.glob(".*"))
    asked = len(hub.asked)
    assert clew("index", "--embedder", f"static:{MODEL}").code == 0
    assert clew("models", "get", f"static:{MODEL}").code == 0
    assert len(hub.asked) == asked


@pytest.mark.parametrize("spoil", [lambda content: content[:-1], lambda content: b"y" + content[1:], lambda content: content + b"z"])
def test_a_file_that_is_not_what_the_hub_says_is_not_kept_and_the_next_run_goes_on(
    project: Path, hub: Hub, home: Path, clew: Run, spoil: Callable[[bytes], bytes]
) -> None:
    hub.spoil = lambda name, content: spoil(content) if name == "config.json" else content
    failed = clew("models", "get", f"static:{MODEL}")
    assert failed.code == 3 and "config.json is not what" in failed.err
    assert not folder(home).exists()
    hub.spoil = lambda _, content: content
    hub.asked.clear()
    assert clew("models", "get", f"static:{MODEL}").code == 0
    assert [path.rpartition("/")[2] for path in hub.asked if "/resolve/" in path] == ["config.json"]


@pytest.mark.parametrize("name", ["static:../../etc", "static:/etc", "tiny", "voyage:voyage-4", "static:a/b/c", "static:tiny", ""])
def test_a_name_that_cannot_be_a_hubs_is_refused_unasked(project: Path, hub: Hub, clew: Run, name: str) -> None:
    assert clew("models", "get", name).code == 2
    assert hub.asked == []


def test_what_is_not_there_or_not_usable_is_said(project: Path, hub: Hub, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert clew("models", "get", "static:nobody/nothing").code == 2
    no_weights = clew("models", "get", f"onnx:{MODEL}")
    assert no_weights.code == 2 and "no weights for onnxruntime" in no_weights.err
    monkeypatch.setenv("CLEW_MODELS_HUB", "http://127.0.0.1:9")
    assert clew("models", "get", f"static:{MODEL}").code == 3
    monkeypatch.setenv("CLEW_MODELS_HUB", "file:///etc")
    assert clew("models", "get", f"static:{MODEL}").code == 2


def test_a_projects_own_file_does_not_name_the_hub(project: Path, hub: Hub, clew: Run) -> None:
    (project / "clew.toml").write_text('models_hub = "http://127.0.0.1:9"\n')
    assert clew("models", "get", f"static:{MODEL}").code == 0
