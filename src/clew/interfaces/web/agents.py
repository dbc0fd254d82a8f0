"""How do agents ask a server? By MCP over streamable HTTP, behind the authentication of everything else; each message stands for itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import unquote

import mcp_types as types
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from clew.core.access import Principal
from clew.errors import ClewError
from clew.interfaces.mcp.calls import refusal
from clew.interfaces.mcp.projects import Projects
from clew.interfaces.mcp.server import ANSWER_TOKENS, MAP, OUTLINE, STATUS, Context, Service
from clew.interfaces.mcp.tools import TOOLS
from clew.interfaces.web import served
from clew.interfaces.web.faults import status_of
from clew.serving.service import Service as Answers

PRINCIPAL = "clew.principal"
"""Under which name a request's scope says who asks."""
Done = Callable[[Callable[[], str]], Awaitable[str]]
Faulty = Callable[[Exception], None]


class Agents(Service):
    """The tools, resources and prompts of one server. `done` has work done, `told` writes down a fault of ours."""

    def __init__(self, answers: Answers, done: Done, told: Faulty, most_bytes: int) -> None:
        super().__init__(Projects(()), client_roots=False)
        self._answers = answers
        self._done = done
        self._told = told
        self.sessions = StreamableHTTPSessionManager(self.server(), stateless=True, max_request_body_size=most_bytes)

    async def handle(self, who: Principal, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of this principal."""
        scope[PRINCIPAL] = who
        await self.sessions.handle_request(scope, receive, send)

    async def _tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(read_only_hint=True),
                )
                for tool in TOOLS
                if tool.name not in served.NOT_SERVED
            ]
        )

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        work = partial(served.answer, self._answers, _who(context), params.name, dict(params.arguments or {}))
        try:
            text, is_error = await self._done(work), False
        except Exception as fault:  # noqa: BLE001 - the outermost door of a call
            text, is_error = self._refused(fault), True
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri, who = str(params.uri), _who(context)
        place = served.Namespace(self._answers, who)
        if uri == STATUS:
            work: Callable[[], str] = partial(served.status, self._answers, who)
        elif uri.startswith(OUTLINE):
            work = partial(served.looked, place, "outline", unquote(uri.removeprefix(OUTLINE)), ANSWER_TOKENS)
        elif uri == MAP or uri.startswith(f"{MAP}/"):
            work = partial(served.looked, place, "map", unquote(uri.removeprefix(MAP).strip("/")), ANSWER_TOKENS)
        else:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri}: ask for {STATUS}, {MAP} or {OUTLINE}PATH")
        try:
            text = await self._done(work)
        except Exception as fault:
            raise MCPError(types.INVALID_PARAMS, self._refused(fault)) from fault
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)])

    def _refused(self, fault: Exception) -> str:
        """What a caller is told of a fault; what is wrong with the server is told to its operator alone."""
        if isinstance(fault, ClewError) and status_of(fault) != 500:
            return refusal(fault)
        self._told(fault)
        return refusal(ClewError("a fault of the server", "ask its operator to look into its log"))


def _who(context: Context) -> Principal:
    request: Any = context.request
    if not isinstance(request, Request) or not isinstance(who := request.scope.get(PRINCIPAL), Principal):
        raise MCPError(types.INVALID_REQUEST, "nobody asks")
    return who
