"""How does a server without search come to have one? A proxy on a socket of its own that answers the search commands and hands on the rest."""

from __future__ import annotations

import itertools
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import bson
from secantus import SecantusDBServer
from tests.mongo.executor import Executor

OP_MSG = 2013
WRITES = {
    "insert",
    "update",
    "delete",
    "findAndModify",
    "findandmodify",
    "bulkWrite",
    "commitTransaction",
    "drop",
    "dropDatabase",
    "create",
}
_HEADER = struct.Struct("<iiii")


class Proxy:
    """Listens on loopback. Each connection has one of its own to the server behind."""

    def __init__(self, behind: tuple[str, int], executor: Executor | None) -> None:
        self._behind = behind
        self._executor = executor
        self._turn = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._numbers = itertools.count(1)
        self.commands: list[str] = []
        self._left: int | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def close(self) -> None:
        for one in (self._listener, *self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def gone_after(self, writes: int) -> None:
        """Let so many more writes through, and then nothing any more, until `back`."""
        self._left = writes

    @property
    def is_gone(self) -> bool:
        return self._left is not None and self._left < 0

    def back(self) -> None:
        self._left = None

    def _lets_through(self, command: dict[str, Any] | None) -> bool:
        if self._left is None:
            return True
        if self._left >= 0 and command and next(iter(command)) in WRITES:
            self._left -= 1
        return self._left >= 0

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._behind)
            except OSError:
                return
            self._open += [client, server]
            writing, wrote = threading.Lock(), threading.Event()
            threading.Thread(target=self._requests, args=(client, server, writing, wrote), daemon=True).start()
            threading.Thread(target=self._replies, args=(server, client, writing, wrote), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket, writing: threading.Lock, wrote: threading.Event) -> None:
        with suppress(OSError, EOFError):
            while True:
                message = _message(client)
                command = _command(message)
                if not self._lets_through(command):
                    break
                if command:
                    self.commands.append(next(iter(command)))
                    if next(iter(command)) in WRITES:
                        wrote.set()
                if self._executor is not None and command is not None and self._executor.takes(command):
                    with self._turn:
                        reply = self._executor.answer(command)
                    with writing:
                        client.sendall(_reply(reply, next(self._numbers), _HEADER.unpack_from(message)[1]))
                else:
                    server.sendall(message)
        _end(client, server)

    def _replies(self, server: socket.socket, client: socket.socket, writing: threading.Lock, wrote: threading.Event) -> None:
        with suppress(OSError, EOFError):
            while True:
                message = _message(server)
                if wrote.is_set() and self._executor is not None:
                    wrote.clear()
                    with self._turn:
                        self._executor.touch()
                with writing:
                    client.sendall(message)
        _end(client, server)


@contextmanager
def mongodb(folder: Path, *, search: bool = True) -> Iterator[tuple[str, Executor, Proxy]]:
    """A MongoDB over a folder, with search or without; gives its address, what searches, and what stands in between."""
    with SecantusDBServer(storage_path=str(folder)) as server:
        host, port = server.uri.removeprefix("mongodb://").rstrip("/").split(":")
        executor = Executor(server.uri)
        proxy = Proxy((host, int(port)), executor if search else None)
        try:
            yield f"mongodb://127.0.0.1:{proxy.port}/clew?directConnection=true", executor, proxy
        finally:
            executor.close()
            proxy.close()


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def _exactly(source: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = source.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _message(source: socket.socket) -> bytes:
    head = _exactly(source, _HEADER.size)
    return head + _exactly(source, _HEADER.unpack(head)[0] - _HEADER.size)


def _command(message: bytes) -> dict[str, Any] | None:
    """The command in an OP_MSG, its document sequences in their places; None for another message."""
    length, _, _, kind = _HEADER.unpack_from(message)
    if kind != OP_MSG:
        return None
    flags = struct.unpack_from("<I", message, 16)[0]
    place, end = 20, length - (4 if flags & 1 else 0)
    command: dict[str, Any] = {}
    while place < end:
        section, place = message[place], place + 1
        size = struct.unpack_from("<i", message, place)[0]
        body = message[place : place + size]
        if section == 0:
            command = {**bson.decode(body), **command}
        else:
            name, _, documents = body[4:].partition(b"\0")
            command[name.decode()] = bson.decode_all(documents)
        place += size
    return command


def _reply(document: dict[str, Any], number: int, to: int) -> bytes:
    body = struct.pack("<IB", 0, 0) + bson.encode(document)
    return _HEADER.pack(_HEADER.size + len(body), number, to, OP_MSG) + body
