"""How much may a server send for one reply? So many bytes, whoever it is: a reply that never ends would fill the memory long before the time is over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

MOST_BYTES = 32_000_000
"""Far more than any reply has; packed ones are not asked for, since what they unpack to is not known."""


def bounded_client() -> Any:
    """A client of HTTP, as pydantic-ai makes it, that reads no more of a reply than that."""
    from pydantic_ai.models import create_async_httpx2_client

    client = create_async_httpx2_client()
    client.headers["Accept-Encoding"] = "identity"
    client.event_hooks = {**client.event_hooks, "response": [_bound]}
    return client


async def _bound(response: Any) -> None:
    from httpx2 import AsyncByteStream

    class Bounded(AsyncByteStream):
        """The body, as far as it is read."""

        def __init__(self, body: AsyncByteStream) -> None:
            self._body = body

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_BYTES
            async for part in self._body:
                left -= len(part)
                if left < 0:
                    raise OSError("the reply has no end")
                yield part

        async def aclose(self) -> None:
            await self._body.aclose()

    if response.headers.get("content-encoding", "identity") != "identity":
        raise OSError("a packed reply was not asked for")
    response.stream = Bounded(response.stream)
