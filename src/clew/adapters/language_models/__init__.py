"""Whose language models do we ask? Any that pydantic-ai knows, by name, or one behind an address that speaks as OpenAI's does."""

from clew.adapters.language_models.agent import AgentModel, load
from clew.adapters.language_models.asking import Prompt, handing_on

__all__ = ["AgentModel", "Prompt", "handing_on", "load"]
