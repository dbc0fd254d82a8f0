"""How is the client's own language model asked? While a search waits: by a request to the client, or, in newer protocols, in the answer to its call."""

from __future__ import annotations

import asyncio
import time
import uuid
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from clew.errors import UsageError
from clew.search.tiers import TIERS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from clew.adapters.language_models import AgentModel, Prompt
    from clew.interfaces.mcp.calls import Progress

    Work = Callable[[AgentModel, Progress], Awaitable[str]]

KEY = "model"
NAME = "the client's model"
KEPT_S = 600.0
"""How long the answer of a call is kept for a client that was asked something and did not come back; how long that is waited for, `llm_seconds` says."""


def wanted(context: ServerRequestContext[Any, Any], name: str, given: dict[str, Any]) -> bool:
    """Whether a call asks by name for what a model answers, of a client that lends its own."""
    return (name == "ask" or (name == "search" and given.get("mode") in TIERS)) and is_lent(context)


def is_lent(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client lends its model."""
    capabilities = context.session.client_capabilities
    return capabilities is not None and capabilities.sampling is not None


class Exchange:
    """One call that is being answered, and what its search wants of the client's model."""

    def __init__(self, work: Work, progress: Progress) -> None:
        from clew.adapters.language_models import handing_on

        self.progress = progress
        self.began = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self._prompts: asyncio.Queue[tuple[Prompt, Future[str]]] = asyncio.Queue()
        self._waiting: Future[str] | None = None
        self.task = asyncio.ensure_future(work(handing_on(NAME, self._asked), self._tell))

    async def _tell(self, done: float, total: float | None, message: str) -> None:
        """Progress goes to the call that waits now."""
        await self.progress(done, total, message)

    async def _asked(self, prompt: Prompt) -> str:
        """Called in the loop of language models."""
        future: Future[str] = Future()
        self._loop.call_soon_threadsafe(self._prompts.put_nowait, (prompt, future))
        return await asyncio.wrap_future(future)

    async def prompt(self) -> Prompt | None:
        """What the client's model is to be asked next; None when the call is answered. A question that nobody waits for any more is passed over."""
        while True:
            waiting = asyncio.ensure_future(self._prompts.get())
            await asyncio.wait({waiting, self.task}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                waiting.cancel()
                return None
            prompt, self._waiting = waiting.result()
            if not self._waiting.cancelled():
                return prompt

    def reply(self, result: object) -> None:
        """What came back for it; what is no text of the model is a refusal."""
        content = getattr(result, "content", None)
        text = getattr(content, "text", None)
        if self._waiting is None or self._waiting.done():
            return
        with suppress(asyncio.InvalidStateError):
            if isinstance(text, str) and getattr(result, "role", "") == "assistant":
                self._waiting.set_result(text)
            else:
                self._waiting.set_exception(OSError("the client gave no reply of its model"))


class Sampling:
    """The exchanges that wait for clients of newer protocols."""

    def __init__(self) -> None:
        self._waiting: dict[str, Exchange] = {}

    async def answer(
        self,
        context: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams,
        work: Work,
    ) -> str | types.InputRequiredResult:
        """The text of the answer, or what the client has to ask its model first."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return await _in_one_call(context, Exchange(work, context.session.report_progress))
        exchange = self._resumed(params) if params.request_state else Exchange(work, context.session.report_progress)
        exchange.progress = context.session.report_progress
        if params.request_state:
            exchange.reply((params.input_responses or {}).get(KEY))
        prompt = await exchange.prompt()
        if prompt is None:
            return await exchange.task
        state = uuid.uuid4().hex
        self._waiting[state] = exchange
        return types.InputRequiredResult(input_requests={KEY: _request(prompt)}, request_state=state)

    def _resumed(self, params: types.CallToolRequestParams) -> Exchange:
        """The exchange that a client comes back to; those that nobody came back to, and that are over, are forgotten."""
        late = [state for state, one in self._waiting.items() if one.task.done() and time.monotonic() - one.began > KEPT_S]
        for state in late:
            del self._waiting[state]
        exchange = self._waiting.pop(params.request_state or "", None)
        if exchange is None:
            raise UsageError("that search is over", "ask again")
        return exchange


async def _in_one_call(context: ServerRequestContext[Any, Any], exchange: Exchange) -> str:
    try:
        while (prompt := await exchange.prompt()) is not None:
            try:
                exchange.reply(await context.session.send_request(_request(prompt), types.CreateMessageResult))
            except (MCPError, ValueError) as fault:
                exchange.reply(fault)
        return await exchange.task
    except asyncio.CancelledError:
        exchange.task.cancel()
        raise


def _request(prompt: Prompt) -> types.CreateMessageRequest:
    messages = [types.SamplingMessage(role=said.role, content=types.TextContent(text=said.text)) for said in prompt.turns]
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=messages, system_prompt=prompt.instructions, max_tokens=prompt.max_tokens, temperature=0.0
        )
    )
