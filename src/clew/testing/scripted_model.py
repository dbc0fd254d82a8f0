"""What can stand in for a language model? A script: each question gets the next answer, or the next failure, and is written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class Script:
    """The answers, and what was asked. An answer is the fields of the shape, a text that keeps to no shape, or a failure to raise."""

    def __init__(self, answers: Iterable[Mapping[str, Any] | str | Exception]) -> None:
        self._answers = list(answers)
        self.instructions: list[str] = []
        self.evidence: list[str] = []

    def model(self) -> Any:
        """A model of pydantic-ai that follows the script: `AgentModel("scripted:model", script.model())` is asked as any other."""
        from pydantic_ai.models.function import FunctionModel

        return FunctionModel(self._answer, model_name="scripted")

    def _answer(self, messages: list[Any], info: Any) -> Any:
        from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

        request = messages[-1]
        self.instructions.append(request.instructions or "")
        self.evidence.append("\n".join(str(part.content) for part in request.parts if getattr(part, "part_kind", "") == "user-prompt"))
        if not self._answers:
            raise AssertionError("the script has no answer left")
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return ModelResponse(parts=[TextPart(answer)])
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, dict(answer))])
