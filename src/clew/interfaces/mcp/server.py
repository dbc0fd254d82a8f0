"""What does the server say to which message? The handlers of the official SDK, each a few lines around a call."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any
from urllib.parse import unquote

import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from clew.errors import ClewError, UsageError
from clew.interfaces.cli.output import internal
from clew.interfaces.mcp.calls import Call, refusal
from clew.interfaces.mcp.guidance import INSTRUCTIONS, TASKS
from clew.interfaces.mcp.navigation import navigate
from clew.interfaces.mcp.projects import Place, Projects
from clew.interfaces.mcp.roots import ClientRoots
from clew.interfaces.mcp.sampling import Sampling, is_lent, wanted
from clew.interfaces.mcp.tools import MAX_TOKENS, listed

Context = ServerRequestContext[Any, Any]
ANSWER_TOKENS = 4 * MAX_TOKENS
"""Tokens of a resource: it is asked for by a person or a client, not by every question."""
OUTLINE = "clew://outline/"
STATUS = "clew://status"
MAP = "clew://map"


class Service:
    """What one server process answers with: its projects, and whether the client's roots count."""

    def __init__(self, projects: Projects, *, client_roots: bool) -> None:
        self._projects = projects
        self._sampling = Sampling()
        self._roots = ClientRoots() if client_roots and not projects.given else None

    def server(self) -> Server[Any]:
        """The SDK's server with every handler in place."""
        server: Server[Any] = Server(
            "clew",
            version=version("clew"),
            title="clew: code search",
            instructions=INSTRUCTIONS,
            on_list_tools=self._tools,
            on_call_tool=self._call,
            on_list_resources=self._resources,
            on_list_resource_templates=self._templates,
            on_read_resource=self._read,
            on_list_prompts=self._prompts,
            on_get_prompt=self._prompt,
        )
        server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, self._roots_changed)
        return server

    async def _tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(read_only_hint=True) if tool.read_only else None,
                )
                for tool in listed(has_model=is_lent(context) or await run_sync(self._projects.have_model))
            ]
        )

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult | types.InputRequiredResult:
        try:
            if self._roots is not None and (question := await self._roots.asked(context, params)) is not None:
                return question
            places, given = await self._places(), dict(params.arguments or {})
            if wanted(context, params.name, given):
                answer = await self._sampling.answer(
                    context, params, lambda model, progress: Call(places, progress, model).answer(params.name, given)
                )
                return _text(answer) if isinstance(answer, str) else answer
            text = await Call(places, context.session.report_progress).answer(params.name, given)
        except ClewError as fault:
            return _text(refusal(fault), is_error=True)
        except Exception as fault:  # noqa: BLE001 - the outermost door of a call
            return _text(refusal(internal(fault)), is_error=True)
        return _text(text)

    async def _places(self) -> tuple[Place, ...]:
        return await run_sync(self._projects.places, self._roots.uris if self._roots else None)

    async def _roots_changed(self, context: Context, params: types.NotificationParams | None) -> None:
        if self._roots is not None:
            self._roots.forget()

    async def _resources(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        told = {STATUS: ("status", "What is indexed, and what is not"), MAP: ("map", "The project on one page")}
        return types.ListResourcesResult(
            resources=[
                types.Resource(name=name, uri=uri, description=description, mime_type="text/plain")
                for uri, (name, description) in told.items()
            ]
        )

    async def _templates(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        told = {OUTLINE: ("outline", "Definitions of a file, files of a folder"), f"{MAP}/": ("map", "A folder on one page")}
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(name=name, uri_template=f"{uri}{{+path}}", description=description, mime_type="text/plain")
                for uri, (name, description) in told.items()
            ]
        )

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        places = await self._places()
        if uri == STATUS:
            text = await _refusing(Call(places, _unsaid).status(places))
        elif uri.startswith(OUTLINE):
            text = await _refusing(run_sync(partial(_looked, places, "outline", unquote(uri.removeprefix(OUTLINE)))))
        elif uri == MAP or uri.startswith(f"{MAP}/"):
            text = await _refusing(run_sync(partial(_looked, places, "map", unquote(uri.removeprefix(MAP).strip("/")))))
        else:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri}: ask for {STATUS}, {MAP} or {OUTLINE}PATH")
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)])

    async def _prompts(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=task.name,
                    description=task.description,
                    arguments=[types.PromptArgument(name=task.argument, description=task.meaning, required=True)],
                )
                for task in TASKS
            ]
        )

    async def _prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        task = next((task for task in TASKS if task.name == params.name), None)
        if task is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name}: there are {', '.join(task.name for task in TASKS)}")
        value = (params.arguments or {}).get(task.argument, "").strip()
        if not value:
            raise MCPError(types.INVALID_PARAMS, f"the prompt {task.name} needs {task.argument}: {task.meaning}")
        message = types.PromptMessage(role="user", content=types.TextContent(text=task.text.format(value)))
        return types.GetPromptResult(description=task.description, messages=[message])


def _text(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)


async def _unsaid(done: float, total: float | None, message: str) -> None:
    """Nobody is told how far it is."""


async def _refusing(work: Awaitable[str]) -> str:
    """The text, or the protocol's error with what to do."""
    try:
        return await work
    except ClewError as fault:
        raise MCPError(types.INVALID_PARAMS, refusal(fault)) from fault


def _looked(places: Sequence[Place], what: str, path: str) -> str:
    """The outline or map from the first place that has the path."""
    faults = []
    for place in places:
        try:
            place.project.prepare()
            return navigate(place, what, path, ANSWER_TOKENS)
        except UsageError as fault:
            faults.append(fault)
    raise faults[0]
