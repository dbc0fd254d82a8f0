"""Does `clew install` show, write and take back what each client needs, and leave alone what it cannot read?"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.interfaces.install.clients import clients

Run = Callable[..., Any]


def all_files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with what it holds."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", clients())
def test_each_client_gets_its_entry_once_and_is_left_as_it_was(home: Path, project: Path, clew: Run, name: str) -> None:
    shown = clew("install", name, "--dry-run")
    assert shown.code == 0
    assert "+" in shown.out
    assert all_files(home) == {}
    assert clew("install", name, "--yes").code == 0
    settings = clients()[name].settings(None)
    assert settings is not None
    text = settings.read_text("utf-8")
    assert '"mcp"' in text
    assert "clew" in text
    written = all_files(home)
    again = clew("install", name, "--yes")
    assert (again.code, again.out) == (0, "")
    assert all_files(home) == written
    assert clew("install", name, "--uninstall", "--yes").code == 0
    assert not any(home.iterdir())


def test_an_uninstall_leaves_folders_that_hold_something(home: Path, project: Path, clew: Run) -> None:
    assert clew("install", "cursor", "gemini", "--yes").code == 0
    (home / ".cursor" / "rules").mkdir()
    assert clew("install", "cursor", "gemini", "--uninstall", "--yes").code == 0
    assert [path.name for path in home.iterdir()] == [".cursor"]
    assert clew("install", "vscode", "--project", "--yes").code == 0
    assert clew("install", "vscode", "--project", "--uninstall", "--yes").code == 0
    assert not (project / ".vscode").exists()
    assert not (project / ".github").exists()


def test_folders_that_an_uninstall_leaves_empty_are_no_agents(home: Path, project: Path, clew: Run) -> None:
    names = ("cursor", "codex", "zed", "goose", "continue")
    assert clew("install", *names, "--yes").code == 0
    assert clew("install", *names, "--uninstall", "--yes").code == 0
    assert clew("install", "--yes").code == 2
    assert all_files(home) == {}


def test_what_a_person_wrote_stays_to_the_byte(home: Path, project: Path, clew: Run) -> None:
    (home / ".claude").mkdir()
    (home / ".claude.json").write_text('{\n  // mine\n  "mcpServers": {\n    "files": {"command": "x"}\n  },\n  "n": 1\n}\n')
    (home / ".claude" / "CLAUDE.md").write_text("# Rules\n\n- Short answers.\n")
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('model = "x" # why\n\n[mcp_servers.files]\ncommand = "x"\n')
    before = all_files(home)
    done = clew("install", "--yes")
    assert done.code == 0
    entry = json.loads((home / ".claude.json").read_text().replace("// mine", ""))["mcpServers"]["clew"]
    assert entry["args"] == ["mcp"]
    assert Path(entry["command"]).is_absolute()
    assert tomllib.loads((home / ".codex" / "config.toml").read_text())["mcp_servers"]["clew"]["args"] == ["mcp"]
    assert "`search`" in (home / ".claude" / "CLAUDE.md").read_text()
    assert clew("install", "--uninstall", "--yes").code == 0
    assert {name: data for name, data in all_files(home).items() if name in before} == before
    assert "CLAUDE.md" not in "".join(all_files(home).keys() - before.keys())


@pytest.mark.parametrize(
    ("name", "text"), [("cursor", '{"mcpServers": {'), ("codex", "a = [\n"), ("goose", "a: [\n"), ("cursor", "\0\xff")]
)
def test_a_file_that_cannot_be_read_is_left_alone_and_named_in_one_line(home: Path, project: Path, clew: Run, name: str, text: str) -> None:
    settings = clients()[name].settings(None)
    assert settings is not None
    settings.parent.mkdir(parents=True)
    settings.write_bytes(text.encode("latin-1"))
    done = clew("install", name, "gemini", "--yes")
    assert done.code == 2
    assert settings.read_bytes() == text.encode("latin-1")
    assert len([line for line in done.err.split("\n") if str(settings) in line]) == 1
    assert (home / ".gemini" / "settings.json").exists()


def test_a_link_stays_a_link_and_a_mode_a_mode(home: Path, project: Path, clew: Run) -> None:
    kept = home / "dotfiles.json"
    kept.write_text("{}\n")
    kept.chmod(0o600)
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").symlink_to(kept)
    assert clew("install", "cursor", "--yes").code == 0
    assert (home / ".cursor" / "mcp.json").is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "clew" in kept.read_text()


def test_a_file_that_may_hold_comments_is_the_one_that_is_edited(project: Path, clew: Run) -> None:
    (project / "opencode.jsonc").write_text("{\n  // mine\n}\n")
    assert clew("install", "opencode", "--project", "--yes").code == 0
    assert not (project / "opencode.json").exists()
    assert '// mine\n  "mcp": {' in (project / "opencode.jsonc").read_text()


def test_a_project_gets_an_entry_that_works_for_everybody(project: Path, clew: Run) -> None:
    assert clew("install", "claude-code", "vscode", "zed", "--project", "--yes").code == 0
    assert json.loads((project / ".mcp.json").read_text())["mcpServers"]["clew"] == {"type": "stdio", "command": "clew", "args": ["mcp"]}
    assert json.loads((project / ".vscode" / "mcp.json").read_text())["servers"]["clew"]["command"] == "clew"
    assert "clew" in (project / "CLAUDE.md").read_text()
    refused = clew("install", "windsurf", "--project", "--yes")
    assert refused.code == 2
    assert "--project" in refused.err


def test_nothing_is_written_without_being_asked(home: Path, project: Path, clew: Run) -> None:
    done = clew("install", "cursor")
    assert done.code == 2
    assert "--yes" in done.err
    assert all_files(home) == {}
    assert clew("install", "emacs").code == 2
    assert clew("install").code == 2
