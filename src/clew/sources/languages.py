"""Which language is a file written in? By its name, its extension, or its first lines."""

from __future__ import annotations

import re

UNKNOWN = "text"
_HEAD = 4_000
"""Characters of a file's beginning that are looked at; a header's first class stands behind its licence."""


_FILE_NAMES = {
    "bazel": "BUILD WORKSPACE MODULE.bazel",
    "bash": ".bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile .zshenv PKGBUILD APKBUILD .envrc configure",
    "cmake": "CMakeLists.txt",
    "dockerfile": "Dockerfile Containerfile",
    "elixir": "mix.lock",
    "go_module": "go.mod go.work",
    "groovy": "Jenkinsfile",
    "hcl": ".terraform.lock.hcl",
    "ini": ".gitconfig .editorconfig .npmrc setup.cfg .pylintrc .flake8 .coveragerc",
    "javascript": "Jakefile",
    "json": ".babelrc .eslintrc .prettierrc .jshintrc composer.lock Pipfile.lock flake.lock .watchmanconfig",
    "make": "Makefile makefile GNUmakefile BSDmakefile",
    "just": "justfile Justfile",
    "python": "SConstruct SConscript wscript",
    "ruby": "Rakefile Gemfile Guardfile Capfile Vagrantfile Podfile Fastfile Brewfile Thorfile Berksfile Dangerfile config.ru .irbrc .pryrc",
    "toml": "Cargo.lock Pipfile poetry.lock uv.lock pdm.lock",
    "yaml": ".clang-format .clang-tidy .clangd CITATION.cff",
}

_EXTENSIONS = {
    "ada": "adb ads",
    "apex": "cls trigger",
    "assembly": "asm s nasm",
    "awk": "awk",
    "bash": "sh bash zsh ksh bats ebuild eclass command",
    "batch": "bat cmd",
    "bazel": "bzl bazel star",
    "c": "c h idc",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "cobol": "cob cbl cpy",
    "commonlisp": "lisp lsp cl asd",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp txx ino cu cuh cppm ixx",
    "crystal": "cr",
    "csharp": "cs csx cake",
    "css": "css",
    "csv": "csv tsv",
    "cue": "cue",
    "cython": "pyx pxd pxi",
    "d": "d di",
    "dart": "dart",
    "diff": "diff patch",
    "dockerfile": "dockerfile containerfile",
    "elixir": "ex exs",
    "elm": "elm",
    "emacslisp": "el",
    "erb": "erb rhtml",
    "erlang": "erl hrl escript",
    "fish": "fish",
    "fortran": "f f77 f90 f95 f03 f08 for",
    "fsharp": "fs fsi fsx",
    "gdscript": "gd",
    "glsl": "glsl vert frag geom comp hlsl wgsl metal",
    "go": "go",
    "graphql": "graphql gql graphqls",
    "groovy": "groovy gradle gvy",
    "haskell": "hs hs-boot",
    "hcl": "hcl tf tfvars nomad",
    "html": "html htm xhtml",
    "ini": "ini cfg conf properties desktop service editorconfig",
    "java": "java",
    "javascript": "js mjs cjs jsx es6 jsm",
    "jinja": "j2 jinja jinja2",
    "json": "json jsonc json5 geojson jsonl ndjson webmanifest har avsc",
    "julia": "jl",
    "kotlin": "kt kts ktm",
    "latex": "tex sty ltx bib",
    "less": "less",
    "liquid": "liquid",
    "lua": "lua rockspec",
    "make": "mk mak make",
    "markdown": "md markdown mdown mkd mdx mdc qmd rmd",
    "mustache": "mustache hbs handlebars",
    "nim": "nim nims",
    "nix": "nix",
    "notebook": "ipynb",
    "objc": "m mm",
    "ocaml": "ml",
    "ocamlinterface": "mli",
    "pascal": "pas dpr lpr",
    "perl": "pl pm pod",
    "php": "php php3 php4 php5 php7 phtml phpt inc",
    "powershell": "ps1 psm1 psd1",
    "prisma": "prisma",
    "prolog": "pro",
    "protobuf": "proto",
    "python": "py pyi pyw gyp gypi sage",
    "qml": "qml",
    "r": "r",
    "racket": "rkt",
    "restructuredtext": "rst rest",
    "ruby": "rb rake gemspec ru podspec jbuilder thor builder",
    "rust": "rs",
    "sass": "sass",
    "scala": "scala sc sbt",
    "scheme": "scm ss",
    "scss": "scss",
    "smalltalk": "st",
    "solidity": "sol",
    "sql": "sql ddl dml pgsql psql tsql plsql pks pkb mysql",
    "svelte": "svelte",
    "swift": "swift",
    "tcl": "tcl tk",
    "thrift": "thrift",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "typst": "typ",
    "vala": "vala vapi",
    "vbnet": "vb vbs bas",
    "verilog": "v sv svh vh",
    "vhdl": "vhd vhdl",
    "vim": "vim vimrc",
    "vue": "vue",
    "xml": "xml xsd xsl xslt svg plist csproj vbproj fsproj vcxproj props targets pom wsdl resx xaml axml nuspec xib storyboard ui rss",
    "yaml": "yaml yml yaml-tmlanguage",
    "zig": "zig zon",
}

_INTERPRETERS = {
    "bash": "sh bash zsh ksh dash ash bats",
    "fish": "fish",
    "javascript": "node nodejs",
    "typescript": "deno bun ts-node tsx",
    "python": "python pypy uv",
    "ruby": "ruby jruby rake",
    "perl": "perl",
    "php": "php",
    "lua": "lua luajit texlua",
    "elixir": "elixir",
    "erlang": "escript",
    "julia": "julia",
    "haskell": "runhaskell runghc stack",
    "scala": "scala amm",
    "ocaml": "ocaml",
    "swift": "swift",
    "kotlin": "kotlin kotlinc",
    "groovy": "groovy",
    "powershell": "pwsh powershell",
    "r": "rscript r littler",
    "awk": "awk gawk mawk",
    "tcl": "tclsh wish expect",
    "make": "make gmake",
    "nix": "nix-shell",
    "dart": "dart",
    "zig": "zig",
}

_OBJC = re.compile(r"^\s*(?:@(?:interface|implementation|protocol|class|import|end)\b|#import\b)", re.MULTILINE)
_CPP = re.compile(
    r"^\s*(?:class\s+\w+[^;]*[{:]|class\s+\w+\s*;|namespace\b|template\s*<|using\s+(?:namespace\b|\w+\s*=)|(?:public|private|protected)\s*:"
    r"|(?:constexpr|virtual|explicit)\b|#\s*include\s*<(?:string|vector|memory|map|cstdint|cstddef|utility|functional|iostream|algorithm|type_traits)>)",
    re.MULTILINE,
)
_GUARDED = re.compile(r"^\s*#\s*if(?:def\s+__cplusplus|\s+defined\s*\(?\s*__cplusplus).*?^\s*#\s*(?:endif|else)", re.MULTILINE | re.DOTALL)
_MATLAB = re.compile(r"^\s*(?:%|function\b|classdef\b)", re.MULTILINE)
_PROLOG = re.compile(r"^\s*:-\s", re.MULTILINE)
_TYPESCRIPT_XML = re.compile(r"^\s*(?:<\?xml|<!DOCTYPE TS)")
_SHEBANG = re.compile(r"#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?((?:\w+=\S*[ \t]+)*)(\S+))?")
_MODELINE = re.compile(
    r"-\*-\s*(?:.*?mode:\s*)?([\w+#-]+)\s*(?:;.*?)?-\*-|\b(?:vi|vim|ex):.*?\b(?:ft|filetype|syntax)=(\w+)", re.IGNORECASE
)
_MODELINE_NAMES = {
    "c++": "cpp",
    "sh": "bash",
    "shell-script": "bash",
    "js": "javascript",
    "objective-c": "objc",
    "makefile": "make",
    "cperl": "perl",
}


def _inverted(table: dict[str, str]) -> dict[str, str]:
    return {word: language for language, words in table.items() for word in words.split()}


_BY_FILE_NAME = _inverted(_FILE_NAMES)
_BY_EXTENSION = _inverted(_EXTENSIONS)
_BY_INTERPRETER = _inverted(_INTERPRETERS)


def language_of(filepath: str, head: str = "") -> str:
    """The language of a file: a grammar's name, or another sensible one; `text` when nothing tells.

    `head` is the beginning of the text. It decides between languages that share an extension, and for files without one.
    """
    name = filepath.rsplit("/", 1)[-1]
    if name in _BY_FILE_NAME:
        return _BY_FILE_NAME[name]
    stem, dot, extension = name.rpartition(".")
    known = _BY_EXTENSION.get(extension.lower()) if dot and stem else None
    if known is not None:
        return _settled(extension.lower(), known, head[:_HEAD])
    if stem.lower() in ("dockerfile", "containerfile") or name.lower().startswith(("dockerfile.", "dockerfile-")):
        return "dockerfile"
    if stem in ("Makefile", "makefile", "GNUmakefile"):
        return "make"
    return _by_head(head) if head else UNKNOWN


def _settled(extension: str, known: str, head: str) -> str:
    """Decide where an extension is shared."""
    match extension:
        case "h" | "inc" if head:
            return _header(known, head)
        case "m":
            return _m_file(head)
        case "pl" if _PROLOG.search(head):
            return "prolog"
        case "ts" if _TYPESCRIPT_XML.match(head):
            return "xml"
        case _:
            return known


def _header(known: str, head: str) -> str:
    if _OBJC.search(head):
        return "objc"
    if known == "c" and _CPP.search(_GUARDED.sub("", head)):
        return "cpp"
    return known if known == "c" or "<?" in head else UNKNOWN


def _m_file(head: str) -> str:
    return "matlab" if _MATLAB.search(head) and not _OBJC.search(head) else "objc"


def _by_head(head: str) -> str:
    first = head[:500].removeprefix("\ufeff")
    shebang = _SHEBANG.match(first)
    if shebang:
        program = shebang[1].rsplit("/", 1)[-1]
        if program == "env" and shebang[3]:
            program = shebang[3].rsplit("/", 1)[-1]
        plain = re.sub(r"[\d.]+(?:\.exe)?$", "", program.lower())
        return _BY_INTERPRETER.get(program.lower()) or _BY_INTERPRETER.get(plain, UNKNOWN)
    modeline = _MODELINE.search("\n".join(first.split("\n")[:3]))
    if modeline:
        mode = (modeline[1] or modeline[2]).lower()
        mode = _MODELINE_NAMES.get(mode, mode)
        return mode if mode in _EXTENSIONS else UNKNOWN
    if first.startswith("<?php"):
        return "php"
    if first.startswith("<?xml"):
        return "xml"
    return "html" if first[:15].lower().startswith("<!doctype html") else UNKNOWN
