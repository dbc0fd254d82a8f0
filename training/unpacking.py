"""Which text files does a package hold? Those of its archive that are its own, permissively licensed and no benchmark's."""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from training import licences

EXCLUDED = frozenset(
    "flask requests httpx aiohttp model2vec axios redux gin gin-gonic jackson-databind databind guzzle guzzlehttp tokio messagepack-csharp messagepack "
    "serde zod nlohmann nlohmann-json exposed http4s vapor plug abseil absl abseil-cpp redis aeson lazy.nvim nvm bash-it bash_it pandoc mini.nvim "
    "zig-clap circe ecto rack snapkit sympy pytest _pytest sphinx astropy pylint xarray seaborn".split()
)
"""The repositories that answers are measured on: no package and no folder of these names is learned from."""
_MARKERS = ("nlohmann", "gin-gonic", "salvatore sanfilippo", "abseil authors", "bash-it", "nvm-sh")
"""Where one of these stands in the head of a file, it is a copy of one of them."""
_NOT_OWN = frozenset(
    "vendor _vendor vendored third_party third-party thirdparty 3rdparty node_modules extern external externals deps dependencies subprojects bundled "
    "godeps contrib-lib __pycache__ min .git locale locales i18n fixtures snapshots __snapshots__ testdata test-data".split()
)
_NOT_READ = EXCLUDED | {"json", "setup", "_version", "changelog"}
"""Names of files that are left out: a file that is named after a benchmark may be a copy of it."""
_SUFFIXES = frozenset(
    ".py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .go .rs .java .c .h .cc .cpp .cxx .hpp .hh .cs .rb .php .kt .swift .scala .sh .bash .lua .ex .exs "
    ".hs .zig .m .mm .ml .jl .pl .pm .md".split()
)
_DATA = re.compile(r"\.min\.js$|\.bundle\.js$|\.d\.[mc]?ts$|[-.]umd\b|/umd/|\.pb\.go$|_pb2(?:_grpc)?\.py$|\.generated\.", re.IGNORECASE)
_LARGEST = 200_000
"""Bytes of a source file; longer ones are bundles and tables."""
_SMALLEST = 200
_HEAD = 3_000
_REMARK = re.compile(r"^[ \t]*(?:\"\"\"|'''|/\*\*|\*[ ]|//|#[ ]|--[ ]|@doc)", re.MULTILINE)
_DOCUMENTED = 0.05
"""The share of lines that begin a remark from which on a file is worth its parsing."""
_BUILD_FOLDER = re.compile(
    r"^(?:dist|lib|es|esm|cjs|build|src|module|commonjs|umd|_?cjs|_?esm|es6|es2015|es5|dist-cjs|dist-es|legacy|modern|node|browser)/"
)


@dataclass(frozen=True, slots=True)
class Source:
    """One text file of a package. `path` has no outermost folder that only tells the version."""

    path: str
    text: str


def stated(paths: list[Path]) -> str:
    """The licence that a package states: a wheel's, an npm archive's, or a Debian source's (upstream's archive and Debian's)."""
    first = paths[0]
    if first.suffix == ".whl":
        return _wheel_licence(first)
    return (
        licences.of_npm(manifest_of(first))
        if first.suffix == ".tgz"
        else next((name for patterns, name in _stanzas(paths) if "*" in patterns), "")
    )


def sources(paths: list[Path]) -> list[Source]:
    """The files of a package that may be learned from, by path."""
    first = paths[0]
    if first.suffix == ".whl":
        found = list(_of_wheel(first))
    elif first.suffix == ".tgz":
        found = _one_of_each(_own_text(_members(first, is_wanted)))
    else:
        stanzas = _stanzas(paths)
        upstream = [path for path in paths if ".orig" in path.name]
        found = [one for path in upstream for one in _own_text(_members(path, lambda n, size: is_wanted(n, size) and _is_free(n, stanzas)))]
    return sorted(found, key=lambda source: source.path)


def _wheel_licence(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        legal = [name for name in archive.namelist() if ".dist-info/" in name and re.search(r"licen[cs]e|copying", name, re.IGNORECASE)]
        return licences.of_wheel(_metadata(archive), [archive.read(name).decode("utf-8", "replace") for name in legal])


def _metadata(archive: zipfile.ZipFile) -> str:
    name = next(name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
    return archive.read(name).decode("utf-8", "replace")


def manifest_of(path: Path) -> dict[str, object]:
    """The package.json of an npm archive."""
    found: dict[str, object] = json.loads(next(data for _, data in _members(path, lambda name, _: name == "package.json")))
    return found


def _stanzas(paths: list[Path]) -> list[tuple[list[str], str]]:
    debian = [path for path in paths if ".debian.tar" in path.name]
    found = [data for path in debian for _, data in _members(path, lambda name, _: name == "copyright")]
    return licences.of_debian(found[0].decode("utf-8", "replace")) if found else []


def _of_wheel(path: Path) -> Iterator[Source]:
    """The wheel's files, and its description as the README that it is made of."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if is_wanted(name, archive.getinfo(name).file_size)]
        yield from _own_text((name, archive.read(name)) for name in names)
        yield Source("README.md", _metadata(archive).partition("\n\n")[2])


def _members(path: Path, wanted: Callable[[str, int], bool]) -> Iterator[tuple[str, bytes]]:
    """The wanted files of a tar archive without its outermost folder, in the archive's order: it is read once, front to back."""
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            name = member.name.removeprefix("./").partition("/")[2]
            if member.isfile() and wanted(name, member.size):
                stream = archive.extractfile(member)
                yield name, stream.read() if stream else b""


def _one_of_each(found: Iterable[Source]) -> list[Source]:
    """npm packages hold the same module several times (src, lib, esm, cjs): TypeScript, then src, wins among files of one name."""
    best: dict[str, Source] = {}
    for source in sorted(found, key=lambda s: (not s.path.endswith((".ts", ".tsx")), not s.path.startswith("src/"), s.path)):
        key = str(PurePosixPath(source.path).with_suffix(""))
        while _BUILD_FOLDER.match(key):
            key = _BUILD_FOLDER.sub("", key)
        best.setdefault(key, source)
    return list(best.values())


def _is_free(path: str, stanzas: list[tuple[list[str], str]]) -> bool:
    licence = ""
    for patterns, name in stanzas:
        if any(fnmatchcase(path, pattern.removeprefix("./")) for pattern in patterns):
            licence = name
    return licences.is_permissive(licence)


def is_wanted(name: str, size: int) -> bool:
    path = PurePosixPath(name)
    folders = {part.lower() for part in path.parts[:-1]}
    if path.suffix.lower() not in _SUFFIXES or not _SMALLEST <= size <= _LARGEST or _DATA.search(name):
        return False
    return folders.isdisjoint(EXCLUDED) and folders.isdisjoint(_NOT_OWN) and path.stem.lower() not in _NOT_READ


def _own_text(files: Iterable[tuple[str, bytes]]) -> Iterator[Source]:
    for name, data in files:
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        head = text[:_HEAD].lower()
        if not any(marker in head for marker in _MARKERS):
            yield Source(name, text)


def _is_documented(text: str) -> bool:
    return len(_REMARK.findall(text)) > text.count("\n") * _DOCUMENTED


def sampled(found: Iterable[Source], most_bytes: int) -> list[Source]:
    """Files up to that many bytes, in an order that looks random and never changes, those that say what they do first; README files always."""
    kept, size = [], 0
    for source in sorted(found, key=lambda s: (not _is_documented(s.text), hashlib.sha256(s.path.encode("utf-8", "replace")).hexdigest())):
        if "/" not in source.path and source.path.lower().startswith("readme"):
            kept.append(source)
        elif size + len(source.text) <= most_bytes:
            kept.append(source)
            size += len(source.text)
    return sorted(kept, key=lambda source: source.path)
