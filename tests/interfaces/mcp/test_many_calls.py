"""Do many calls leave anything behind: memory, threads, open files? (bench/mcp.py makes a thousand and more.)"""

from __future__ import annotations

from pathlib import Path

from mcp import Client
from tests.interfaces.mcp.conftest import over_stdio, refused, said

CALLS = 120


def test_many_calls_leave_no_threads_and_files_behind(shop: Path) -> None:
    def held() -> tuple[int, int]:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                if b"mcp" in words and (process / "cwd").resolve() == shop:
                    threads = len(list((process / "task").iterdir()))
                    return threads, len(list((process / "fd").iterdir()))
            except OSError:
                continue
        raise AssertionError("there is no server")

    async def talk(client: Client) -> None:
        async def some(count: int) -> None:
            for number in range(count):
                await said(client, "search", query=f"price {number}")
                await said(client, "navigate", what="outline", target="src/basket.py")
                await refused(client, "navigate", what="read", target="../x")

        await some(10)
        before = held()
        await some(CALLS // 3)
        threads, files = held()
        assert threads <= before[0] + 1
        assert files <= before[1] + 2

    over_stdio(talk, shop)
