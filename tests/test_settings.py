"""Are settings merged in their order, checked, and does each know where it comes from?"""

from __future__ import annotations

import os
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from clew.errors import UsageError
from clew.interfaces.cli.init import template
from clew.setting_rules import is_namespace
from clew.settings import Settings, keys, language_model_key, load_settings, user_config_folder, user_data_folder


def write_user(home: Path, text: str) -> Path:
    path = home / ".config" / "clew" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_without_anything_every_value_is_the_default(tmp_path: Path) -> None:
    settings = load_settings(tmp_path)
    assert settings == Settings(origins=settings.origins)
    assert set(settings.origins) == {key.name for key in keys()}
    assert set(settings.origins.values()) == {"default"}


def test_a_flag_beats_the_environment_beats_the_project_beats_the_user(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = write_user(home, 'limit = 1\nmode = "fast"\nembedder = "user:"\nnamespace = "user-name"')
    (tmp_path / "clew.toml").write_text('mode = "semantic"\nembedder = "project:"\nnamespace = "project-name"')
    monkeypatch.setenv("CLEW_EMBEDDER", "environment:")
    monkeypatch.setenv("CLEW_NAMESPACE", "environment-name")
    settings = load_settings(tmp_path, {"namespace": "flag-name"})
    assert (settings.limit, settings.origins["limit"]) == (1, str(user))
    assert (settings.mode, settings.origins["mode"]) == ("semantic", str(tmp_path / "clew.toml"))
    assert (settings.embedder, settings.origins["embedder"]) == ("environment:", "environment CLEW_EMBEDDER")
    assert (settings.namespace, settings.origins["namespace"]) == ("flag-name", "option namespace")


def test_an_override_of_none_counts_as_not_given(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {"embedder": None}).origins["embedder"] == "default"


def test_xdg_folders_are_honoured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "conf"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert user_config_folder() == tmp_path / "conf" / "clew"
    assert user_data_folder() == tmp_path / "data" / "clew"
    (tmp_path / "conf" / "clew").mkdir(parents=True)
    (tmp_path / "conf" / "clew" / "config.toml").write_text("limit = 7")
    assert load_settings(tmp_path).limit == 7


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("CLEW_LIMIT", "25", "limit", 25),
        ("CLEW_FRESHNESS_MS", "-1", "freshness_ms", -1),
        ("CLEW_EXCLUDE", "docs/**, *.min.js", "exclude", ("docs/**", "*.min.js")),
        ("CLEW_MODE", "fast", "mode", "fast"),
        ("NO_COLOR", "1", "color", "never"),
        ("TERM", "dumb", "color", "never"),
    ],
)
def test_the_environment_is_read_in_the_settings_own_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, text: str, name: str, value: object
) -> None:
    monkeypatch.setenv(variable, text)
    settings = load_settings(tmp_path)
    assert getattr(settings, name) == value
    assert settings.origins[name] == f"environment {variable}"


def test_an_empty_variable_counts_as_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LIMIT", "")
    assert load_settings(tmp_path).limit == 10


def test_an_unknown_variable_is_a_warning_with_the_nearest_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_EMBEDER", "static:")
    (warning,) = load_settings(tmp_path).warnings
    assert "CLEW_EMBEDER" in warning
    assert "CLEW_EMBEDDER" in warning


@pytest.mark.parametrize(
    ("text", "key", "allowed"),
    [
        ('embeder = "static:"', "embeder", "embedder"),
        ("[embedder]\nmodel = 1", "embedder", "a string"),
        ('limit = "ten"', "limit", "a whole number"),
        ("limit = true", "limit", "a whole number"),
        ("limit = 1.5", "limit", "a whole number"),
        ("limit = 0", "limit", "from 1 to"),
        ("limit = 100000000000000000000", "limit", "from 1 to"),
        ('exclude = "docs"', "exclude", "a list of strings"),
        ("exclude = [1]", "exclude", "a list of strings"),
        ('mode = "quick"', "mode", "auto, fast, semantic, hybrid"),
        ('namespace = "My_Project"', "namespace", "a-z, 0-9 and -"),
        ('visibility = "secret"', "visibility", "private, team, public"),
        ('color = "yes"', "color", "auto, always, never"),
    ],
)
def test_a_wrong_line_is_refused_with_the_file_the_key_and_what_is_allowed(tmp_path: Path, text: str, key: str, allowed: str) -> None:
    (tmp_path / "clew.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        load_settings(tmp_path)
    assert str(tmp_path / "clew.toml") in refused.value.message
    assert key in refused.value.message
    assert allowed in refused.value.hint


@pytest.mark.parametrize(
    "content",
    [b"limit = ", b"limit = 1\nlimit = 2", b"\xff\xfe", b"x = [" * 100_000, b"\x00"],
    ids=["cut", "twice", "bytes", "deep", "nul"],
)
def test_a_file_that_is_not_toml_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "clew.toml").write_bytes(content)
    with pytest.raises(UsageError, match=r"clew\.toml is not valid TOML"):
        load_settings(tmp_path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_bytes(b"\xef\xbb\xbflimit = 3\r\n")
    assert load_settings(tmp_path).limit == 3


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").mkdir()
    with pytest.raises(UsageError, match="cannot read"):
        load_settings(tmp_path)


@pytest.mark.parametrize("variable", ["CLEW_LIMIT", "CLEW_MODE", "CLEW_NAMESPACE"])
def test_a_wrong_variable_is_refused_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "?" * 500)
    with pytest.raises(UsageError) as refused:
        load_settings(tmp_path)
    assert variable in refused.value.message
    assert len(refused.value.message) < 200


def test_an_unknown_or_wrong_override_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown setting 'colour'"):
        load_settings(tmp_path, {"colour": "auto"})
    with pytest.raises(UsageError, match="limit in option limit"):
        load_settings(tmp_path, {"limit": -1})


@pytest.mark.parametrize(
    ("name", "legal"),
    [("abc", True), ("a-1", True), ("ab", False), ("1abc", False), ("a" * 63, True), ("a" * 64, False), ("Abc", False), ("abc\n", False)],
)
def test_a_namespace_has_3_to_63_letters_digits_and_dashes(name: str, legal: bool) -> None:
    assert is_namespace(name) is legal


def test_every_setting_is_explained_and_the_template_sets_none(tmp_path: Path) -> None:
    assert {key.name for key in keys()} == {field.name for field in fields(Settings)} - {"origins", "warnings"}
    assert all(key.help.endswith(".") for key in keys())
    assert tomllib.loads(template()) == {}


def test_every_line_of_the_template_is_a_legal_setting(tmp_path: Path) -> None:
    lines = [line.removeprefix("# ") for line in template().split("\n") if " = " in line]
    (tmp_path / "clew.toml").write_text("\n".join(lines))
    settings = load_settings(tmp_path)
    assert {key.name: getattr(settings, key.name) for key in keys()} == {key.name: key.default for key in keys()}
    assert len(lines) == len(keys())


@pytest.mark.parametrize("place", ["a\0b", "a" * 5_000, "a/" * 3_000, "/tmp/" + "é" * 200])
def test_an_index_dir_that_no_system_takes_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(UsageError, match="index_dir"):
        load_settings(tmp_path, {"index_dir": place})


def test_a_settings_file_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "clew.toml")
    with pytest.raises(UsageError, match="named pipe"):
        load_settings(tmp_path)


def test_a_key_goes_to_no_address_that_a_project_gave_unless_it_is_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LLM_KEY", "secret")
    assert load_settings(tmp_path).warnings == ()
    assert "secret" not in repr(load_settings(tmp_path))

    def key(project: str, **overrides: str) -> str:
        (tmp_path / "clew.toml").write_text(f'llm_url = "{project}"\n' if project else "")
        return language_model_key(tmp_path, load_settings(tmp_path, overrides))

    assert key("", llm_url="https://models.example/v1") == key("https://evil.example/v1", llm_url="https://models.example/v1") == "secret"
    assert [key(url) for url in ("http://localhost:11434/v1", "http://127.0.0.1/v1", "http://[::1]:1")] == ["secret"] * 3
    for url in (
        "https://evil.example/v1",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example/",
        "http://localhost@evil.example",
    ):
        assert key(url) == ""
