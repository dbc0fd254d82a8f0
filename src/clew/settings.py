"""What is configured, and where does each value come from? Flags > environment > project clew.toml > user config > defaults.

The only place that reads the environment.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.errors import UsageError
from clew.setting_rules import between, dollars_rule, identifier_rule, namespace_rule, one_of, path_rule, store_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PROJECT_FILE = "clew.toml"
LLM_KEY = "CLEW_LLM_KEY"
"""The one secret of clew's own: never part of the settings, which are shown."""
EMBEDDER_KEY = "CLEW_EMBEDDER_KEY"
"""The key for the server at `embedder_url`; neither a setting."""
EMBEDDING_PROVIDERS = {"local": "static", "static": "static", "onnx": "onnx", "voyage": "voyage", "gemini": "gemini", "openai": "openai"}
"""What EMBEDDING_PROVIDER may say, and what it is here."""
SECTIONS = ("terms", "mounts")
"""Tables of a project's file that are no settings: the glossary, and what of other projects is searched too."""
USER_SECTIONS = ("mounts", "serve")
"""Those of the user's own file; `serve` sets up a server, of which a project's file says nothing."""
MODES = ("auto", "fast", "semantic", "hybrid", "structural", "standard", "deep")
"""The ways to search that this version has."""
INDEX_MODES = ("fast", "hybrid", "standard")
"""The ways to index: words only, words and vectors, or these with a sentence of a language model about each file and folder."""
MOST_SUMMARY_TOKENS = 1_000_000
"""Tokens that describing a project may take where nobody says: some 3,000 files."""
AUTO_LLM = ("never", "standard", "deep")
COLORS = ("auto", "always", "never")
VISIBILITIES = ("private", "team", "public")
STORE_PASSWORD = "CLEW_STORE_PASSWORD"
"""The password of the user that a store's address names: never part of the settings, which are shown."""

MAX_FILE_BYTES = 5_000_000
"""Hand-written sources end well below; what is larger is data or generated, and its skip is reported."""
FRESHNESS_MS = 150
"""The time a search may spend on looking for changed files; 3,000 files need about half of it."""
SCHEMAS_KEPT = 10
"""A schema changes a few times a month, and who compares looks back weeks."""
LLM_SECONDS = 30
"""As long as anybody waits for an answer; a small model on a processor needs minutes."""
RERANK_POOL = 50
"""As many as providers read within a second."""
RERANK_SECONDS = 10
LIMIT = 10
MAX_LIMIT = 1_000
"""More results than anybody reads; keeps a slip of the finger from filling the memory."""
MAX_COUNT = 2**31 - 1
"""The largest number that every store can hold."""

_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_LOGIN = re.compile(r"(?s)://.*@")
_SHOWN = 60
"""Characters of a wrong value that an error repeats."""


def _setting(help_text: str, default: Any, check: Callable[[Any], str] | None = None) -> Any:
    """A field of `Settings`: its sentence for the documentation, and a check that says what is allowed instead."""
    return field(default=default, metadata={"help": help_text, "check": check})


def check_mode(mode: str) -> str:
    """What is allowed instead of this mode; empty when it is one of this version's."""
    return "" if mode in MODES else f"one of {', '.join(MODES)}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting of a project. `origins` says for each name where its value was found; `warnings` what was left out."""

    embedder: str = _setting("The embedding model, as `provider:model`; `static:` is the one shipped with clew.", "static:")
    vector_dims: int = _setting("Length of the vectors; 0 takes the model's own.", 0, between(0, 4096))
    fallback: tuple[str, ...] = _setting(
        "Models that answer, in this order, while the set one cannot, each with vectors of its own (docs/fallback.md); `none` is none.",
        ("static:",),
    )
    namespace: str = _setting("The project's name in its index; empty makes one from the git remote or the folder.", "", namespace_rule)
    visibility: str = _setting("Who may see the project in a shared store: private, team or public.", "private", one_of(*VISIBILITIES))
    teams: tuple[str, ...] = _setting("The teams that you are of: what is theirs in a shared store can be mounted.", ())
    include: tuple[str, ...] = _setting("Patterns, as in .gitignore: with any, only the files that match are indexed.", ())
    exclude: tuple[str, ...] = _setting("Patterns, as in .gitignore: what matches one is never indexed.", ())
    max_file_bytes: int = _setting("Larger files are skipped, and named as skipped.", MAX_FILE_BYTES, between(1, MAX_COUNT))
    freshness_ms: int = _setting(
        "Milliseconds that a search may spend on changed files, some of which it always takes in; 0 takes in none, -1 waits for all.",
        FRESHNESS_MS,
        between(-1, 600_000),
    )
    limit: int = _setting("Results in an answer.", LIMIT, between(1, MAX_LIMIT))
    mode: str = _setting(
        "How to search: auto, fast (words and names), semantic (meaning), hybrid (both), structural (relations), standard and deep (a language model reads).",
        "auto",
        check_mode,
    )
    max_tokens: int = _setting("Size that an answer never exceeds, in tokens; 0 sets no bound.", 0, between(0, MAX_COUNT))
    index_dir: str = _setting(
        "Where the index lives; empty is .clew in the project, or the user's data folder if that is read-only.", "", path_rule
    )
    store: str = _setting(
        "Where vectors live: embedded (LanceDB, in the index), chroma (in the index), chroma:FOLDER or chroma:http://HOST:PORT; or, with "
        "mongodb://HOST/DATABASE or mongodb+srv://HOST/DATABASE, the whole index (docs/mongodb.md).",
        "embedded",
        store_rule,
    )
    vector_index: str = _setting("In MongoDB, the name of the index of vectors.", "vector_search_index", identifier_rule)
    vector_path: str = _setting("In MongoDB, the field that holds a chunk's vector.", "embedding_vector", identifier_rule)
    metrics: tuple[str, ...] = _setting(
        "YAML files or folders with metrics: dbt's semantic layer, or clew's short form (docs/metrics.md).", ()
    )
    glossary: tuple[str, ...] = _setting("YAML files or folders that explain business words; `[[terms]]` in clew.toml adds to them.", ())
    schemas_kept: int = _setting(
        "Versions of each database's schema that are kept, to be compared and asked.", SCHEMAS_KEPT, between(1, 1_000)
    )
    llm: str = _setting(
        "The language model that reads for mode standard and describes tables for `db index --enrich`, as `provider:model`; empty is none.",
        "",
    )
    llm_url: str = _setting("The address of a server that speaks as OpenAI's does, for `llm`; its key is in CLEW_LLM_KEY.", "")
    llm_seconds: int = _setting(
        "Seconds that a question may wait for the language model in all, before it is answered without.", LLM_SECONDS, between(1, 86_400)
    )
    llm_reply_tokens: int = _setting("Tokens that one reply of the language model may hold.", 4_000, between(16, 100_000))
    deep_rounds: int = _setting(
        "Times that a question in mode deep may ask the language model, its bad replies among them.", 15, between(1, 100)
    )
    deep_tokens: int = _setting("Tokens that the language model may read for a question in mode deep.", 60_000, between(1_000, MAX_COUNT))
    auto_llm: str = _setting(
        "How far mode auto goes with a language model that you set up (not one of a project's own file), where it is not sure: never, standard, deep.",
        "standard",
        one_of(*AUTO_LLM),
    )
    embedder_url: str = _setting(
        "The address of a server that speaks as OpenAI's does, for `openai:`; its key is in CLEW_EMBEDDER_KEY.", ""
    )
    models_hub: str = _setting(
        "Where `clew models get` fetches models, an address; a project's own file cannot set it.", "https://huggingface.co"
    )
    embedder_batch: int = _setting("Texts in one request to an embedding provider, if it takes as many.", 32, between(1, 2_048))
    embedder_at_once: int = _setting(
        "Requests to an embedding provider that are under way at once; a run that is killed pays for those twice.", 1, between(1, 64)
    )
    embedder_requests: int = _setting("Requests a minute to an embedding provider; 0 sets no bound.", 0, between(0, MAX_COUNT))
    embedder_tokens: int = _setting("Tokens a minute to an embedding provider; 0 sets no bound.", 0, between(0, MAX_COUNT))
    max_cost: str = _setting(
        "Dollars that a run may spend on embeddings, by the provider's list of prices; empty sets no bound.", "", dollars_rule
    )
    reranker: str = _setting(
        "The model that orders what was found, for --rerank and for questions about a refactoring or an audit: `voyage:rerank-2.5`, `cohere:MODEL`, "
        "`onnx:FOLDER` or `llm:`; empty is none.",
        "",
    )
    reranker_url: str = _setting("The address of a server of your own for `reranker`, if it is not the provider's.", "")
    rerank_pool: int = _setting("Results among which the reranker chooses.", RERANK_POOL, between(2, 1_000))
    rerank_timeout: int = _setting("Seconds after which an answer comes without the reranker.", RERANK_SECONDS, between(1, 3_600))
    color: str = _setting("Colour on a terminal: auto, always or never.", "auto", one_of(*COLORS))
    origins: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Key(NamedTuple):
    """One setting as it is documented and checked."""

    name: str
    default: Any
    help: str
    check: Callable[[Any], str] | None

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"CLEW_{self.name.upper()}"

    @property
    def kind(self) -> str:
        """What a value must be, in words."""
        return {int: "a whole number", str: "a string", tuple: "a list of strings"}[type(self.default)]


def keys() -> tuple[Key, ...]:
    """All settings in the order of `Settings`."""
    return tuple(Key(f.name, f.default, f.metadata["help"], f.metadata["check"]) for f in fields(Settings) if "help" in f.metadata)


def load_settings(root: Path, overrides: Mapping[str, object] | None = None) -> Settings:
    """The merged settings of the project at `root`; an override that is None counts as not given.

    Raises UsageError, naming the file or variable, the key and what is allowed, for an unknown key, a value of a wrong
    type or out of range, and a file that cannot be read.
    """
    known = {key.name: key for key in keys()}
    values: dict[str, Any] = {key.name: key.default for key in known.values()}
    origins = dict.fromkeys(known, "default")
    warnings: list[str] = []
    for origin, name, raw in _given(root, overrides or {}, known, warnings):
        if name not in known:
            raise UsageError(f"unknown setting {name!r} in {origin}", _did_you_mean(name, known))
        values[name] = checked(known[name], raw, origin)
        origins[name] = origin
    return Settings(**values, origins=origins, warnings=tuple(warnings))


def language_model_key(root: Path, settings: Settings) -> str:
    """The key for the server at `llm_url`; none for an address that is not to be trusted with it."""
    return os.environ.get(LLM_KEY, "") if is_trusted(root, settings, "llm_url", settings.llm_url) else ""


def is_from_project(settings: Settings, name: str) -> bool:
    """Whether a setting's value is that of a project's own file, which whoever wrote the project chose."""
    return Path(settings.origins.get(name, "")).name == PROJECT_FILE


def is_trusted(root: Path, settings: Settings, name: str, address: str) -> bool:
    """Whether the user gave an address, or it is on this machine: whoever wrote a project's own file gets neither its reader's key nor what is on his disk."""
    if settings.origins.get(name) != str(root / PROJECT_FILE):
        return True
    return is_on_this_machine(address)


def is_on_this_machine(address: str) -> bool:
    """Whether an address is that of a server on this machine."""
    from urllib.parse import urlsplit  # 5 ms that only such a project pays

    try:
        return urlsplit(address).hostname in _THIS_MACHINE
    except ValueError:
        return False


def may_read(settings: Settings, root: Path) -> bool:
    """Whether mode auto may ask the language model: there is one that the user himself set up, since asking costs him, and he does not forbid it."""
    ours = settings.origins.get("llm") not in (None, "default", str(root / PROJECT_FILE))
    return bool(settings.llm) and ours and settings.auto_llm != "never"


def may_go_deep(settings: Settings) -> bool:
    """Whether mode auto may go on to mode deep: where the user says so himself, since that costs him more."""
    return settings.auto_llm == "deep" and not is_from_project(settings, "auto_llm")


def limit_of(settings: Settings, name: str) -> int:
    """What a question may cost of a language model (a setting's number); a project's own file may lower it, and not raise it at its reader's expense."""
    value: int = getattr(settings, name)
    usual: int = getattr(Settings(), name)
    return min(value, usual) if is_from_project(settings, name) else value


def section(root: Path, name: str) -> object:
    """What a project's file has under a name that is no setting; None where it has nothing. Raises UsageError for a file that cannot be read."""
    return _table(root / PROJECT_FILE).get(name)


def user_section(name: str) -> object:
    """The same of the user's own file."""
    return _table(user_config_folder() / "config.toml").get(name)


def user_config_folder() -> Path:
    """Where the user's own clew.toml lives: `$XDG_CONFIG_HOME/clew`, by default `~/.config/clew`."""
    return _user_folder("XDG_CONFIG_HOME", "APPDATA", ".config")


def user_data_folder() -> Path:
    """Where indexes of read-only projects live: `$XDG_DATA_HOME/clew`, by default `~/.local/share/clew`."""
    return _user_folder("XDG_DATA_HOME", "LOCALAPPDATA", ".local/share")


def user_cache_folder() -> Path:
    """Where what can be made again is kept for all projects: `$XDG_CACHE_HOME/clew`, by default `~/.cache/clew`."""
    return _user_folder("XDG_CACHE_HOME", "LOCALAPPDATA", ".cache")


def user_models_folder(provider: str) -> Path:
    """Where the models of a provider lie that `clew models get` fetched."""
    return user_data_folder() / "models" / provider


def _user_folder(xdg: str, windows: str, default: str) -> Path:
    named = os.environ.get(xdg) or (os.environ.get(windows) if sys.platform == "win32" else None)
    base = Path(named) if named else Path(os.path.expanduser("~")) / default  # noqa: PTH111 - Path.home() raises without a home
    return base / "clew"


def store_password() -> str | None:
    """The password for the store's address, where the environment has one."""
    return os.environ.get(STORE_PASSWORD) or None


def variable(name: str) -> str | None:
    """A variable of the environment that a database's URL names; None where it is not set."""
    return os.environ.get(name)


def _given(root: Path, overrides: Mapping[str, object], known: Mapping[str, Key], warnings: list[str]) -> Iterator[tuple[str, str, Any]]:
    """Every value that was given, as (origin, name, value), the strongest last."""
    for path in (user_config_folder() / "config.toml", root / PROJECT_FILE):
        for name, raw in _table(path).items():
            if name not in (SECTIONS if path.name == PROJECT_FILE else USER_SECTIONS):
                yield str(path), name, raw
    if os.environ.get("TERM") == "dumb":
        yield "environment TERM", "color", "never"
    if os.environ.get("NO_COLOR"):
        yield "environment NO_COLOR", "color", "never"
    yield from _usual_names(warnings)
    yield from _from_environment(known, warnings)
    for name, value in overrides.items():
        if value is not None:
            yield f"option {name}", name, value


def _from_environment(known: Mapping[str, Key], warnings: list[str]) -> Iterator[tuple[str, str, Any]]:
    variables = {key.variable: key for key in known.values()}
    for variable, text in sorted(os.environ.items()):
        if not variable.startswith("CLEW_") or not text or variable in (LLM_KEY, STORE_PASSWORD, EMBEDDER_KEY):
            continue
        if variable not in variables:
            warnings.append(f"the environment variable {variable} is no setting of clew; {_did_you_mean(variable, variables)}")
            continue
        key = variables[variable]
        yield f"environment {variable}", key.name, _from_text(key, text)


def _usual_names(warnings: list[str]) -> Iterator[tuple[str, str, Any]]:
    """EMBEDDING_PROVIDER, EMBEDDING_MODEL and EMBEDDING_DIMENSIONS, which other tools read as well: a provider that is not ours is no fault."""
    said, model, dims = (os.environ.get(f"EMBEDDING_{part}", "").strip() for part in ("PROVIDER", "MODEL", "DIMENSIONS"))
    provider = EMBEDDING_PROVIDERS.get(said.lower())
    if said and provider is None:
        warnings.append(f"EMBEDDING_PROVIDER names no provider of clew's; known: {', '.join(EMBEDDING_PROVIDERS)}")
    elif provider:
        whole = "" if said.lower() == "local" else model + (f"@{dims}" if dims.isdigit() else "")
        yield "environment EMBEDDING_PROVIDER", "embedder", f"{provider}:{whole}"


def _from_text(key: Key, text: str) -> Any:
    """An environment variable's text as a value: numbers in digits, lists with commas. What is wrong is left for the check."""
    if isinstance(key.default, int):
        digits = text.strip()
        return int(digits) if re.fullmatch(r"-?[0-9]{1,18}", digits) else text
    if isinstance(key.default, tuple):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _table(path: Path) -> dict[str, Any]:
    if path.is_fifo():  # reading would wait for whoever writes to it
        raise UsageError(f"cannot read {path}: it is a named pipe", "make it a file, or remove it")
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as fault:
        raise UsageError(f"cannot read {path}: {fault.strerror or fault}", "make it readable, or remove it") from fault
    import tomllib  # 5 ms of every search, where most projects have no such file

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as fault:
        raise UsageError(f"{path} is not valid TOML: {fault}", 'a setting is a line like: embedder = "static:"') from fault


def checked(key: Key, raw: Any, origin: str) -> Any:
    """A setting's value in its own type. Raises UsageError, saying what is allowed, where it was given as `origin`."""
    value = tuple(raw) if isinstance(key.default, tuple) and isinstance(raw, list | tuple) else raw
    fits = type(value) is type(key.default) and (not isinstance(value, tuple) or all(isinstance(item, str) for item in value))
    expected = key.kind if not fits else key.check(value) if key.check else ""
    if expected:
        raise UsageError(f"{key.name} in {origin} cannot be {_shown(raw)}", f"it must be {expected}")
    return value


def _shown(value: object) -> str:
    text = _LOGIN.sub("://***@", repr(value))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _did_you_mean(name: str, allowed: Mapping[str, object]) -> str:
    import difflib  # only a slip is worth its milliseconds

    close = difflib.get_close_matches(name, allowed, n=1)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(allowed)}"
