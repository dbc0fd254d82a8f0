"""How is an allowance kept? A model of pydantic-ai in a wrapper that books every request and reply, and waits for none beyond the deadline."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from clew.adapters.language_models.retrying import attempts
from clew.core.language import Allowance, Usage
from clew.core.tokens import count_tokens


def metered(model: Any, allowance: Allowance) -> Any:
    """The model, asked within an allowance."""
    from pydantic_ai.models.wrapper import WrapperModel

    class Metered(WrapperModel):
        async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> Any:
            async for attempt in attempts(allowance):
                with attempt:
                    return await self._once(messages, model_settings, model_request_parameters)
            raise AssertionError("an attempt returns or raises")

        async def _once(self, messages: Any, model_settings: Any, parameters: Any) -> Any:
            allowance.begin(reading := _size(messages, parameters))
            seconds = allowance.wait_s
            most = _written(model_settings, allowance)
            settings: Any = {**(model_settings or {}), "timeout": seconds, "max_retries": 0, "max_tokens": most}
            usage = Usage(input_tokens=reading)
            try:
                async with asyncio.timeout(seconds):  # a client's own timeout is for each byte that it waits for
                    reply = await self.wrapped.request(messages, settings, parameters)
                usage = _usage(reply, reading)
            finally:
                allowance.charge(usage)
            return reply

    return Metered(model)


def _written(model_settings: Any, allowance: Allowance) -> int:
    """How much the next reply may hold: what is set, within what is left."""
    left = max(allowance.left.output_tokens, 1)
    most: int = (model_settings or {}).get("max_tokens", left)
    return min(most, left)


def _usage(reply: Any, reading: int) -> Usage:
    """What a reply cost: as its server says, or as it is counted here where that says nothing."""
    wrote = "".join(str(getattr(part, "content", None) or getattr(part, "args", "")) for part in reply.parts)
    told = reply.usage
    return Usage(0, told.input_tokens or reading, told.output_tokens or count_tokens(wrote))


def _size(messages: Any, parameters: Any) -> int:
    """Tokens of a conversation with its tools and shape, never fewer than there are."""
    said = (part for message in messages for part in message.parts)
    texts = [str(getattr(part, "content", None) or getattr(part, "args", "")) for part in said]
    texts += [message.instructions or "" for message in messages[-1:] if hasattr(message, "instructions")]
    texts += [
        f"{tool.name} {tool.description} {json.dumps(tool.parameters_json_schema)}"
        for tool in (*parameters.function_tools, *parameters.output_tools)
    ]
    return sum(map(count_tokens, texts))
