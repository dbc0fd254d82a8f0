"""Which folders does the client work in? Asked once, and again when it says that they changed."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

ASK_S = 3.0
"""A client that has not said by then which folders it works in is answered about the current folder."""
KEY = "roots"


class ClientRoots:
    """The roots of the one client of a stdio server. `uris` is None as long as it has named none."""

    def __init__(self) -> None:
        self.uris: list[str] | None = None
        self._is_asked = False
        self._turn = anyio.Lock()

    def forget(self) -> None:
        """They changed: ask again at the next call."""
        self._is_asked = False

    async def asked(
        self, context: ServerRequestContext[Any, Any], params: types.InputResponseRequestParams
    ) -> types.InputRequiredResult | None:
        """Learn the roots, if they are not known. Newer protocols ask in the answer to the call: then that answer is returned."""
        capabilities = context.session.client_capabilities
        if self._is_asked or capabilities is None or capabilities.roots is None:
            return None
        async with self._turn:
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
                return self._from_answer(params)
            self._is_asked = True
            try:
                with anyio.fail_after(ASK_S):
                    named = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
                self.uris = [str(root.uri) for root in named.roots]
            except (MCPError, TimeoutError, ValueError):
                self.uris = None
            return None

    def _from_answer(self, params: types.InputResponseRequestParams) -> types.InputRequiredResult | None:
        answered = (params.input_responses or {}).get(KEY)
        if answered is None:
            return types.InputRequiredResult(input_requests={KEY: types.ListRootsRequest()})
        self._is_asked = True
        self.uris = [str(root.uri) for root in answered.roots] if isinstance(answered, types.ListRootsResult) else None
        return None
