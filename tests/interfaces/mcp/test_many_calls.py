"""Do a thousand calls leave anything behind: memory, processes, threads, open files? (bench/agents.py makes as many on a larger project.)"""

from __future__ import annotations

from pathlib import Path

from mcp import Client
from tests.interfaces.mcp.conftest import over_stdio, refused, said

CALLS = 1_000
KILOBYTES = 12_000
"""Memory that may be taken after the first hundred calls: answers are remembered up to a bound, which these do not reach."""


def test_a_thousand_calls_leave_no_memory_processes_threads_and_files_behind(shop: Path) -> None:
    def held() -> tuple[int, int, int, int]:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                if b"mcp" in words and (process / "cwd").resolve() == shop:
                    threads = len(list((process / "task").iterdir()))
                    children = sum(len(path.read_text().split()) for path in process.glob("task/*/children"))
                    memory = next(line for line in (process / "status").read_text().splitlines() if line.startswith("VmRSS"))
                    return threads, len(list((process / "fd").iterdir())), children, int(memory.split()[1])
            except OSError:
                continue
        raise AssertionError("there is no server")

    async def talk(client: Client) -> None:
        async def some(count: int) -> None:
            for number in range(count):
                await said(client, "search", query=f"price {number}")
                await said(client, "search", query="who calls total_price", limit=number % 5 + 1)
                await said(client, "navigate", what="outline", target="src/basket.py")
                await refused(client, "navigate", what="read", target="../x")

        await some(25)
        before = held()
        await some(CALLS // 4)
        threads, files, children, memory = held()
        assert threads <= before[0] + 1
        assert files <= before[1] + 2
        assert children == before[2] == 0
        assert memory <= before[3] + KILOBYTES

    over_stdio(talk, shop)
