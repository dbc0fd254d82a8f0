"""How are arrays kept in one file that is whole or refused? Written aside, checksummed, mapped into memory."""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

_MAGIC = b"clew-arrays-1\n\0\0"
_START = struct.Struct("<QQL")
"""Where the table of contents stands, its length, its CRC."""
_ALIGN = 64
"""Bytes: a cache line, and more than any number needs."""
_FIRST = 64
_SMALL = 16 * 2**20
"""Files up to this size are checked whole when opened (about 8 ms); of larger ones the ends of each array."""
_STRETCH = 64 * 2**20
"""Bytes read before they are given back: a gigabyte of vectors is not to become a gigabyte of memory."""
_END = 4_096
"""Bytes at each end of an array that are always checked: a page."""


class Damaged(Exception):
    """The file is not what was written; the message says how."""


class Streamed(NamedTuple):
    """An array that is written in blocks of rows."""

    dtype: str
    width: int
    blocks: Iterable[NDArray[Any]]


class Arrays(NamedTuple):
    """An opened file: its arrays, mapped, and what was noted with them."""

    arrays: Mapping[str, NDArray[Any]]
    notes: Mapping[str, Any]
    checks: Mapping[str, int]
    mapped: mmap.mmap


def write(path: Path, arrays: Mapping[str, NDArray[Any] | Streamed], notes: Mapping[str, Any]) -> None:
    """Write the arrays so that they are on the disk when this returns; the path must be new."""
    contents: dict[str, Any] = {}
    with path.open("wb") as file:
        file.write(bytes(_FIRST))
        position = _FIRST
        for name, array in arrays.items():
            pad = -position % _ALIGN
            file.write(bytes(pad))
            start = position + pad
            streamed = array if isinstance(array, Streamed) else Streamed(array.dtype.str, 0, [array])
            rows, crc = 0, 0
            for block in streamed.blocks:
                raw = np.ascontiguousarray(block, streamed.dtype).data.cast("B") if block.size else b""
                file.write(raw)
                crc = zlib.crc32(raw, crc)
                rows += len(block)
            position = file.tell()
            contents[name] = [streamed.dtype, [rows, streamed.width] if streamed.width else [rows], start, position - start, crc]
        _finish(file, contents, notes, position)
    sync_folder(path.parent)


def open_arrays(file: BinaryIO) -> Arrays:
    """Map the arrays of an open file, or raise `Damaged`."""
    try:
        size = os.fstat(file.fileno()).st_size
        if size < _FIRST:
            raise Damaged("it is cut off")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as fault:
        raise Damaged(fault.strerror or "it cannot be opened") from fault
    table = _table_of_contents(mapped, size)
    view = memoryview(mapped)
    arrays, checks = {}, {}
    for name, (dtype, shape, start, length, crc, ends) in table["arrays"].items():
        raw = view[start : start + length]
        if _ends(raw) != ends or (size <= _SMALL and zlib.crc32(raw) != crc):
            raise Damaged(f"its {name} are not what was written")
        arrays[name] = np.frombuffer(raw, dtype).reshape(shape)
        checks[name] = crc
    return Arrays(arrays, table["notes"], checks, mapped)


def whole(opened: Arrays) -> bool:
    """Whether every byte is what was written."""
    return all(_checksum(opened, name) == opened.checks[name] for name in opened.arrays)


def release(opened: Arrays) -> None:
    """Count what was read so far no longer as this process's memory, where the system can; it is read again when it is asked for."""
    if hasattr(mmap, "MADV_DONTNEED"):
        opened.mapped.madvise(mmap.MADV_DONTNEED)


def _checksum(opened: Arrays, name: str) -> int:
    array = opened.arrays[name]
    raw = memoryview(array.data).cast("B") if array.size else memoryview(b"")
    crc = 0
    for start in range(0, len(raw), _STRETCH):
        crc = zlib.crc32(raw[start : start + _STRETCH], crc)
        release(opened)
    return crc


def sync_folder(folder: Path) -> None:
    """Make a folder's entries durable, where the system can."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _finish(file: Any, contents: dict[str, Any], notes: Mapping[str, Any], position: int) -> None:
    file.flush()
    with Path(file.name).open("rb") as written, mmap.mmap(written.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for entry in contents.values():
            view = memoryview(mapped)[entry[2] : entry[2] + entry[3]]
            entry.append(_ends(view))
            view.release()
    table = json.dumps({"arrays": contents, "notes": notes}).encode()
    file.write(table)
    file.seek(0)
    file.write(_MAGIC + _START.pack(position, len(table), zlib.crc32(table)))
    file.flush()
    os.fsync(file.fileno())


def _ends(raw: memoryview | bytes) -> int:
    return zlib.crc32(raw[-_END:], zlib.crc32(raw[:_END])) if len(raw) else 0


def _table_of_contents(mapped: mmap.mmap, size: int) -> dict[str, Any]:
    if mapped[: len(_MAGIC)] != _MAGIC:
        raise Damaged("it does not begin as it should")
    position, length, crc = _START.unpack(mapped[len(_MAGIC) : len(_MAGIC) + _START.size])
    raw = mapped[position : position + length]
    if position + length != size or zlib.crc32(raw) != crc:
        raise Damaged("its table of contents is cut off or changed")
    table: dict[str, Any] = json.loads(raw)
    return table
