"""How does a call of a tool become an answer? Waiting is asynchronous; all that works runs in a thread."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from anyio import from_thread
from anyio.to_thread import run_sync

from clew.core.answer import Answer
from clew.core.visible import visible
from clew.errors import ClewError, NoIndex, UsageError
from clew.interfaces.mcp.keeping import Run
from clew.interfaces.mcp.navigation import navigate
from clew.interfaces.mcp.projects import Place, chosen
from clew.interfaces.mcp.schema import schema
from clew.interfaces.mcp.texts import Found, answer_text, cut, listed, root_line, spoken
from clew.interfaces.mcp.tools import MAX_TOKENS, checked
from clew.interfaces.rendering.plain import answer_lines, report_lines, status_lines, written_lines

if TYPE_CHECKING:
    from clew.core.language import LanguageModel

FIRST_WAIT_S = 3.0
"""How long after the begin of a run questions wait for its end: most projects are ready by then. After it, answers are partial and say so."""
FIRST_BATCH_S = 6.0
"""How long one waits on where nothing is committed yet."""
INDEX_WAIT_S = 8.0
"""How long a call of index waits: clients give up after 30 to 60 seconds, and some do not count progress as life."""
LOOK_S = 0.1
"""How often a run is looked at while a call waits for it."""
STATUS_TOKENS = 1_500
ASK_TOKENS = 2_000
"""Tokens of a written answer with its evidence: it is asked for where search does not do."""

Progress = Callable[[float, float | None, str], Awaitable[None]]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool by a client that may ask about these places and is told the progress; `language` is the client's own model, where it lends one."""

    places: Sequence[Place]
    progress: Progress
    language: LanguageModel | None = None

    async def answer(self, name: str, given: dict[str, Any]) -> str:
        """The text of the answer. Raises ClewError for what the caller can change."""
        arguments = checked(name, given)
        places = chosen(self.places, arguments.pop("root", None))
        if name == "search":
            return await self.search(places, arguments)
        if name == "navigate":
            return await self.navigate(places, **arguments)
        if name == "schema":
            return await _worked(partial(schema, places, arguments["query"], arguments.get("database", ""), arguments["max_tokens"]))
        if name == "ask":
            return await self.ask(places, arguments["query"])
        if name == "index":
            return await self.index(places, rebuild=arguments["rebuild"])
        return await self.status(places)

    async def search(self, places: Sequence[Place], options: dict[str, Any]) -> str:
        """Ask every place; the best of all within one budget."""
        if not options["query"].strip():
            raise UsageError("query is empty", "ask in words, or with a name, a path, an error message")
        max_tokens = options.pop("max_tokens")
        notes = [note for place in places if (note := await self._ready(place))]
        found = [await _worked(partial(_asked, place, options, self.language)) for place in places]
        return await _worked(partial(answer_text, found, options["limit"], max_tokens, notes))

    async def navigate(self, places: Sequence[Place], *, what: str, max_tokens: int, target: str = "") -> str:
        """Ask every place; where several know the target, one below the other."""
        if what != "read":
            notes = [note for place in places if (note := await self._ready(place))]
            max_tokens -= 40 * len(notes)
        else:
            notes = []
        texts: list[str] = []
        faults: list[ClewError] = []
        for place in places:
            try:
                texts.append(await _worked(partial(navigate, place, what, target, max_tokens // len(places))))
            except ClewError as fault:
                faults.append(fault)
        if not texts:
            raise faults[0]
        return "\n\n".join((*texts, *notes))

    async def ask(self, places: Sequence[Place], query: str) -> str:
        """Have a language model read each place for the question, each move told as progress."""
        notes = [note for place in places if (note := await self._ready(place))]
        moves = count(1)

        async def told(move: str) -> None:
            await self.progress(float(next(moves)), None, move)

        def step(move: str) -> None:
            from_thread.run(told, move)

        most = ASK_TOKENS // len(places)
        texts = [await _worked(partial(_read_for, place, query, step, most, self.language)) for place in places]
        return "\n\n".join((*texts, *notes))

    async def index(self, places: Sequence[Place], *, rebuild: bool) -> str:
        """Begin a run in each place, or join the one that goes on, and say how it ended or how far it is."""
        texts = []
        for place in places:
            run, is_new = await _worked(partial(place.project.keeper.begin, rebuild=rebuild))
            await self._waited(run, INDEX_WAIT_S, owned=is_new)
            texts.append("\n".join((root_line(str(place.root)), *_outcome(run))))
        return "\n\n".join(texts)

    async def status(self, places: Sequence[Place]) -> str:
        """What is true of each place."""
        lines = [line for place in places for line in await _worked(partial(_state, place))]
        return listed((), lines, STATUS_TOKENS, "… the first {} lines: name one root for the others")

    async def _ready(self, place: Place) -> str:
        """Have an index made where there is none, wait for it a little, and say what the answer lacks."""
        run, is_new = await _worked(place.project.prepare)
        if run is None:
            return ""
        age = time.monotonic() - run.began
        await self._waited(run, FIRST_WAIT_S - age, owned=is_new)
        await self._waited(run, FIRST_BATCH_S, owned=is_new, committed=True)
        if run.done.is_set():
            return f"warning: {spoken(run.fault.message)}" if run.fault else ""
        return f"partial: the index is being made ({run}), by words and names meanwhile; ask again for more"

    async def _waited(self, run: Run, seconds: float, *, owned: bool, committed: bool = False) -> None:
        """Wait for a run (for its first batch where `committed`), telling how far it is. Who began it and is cancelled ends it."""
        said = ""
        try:
            with anyio.move_on_after(seconds):
                while not run.done.is_set() and not (committed and run.committed.is_set()):
                    if str(run) != said:
                        said = str(run)
                        await self.progress(run.progress.done, run.progress.total or None, said)
                    await anyio.sleep(LOOK_S)
        except anyio.get_cancelled_exc_class():
            if owned:
                run.stop()
            raise


async def _worked(work: Callable[[], Value]) -> Value:
    """The value of some work, done in a thread; who is cancelled does not wait for its end."""
    return await run_sync(work, abandon_on_cancel=True)


def _asked(place: Place, options: dict[str, Any], language: LanguageModel | None) -> Found:
    return Found(str(place.root), place.search(place.question(options), _lent(place, language)))


def _lent(place: Place, language: LanguageModel | None) -> LanguageModel | None:
    """The client's model, where the user has not set one: his own setting counts first."""
    return None if place.engine.settings.llm else language


def _read_for(place: Place, query: str, step: Callable[[str], None], max_tokens: int, language: LanguageModel | None) -> str:
    """What reading came to, under the root; plain search's results where that was nothing. Only what lies in the place is shown."""
    written = place.engine.ask(query, step=step, language=_lent(place, language))
    evidence = tuple(one for one in written.evidence if place.holds(one.filepath))
    if len(evidence) < len(written.evidence):
        raise UsageError(f"the answer lies outside of {place.folder}", "ask with the root of the whole project")
    found = Answer(query, "hybrid", tuple(one for one in written.results if place.holds(one.chunk.filepath)))
    warnings = [f"warning: {spoken(warning)}" for warning in written.warnings]
    lines = [root_line(str(place.root)), *written_lines(written), *answer_lines(found), *warnings]
    return listed((), lines, max_tokens, "… the first {} lines")


def _outcome(run: Run) -> list[str]:
    """How a run ended, or how far it is. Raises the fault that ended it."""
    if run.fault is not None:
        raise run.fault
    if run.report is None:
        return [f"still running: {run}. It goes on in the background; status says how far it is, search answers meanwhile."]
    return [*(spoken(line) for line in report_lines(run.report)), *(f"warning: {spoken(one)}" for one in run.report.warnings)]


def _state(place: Place) -> list[str]:
    running = place.project.keeper.running
    try:
        lines = [spoken(line) for line in status_lines(place.engine.status())]
    except NoIndex:
        lines = [f"project    {visible(str(place.root))}", "state      not indexed yet: the first search does it"]
    return [re.sub("(?<=^state ).*", f"being indexed: {running}", line) if running else line for line in lines]


def refusal(fault: ClewError) -> str:
    """What went wrong and what to do, in the words of the tools."""
    return cut("\n".join(filter(None, (spoken(fault.message), spoken(fault.hint)))), MAX_TOKENS)
