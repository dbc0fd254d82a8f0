"""Does work go on beside the questions: a first index that is answered from, progress, an end on request, edits that are noticed?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client
from tests.interfaces.mcp.conftest import connected, only_text, over_stdio, said, write_shop

from clew.index.updater import Progress
from clew.interfaces.mcp.keeping import Cancelled, Run

FILES = 1_500


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A project that takes some seconds to index."""
    for number in range(FILES):
        text = "".join(f"def step_{number}_{j}(x):\n    # Worker {j} of module {number}.\n    return x + {j}\n\n\n" for j in range(4))
        (tmp_path / f"part{number:04}.py").write_text(text)
    return tmp_path


def indexed(folder: Path, *options: str) -> dict[str, object]:
    """What the command line says of an index run."""
    done = subprocess.run([sys.executable, "-m", "clew", "index", "--json", *options, str(folder)], capture_output=True, check=True)
    report: dict[str, object] = json.loads(done.stdout)
    return report


async def ended(client: Client) -> str:
    """The status once no run goes on."""
    while "being indexed" in (state := await said(client, "status")):
        await anyio.sleep(0.2)
    return state


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_questions_are_answered_while_the_first_index_is_made_and_both_ends_agree(large: Path, mode: str) -> None:
    async def talk(client: Client) -> None:
        told: list[str] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            told.append(message or "")

        first = only_text(await client.call_tool("search", {"query": "step_3_2", "limit": 1}, progress_callback=progress))
        while "step_3_2" not in first:  # on a machine that is slow beyond measure
            assert "partial" in first
            first = await said(client, "search", query="step_3_2", limit=1)
        assert "part0003.py:11-13  step_3_2" in first
        assert told
        joined = await said(client, "index")
        assert "still running" in joined or f"{FILES:,} files indexed" in joined
        state = await ended(client)
        assert "complete" in state
        assert f"python {FILES:,}" in state
        last = await said(client, "search", query=f"step_{FILES - 1}_3", limit=1)
        assert f"part{FILES - 1}.py:16-18" in last
        assert "partial" not in last

    over_stdio(talk, large, mode=mode)
    assert indexed(large)["files"] == {"indexed": 0, "unchanged": FILES, "deleted": 0, "skipped": 0}


def test_a_run_that_is_cancelled_stops_between_batches_and_the_next_goes_on(large: Path) -> None:
    async def talk(client: Client) -> None:
        with anyio.CancelScope() as scope:

            async def progress(done: float, total: float | None, message: str | None) -> None:
                if done:
                    scope.cancel()

            await client.call_tool("index", {}, progress_callback=progress)
        assert scope.cancelled_caught
        state = await ended(client)
        assert "not complete" in state
        assert 0 < int(state.split("files")[1].split()[0].replace(",", "")) < FILES

    over_stdio(talk, large)
    report = indexed(large)
    assert report["complete"]
    files = report["files"]
    assert isinstance(files, dict)
    assert files["indexed"] < FILES
    assert files["indexed"] + files["unchanged"] == FILES


def test_a_run_that_is_stopped_raises_at_its_next_step() -> None:
    run = Run()
    run.note(Progress("reading", 1, 2))
    assert str(run) == "reading 1 of 2"
    run.stop()
    with pytest.raises(Cancelled):
        run.note(Progress("reading", 2, 2))


def test_an_edit_a_new_file_and_a_removed_one_show_in_the_next_answer(tmp_path: Path) -> None:
    write_shop(tmp_path / "shop")
    basket = tmp_path / "shop" / "src" / "basket.py"

    async def talk(client: Client) -> None:
        assert "total_price" in await said(client, "search", query="total_price")
        for round_ in range(3):
            basket.write_text(f"def basket_of_round_{round_}():\n    return {round_}\n")
            (basket.parent / f"new{round_}.py").write_text(f"def new_in_{round_}():\n    return {round_}\n")
            for name in (f"basket_of_round_{round_}", f"new_in_{round_}"):
                answer = await said(client, "search", query=name, limit=1)
                assert f"def {name}" in answer
                assert "warning" not in answer
        basket.unlink()
        assert "no definition is named" in await said(client, "navigate", what="symbol", target="basket_of_round_2")

    over_stdio(talk, tmp_path / "shop")


def test_a_home_folder_is_not_indexed_unasked(home: Path) -> None:
    (home / "a.py").write_text("def a():\n    return 1\n")

    async def talk() -> None:
        async with connected(home) as client:
            refusal = await client.call_tool("search", {"query": "a"})
            assert refusal.is_error
            assert "is not indexed unasked" in only_text(refusal)

    anyio.run(talk)
    assert not (home / ".clew" / "snapshot").exists()
