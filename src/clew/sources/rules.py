"""What does clew leave out by itself, and what may a user set? Rules, and judgements by name alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.settings import MAX_FILE_BYTES

TOOL_FOLDERS = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", ".clew", "__pycache__"})
"""Bookkeeping of tools, never a project's own text. Left out without a word."""

JUNK_FOLDERS = frozenset(
    "node_modules bower_components jspm_packages site-packages .venv .tox .nox .eggs .mypy_cache .pytest_cache .ruff_cache "
    ".gradle .terraform .next .nuxt .svelte-kit .parcel-cache .turbo .dart_tool .stack-work .bundle .cache .idea .vs".split()
)
"""Installed packages, caches and editors' state: left out where git does not track them, and named once a folder."""

JUNK_MARKERS = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
"""Files by which a tool says that the folder is a cache or a virtual environment (cargo's `target` among them)."""

_SECRET = re.compile(
    r"\.env|\.env\.(?!example$|sample$|template$|dist$|defaults?$|schema$).*|\.envrc|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|p8)"
    r"|[._]netrc|\.pgpass|\.pypirc|\.htpasswd|\.git-credentials|\.dockercfg|credentials\.json|client_secrets?(?:_.*)?\.json|service[-_]account.*\.json",
    re.IGNORECASE | re.DOTALL,
)
_LOCK = frozenset(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock Cargo.lock poetry.lock uv.lock pdm.lock "
    "Pipfile.lock pixi.lock Gemfile.lock composer.lock go.sum go.work.sum mix.lock pubspec.lock Podfile.lock Package.resolved Cartfile.resolved "
    "packages.lock.json paket.lock flake.lock conan.lock gradle.lockfile buildscript-gradle.lockfile .terraform.lock.hcl Manifest.toml "
    "stack.yaml.lock cabal.project.freeze rebar.lock shard.lock Brewfile.lock.json".split()
)
_SOURCE_MAP = (".js.map", ".css.map", ".mjs.map", ".cjs.map")


@dataclass(frozen=True, slots=True)
class Rules:
    """What a user sets. `include` and `exclude` are patterns as in .gitignore, seen from the project's root: with `include`
    only what matches is indexed, what matches `exclude` never is. Neither brings back what git ignores."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = MAX_FILE_BYTES


def refusal(name: str) -> str:
    """Why a file of this name is left out, or empty."""
    if _SECRET.fullmatch(name):
        return "may hold secrets"
    if name in _LOCK:
        return "lock file"
    if name.endswith(_SOURCE_MAP):
        return "source map"
    return ""


def oversize(size: int, rules: Rules) -> str:
    """Why a file of this size is left out, or empty."""
    return f"{size} bytes, over the limit of {rules.max_file_bytes} (max_file_bytes)" if size > rules.max_file_bytes else ""
