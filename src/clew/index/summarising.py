"""What is each file and folder for, in one sentence? Asked of a language model from the files up, once for each content, within a cost that is known before."""

from __future__ import annotations

import hashlib
import logging
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple, Protocol

from pydantic import BaseModel

from clew.core.answer import Summarised
from clew.core.language import Allowance, LanguageModel, Usage
from clew.core.protocols import Store
from clew.core.query import Filters, Scope
from clew.core.tokens import count_tokens
from clew.core.visible import visible
from clew.errors import ClewError
from clew.index.updater import Progress

PARTS_A_CALL, TOKENS_A_CALL = 8, 2_500
"""What one call describes: small models lose count of more."""
PART_TOKENS, SENTENCE_TOKENS, FRAME_TOKENS = 320, 45, 350
"""What one part may cost to read, what its sentence costs to write, and what a call reads beside its parts."""
AT_ONCE = 4
"""Calls at the same time: what most providers allow a new user."""
LONGEST = 240
"""Characters of a sentence."""
_LONGEST_S = 600.0
"""For one call: a small model on a busy processor."""
_FAILURES = 3
"""Calls in a row without a usable answer, after which no more are made: each costs time and money."""
_HEAD = 700
"""Characters of a file's beginning that are shown where it defines nothing."""
_MOST_CHILDREN = 40
INSTRUCTIONS = """You describe the parts of a code base for a colleague who looks for the place where something is done. For each numbered part of the evidence say in \
one sentence of at most 25 words what it is for. Name its subject; leave out "this file". Say nothing that names, signatures and comments do not suggest."""
_log = logging.getLogger("clew.summaries")


class Sentence(BaseModel):
    """What is said of one part."""

    number: int
    sentence: str


class Sentences(BaseModel):
    """One answer."""

    sentences: list[Sentence]


class KeptSummaries(Protocol):
    """Where sentences are kept, by the fingerprint of what they were made from."""

    def said(self, fingerprints: Collection[str]) -> dict[str, str]:
        """The sentences that are kept under these."""
        ...

    def keep(self, sentences: Mapping[str, str]) -> None:
        """Keep sentences by fingerprint."""
        ...

    def place(self, namespace: str, fingerprints: Sequence[tuple[str, str]]) -> None:
        """Say which (path, fingerprint) there are in a namespace now."""
        ...

    def of(self, namespace: str) -> dict[str, str]:
        """What is said of each path."""
        ...


class Part(NamedTuple):
    """A file or folder with what is shown of it."""

    path: str
    shown: str
    fingerprint: str


def described(
    store: Store,
    scope: Scope,
    model: LanguageModel,
    kept: KeptSummaries,
    most_tokens: int,
    progress: Callable[[Progress], None] | None,
    *,
    plan: bool,
) -> Summarised:
    """What summarising does, or with `plan` would do."""
    if plan:
        return planned(store, scope, kept, model.name)

    def reached(done: int, total: int) -> None:
        if progress:
            progress(Progress("describing", done, total))

    return summarise(store, scope, model, kept, most_tokens=most_tokens, reached=reached)


def planned(store: Store, scope: Scope, kept: KeptSummaries, model: str) -> Summarised:
    """What describing a project would take: counted for its files, of which folders are estimated by their number."""
    files = _files(store, scope, model)
    known = kept.said({part.fingerprint for part in files})
    lacking = [part for part in files if part.fingerprint not in known]
    changed = {posixpath.dirname(part.path) for part in lacking}
    by_folder = _by_folder([part.path for part in files])
    folders = [folder for folder, paths in by_folder.items() if folder in changed and len(paths) > 1]
    batches = list(_batches(lacking))
    children = sum(min(len(by_folder[folder]), _MOST_CHILDREN) for folder in folders)
    calls = len(batches) + -(-len(folders) // PARTS_A_CALL)
    read = sum(map(_size, batches)) + children * SENTENCE_TOKENS + FRAME_TOKENS * (calls - len(batches))
    left = len(lacking) + len(folders)
    return Summarised(0, len(files) - len(lacking), left, Usage(calls, read, left * SENTENCE_TOKENS))


def summarise(
    store: Store,
    scope: Scope,
    model: LanguageModel,
    kept: KeptSummaries,
    *,
    most_tokens: int,
    reached: Callable[[int, int], None] = lambda done, total: None,
) -> Summarised:
    """Ask about every file and folder whose content is not described yet, until that many tokens are read and written. Never raises for what a model does.

    What was said is kept at once: an interrupted run goes on where it was. Raises KeyboardInterrupt, and what `reached` raises, between two calls.
    """
    try:
        run = _Run(model, kept, most_tokens, reached)
        places = run.describe(_files(store, scope, model.name))
        by_depth = defaultdict(list)
        for folder, paths in _by_folder(places).items():
            by_depth[folder.count("/") + (folder != "")].append((folder, paths))
        for depth in sorted(by_depth, reverse=True):
            places |= run.describe_folders(by_depth[depth], places)
        kept.place(scope.namespaces[0], list(places.items()))
        note = run.note or (f"the language model said nothing of {run.left} of them: run it again to ask once more" if run.left else "")
        return Summarised(run.written, run.known, run.left, run.allowance.spent, note)
    except ClewError as fault:
        return Summarised(note=_told(fault))


@dataclass(slots=True)
class _Run:
    model: LanguageModel
    kept: KeptSummaries
    most_tokens: int
    reached: Callable[[int, int], None]
    allowance: Allowance = field(init=False)
    written: int = 0
    known: int = 0
    left: int = 0
    note: str = ""
    _failures: int = 0
    _ended: bool = False
    _in_flight: int = 0
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.allowance = Allowance(Usage(1_000_000, self.most_tokens, self.most_tokens), longest_s=_LONGEST_S)

    def describe(self, parts: Sequence[Part]) -> dict[str, str]:
        """Ask about those parts that are not known; returns the fingerprint of each path that is."""
        known = self.kept.said({part.fingerprint for part in parts})
        self.known += sum(part.fingerprint in known for part in parts)
        lacking = list({part.fingerprint: part for part in parts if part.fingerprint not in known}.values())
        done = 0
        with ThreadPoolExecutor(AT_ONCE, "clew-summaries") as pool:
            try:
                for batch, said in pool.map(lambda one: (one, self._ask(one)), list(_batches(lacking))):
                    known |= said
                    done += len(batch)
                    self.reached(done, len(lacking))
            except BaseException:
                self._ended = True
                raise
        found = {part.path: part.fingerprint for part in parts if part.fingerprint in known}
        self.left += len(parts) - len(found)
        return found

    def describe_folders(self, folders: Sequence[tuple[str, Sequence[str]]], places: Mapping[str, str]) -> dict[str, str]:
        """The same of folders, by what was said of what is in them; what holds one file alone is what that is."""
        said = self.kept.said(set(places.values()))
        alone = {f"{folder or '.'}/": places[paths[0]] for folder, paths in folders if len(paths) == 1 and paths[0] in places}
        parts = []
        for folder, paths in folders:
            children = [(path, said[places[path]]) for path in (*paths, *_below(folder, places)) if path in places]
            if len(paths) > 1 and children:
                parts.append(
                    _part(
                        f"{folder or '.'}/",
                        (f"{posixpath.basename(path.rstrip('/'))}: {one}" for path, one in children[:_MOST_CHILDREN]),
                        self.model.name,
                    )
                )
        return alone | self.describe(parts)

    def _ask(self, batch: Sequence[Part]) -> dict[str, str]:
        """What is said of a batch, by fingerprint; nothing where it is not to be asked, or says nothing usable."""
        cost = _size(batch) + len(batch) * SENTENCE_TOKENS
        if not self._may_cost(cost):
            return {}
        try:
            shown = "\n\n".join(f"{number} {part.shown}" for number, part in enumerate(batch, 1))
            said = _taken(self.model.ask(INSTRUCTIONS, shown, Sentences, self.allowance), batch)
            self.kept.keep(said)
        except ClewError as fault:
            self.note, self._ended = _told(fault), True
            return {}
        except Exception as fault:  # noqa: BLE001 - an answer may be wrong in any way; the parts of this call stay as they are
            self.note = _told(fault)
            self._failures += 1
            self._ended = self._ended or self._failures >= _FAILURES
            return {}
        finally:
            with self._lock:
                self._in_flight -= cost
        self._failures = 0
        self.written += len(said)
        return said

    def _may_cost(self, tokens: int) -> bool:
        """Whether a call may be made, which is then among those that are not paid for yet."""
        with self._lock:
            spent = self.allowance.spent
            if not self._ended and spent.input_tokens + spent.output_tokens + self._in_flight + tokens > self.most_tokens:
                self.note = f"stopped at {self.most_tokens:,} tokens, as --max-cost says: run it again to go on"
                self._ended = True
            if not self._ended:
                self._in_flight += tokens
            return not self._ended


def _files(store: Store, scope: Scope, model: str) -> list[Part]:
    """Every indexed file with what is shown of it: its definitions, or where it has none its beginning."""
    with store.moment():
        records = store.files(scope.namespaces[0])
        outlines = {path: definitions for path, definitions, _ in store.outlines(scope)}
        paths = sorted(path for path, record in records.items() if not record.skipped)
        heads: dict[str, tuple[str, str]] = {}
        for path in paths:
            if not outlines.get(path):
                heads |= {hit.filepath: hit.key for hit in store.at(scope, path, 1, Filters()) if hit.filepath == path}
        chunks = store.chunks(scope, heads.values())
    parts = []
    for path in paths:
        lines = [
            f"{one.kind} {one.signature or one.qualified_name}  {one.docstring.strip().partition(chr(10))[0]}"
            for one in outlines.get(path, ())
        ]
        head = chunks[heads[path]].code[:_HEAD] if path in heads and heads[path] in chunks else ""
        parts.append(_part(path, lines or [head], model))
    return parts


def _part(path: str, lines: Iterator[str] | Sequence[str], model: str) -> Part:
    """As many lines as a part may cost."""
    shown, spent = [f"{visible(path)}:"], 0
    for line in lines:
        flat = visible(" ".join(line.split()))[:_HEAD]
        spent += count_tokens(flat)
        if spent > PART_TOKENS:
            break
        shown.append(flat)
    text = "\n".join(shown)
    return Part(path, text, hashlib.sha256("\n".join((model, INSTRUCTIONS, text)).encode()).hexdigest())


def _by_folder(paths: Collection[str]) -> dict[str, list[str]]:
    folders = defaultdict(list)
    for path in paths:
        if not path.endswith("/"):
            folders[posixpath.dirname(path)].append(path)
    return folders


def _below(folder: str, places: Mapping[str, str]) -> list[str]:
    """The described folders that are directly in a folder."""
    return [path for path in places if path.endswith("/") and path != "./" and posixpath.dirname(path[:-1]) == folder]


def _batches(parts: Sequence[Part]) -> Iterator[list[Part]]:
    batch: list[Part] = []
    tokens = 0
    for part in parts:
        size = count_tokens(part.shown)
        if batch and (len(batch) >= PARTS_A_CALL or tokens + size > TOKENS_A_CALL):
            yield batch
            batch, tokens = [], 0
        batch.append(part)
        tokens += size
    if batch:
        yield batch


def _size(batch: Sequence[Part]) -> int:
    """Tokens that a call about these parts reads."""
    return FRAME_TOKENS + sum(count_tokens(part.shown) + 3 for part in batch)


def _taken(said: Sentences, batch: Sequence[Part]) -> dict[str, str]:
    """What an answer says of these parts, cleaned and shortened; what it says of others is dropped."""
    found: dict[str, str] = {}
    for one in said.sentences:
        if 0 < one.number <= len(batch) and (text := _clean(one.sentence)):
            found.setdefault(batch[one.number - 1].fingerprint, text)
    return found


def _clean(text: str) -> str:
    """One line that nothing acts upon."""
    return " ".join(re.sub(r"[<>`{}]", " ", visible(" ".join(text.split()))).split())[:LONGEST]


def _told(fault: Exception) -> str:
    if isinstance(fault, ClewError):
        _log.info("not described by a language model: %s", fault.message)
        return f"not described by a language model: {fault.message}"
    _log.warning("describing by a language model went wrong", exc_info=fault)
    return f"an answer of the language model was none ({type(fault).__name__})"
