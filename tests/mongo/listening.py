"""Which search commands does pymongo send? Captured by its own command monitoring, and checked by the rules as they are sent."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pymongo import monitoring
from tests.mongo.rules import COMMANDS, SEARCHING, Index, Refused, check_command, check_pipeline, index_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class Captured(monitoring.CommandListener):
    """Search commands in the order in which they were sent; what the rules refuse is kept in `refused`."""

    def __init__(self) -> None:
        self.is_on = False
        self.commands: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self._indexes: dict[str, dict[str, dict[str, Index]]] = {}

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        command = dict(event.command)
        stages = [stage for stage in command.get("pipeline", ()) if next(iter(stage)) in (*SEARCHING, "$unionWith")]
        if not self.is_on or (event.command_name not in COMMANDS and not stages):
            return
        self.commands.append(command)
        database = self._indexes.setdefault(event.database_name, {})
        try:
            if event.command_name == "aggregate":
                check_pipeline(command["pipeline"], database.get(command["aggregate"], {}), database)
            else:
                check_command(command)
                for model in command.get("indexes", ()):
                    database.setdefault(command["createSearchIndexes"], {})[model["name"]] = index_of(model)
        except Refused as fault:
            self.refused.append(f"{fault}: {command}")

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        pass

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        pass

    def stages(self, name: str) -> list[dict[str, Any]]:
        """Every stage of a name that was sent, those inside of `$unionWith` among them."""
        found = []
        for command in self.commands:
            for pipeline in _pipelines(command.get("pipeline", [])):
                found += [stage[name] for stage in pipeline if name in stage]
        return found


def _pipelines(pipeline: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    yield pipeline
    for stage in pipeline:
        if "$unionWith" in stage:
            yield from _pipelines(stage["$unionWith"]["pipeline"])


_captured = Captured()
monitoring.register(_captured)


@contextmanager
def captured() -> Iterator[Captured]:
    """What is sent inside, by clients that are made after this module was loaded."""
    _captured.__init__()  # type: ignore[misc]
    _captured.is_on = True
    try:
        yield _captured
    finally:
        _captured.is_on = False
