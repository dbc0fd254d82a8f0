"""May a package's text be learned from? Only where every licence that it states lets anybody do anything."""

from __future__ import annotations

import re

_PERMISSIVE = re.compile(
    r"(?:mit(?:-0|-cmu)?|expat|x11|apache(?:[- ]?2(?:\.0)?)?|asl-?2(?:\.0)?|bsd(?:-?[0-4]-?clause[a-z-]*|-[234])?|0bsd|isc|psf(?:-2\.0)?|python(?:-2\.0)?"
    r"|unlicense|cc0(?:-1\.0)?|zlib|zlib/libpng|bsl-1(?:\.0)?|boost|boost-1\.0|public-domain|curl|postgresql|hpnd|historical|ncsa|wtfpl|blueoak-1\.0\.0|zpl-2\.1|repoze"
    r"|ruby|go|bsd3|openssl|unicode|upl-1\.0|artistic-2\.0|mulanpsl-2\.0)(?:[+~-][\w.-]*)?"
)
_SPELLINGS = (
    (re.compile(r"apache(?: software)?(?: licen[cs]e)?,?(?: \(?(?:version|v\.?)? ?2(?:\.0)?\)?)?(?: licen[cs]e)?"), "apache-2.0"),
    (re.compile(r"(?:the )?(?:mit|expat)(?:/x11)?(?: licen[cs]e)?(?: \(mit\))?"), "mit"),
    (
        re.compile(
            r"(?:(?:the )?(?:new|modified|revised|simplified|[234][- ]clause)? ?bsd(?:[- ][234][- ]clause)?(?: licen[cs]e)?)(?: \(?[234][- ]clause\)?)?"
        ),
        "bsd",
    ),
    (re.compile(r"(?:the )?isc(?: licen[cs]e)?(?: \(iscl\))?"), "isc"),
    (re.compile(r"python software foundation(?: licen[cs]e)?"), "psf-2.0"),
    (re.compile(r"(?:the )?unlicense(?: \(unlicense\))?"), "unlicense"),
    (re.compile(r"zope public licen[cs]e"), "zpl-2.1"),
    (re.compile(r"historical permission notice and disclaimer(?: \(hpnd\))?"), "hpnd"),
    (re.compile(r"bsd-derived \(http.*\)"), "repoze"),
)
_TEXTS = (
    ("apache license", "Apache-2.0"),
    ("redistribution and use in source and binary forms", "BSD"),
    ("permission is hereby granted, free of charge", "MIT"),
    ("permission to use, copy, modify, and/or distribute this software", "ISC"),
    ("permission to use, copy, modify, and distribute this software", "ISC"),
    ("this is free and unencumbered software released into the public domain", "Unlicense"),
)
_COPYLEFT = re.compile(
    r"general public licen|mozilla public|eclipse public|commons clause|business source|elastic licen|server side public", re.IGNORECASE
)
_GROUP = re.compile(r"\(([^()]* (?:and|or) [^()]*)\)")
_CLASSIFIER = re.compile(r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", re.MULTILINE)
_LONGEST = 120
"""A `License:` field beyond this is the licence's text, not its name."""


def is_permissive(expression: str) -> bool:
    """Whether a licence expression allows it: each part joined by `and`, one of those joined by `or`, what stands in brackets first."""
    flat = expression.lower().replace(", version", " version").replace("(", " ( ").replace(")", " ) ").replace(" with llvm-exception", "")
    while group := _GROUP.search(flat):
        flat = f"{flat[: group.start()]} {'mit' if _allows(group[1]) else 'refused'} {flat[group.end() :]}"
    return _allows(flat)


def _allows(flat: str) -> bool:
    """An expression without groups; Debian's `, and` binds less than its `or`."""
    if not flat.strip():
        return False
    conditions = [re.split(r"\s+or\s+|\s*/\s*(?!x11|libpng)", one) for one in re.split(r"\s*,\s*and\s+", _unbracketed(flat))]
    return all(
        any(all(map(_is_permissive_name, re.split(r"\s+and\s+|\s*[,;&]\s*", one))) for one in alternatives) for alternatives in conditions
    )


def _unbracketed(text: str) -> str:
    return " ".join(text.replace("(", " ").replace(")", " ").split()) if re.search(r" or | and ", text) else " ".join(text.split())


def _is_permissive_name(name: str) -> bool:
    name = name.strip().replace("( ", "(").replace(" )", ")")
    for spelling, known in _SPELLINGS:
        if spelling.fullmatch(name):
            name = known
    return bool(name) and _PERMISSIVE.fullmatch(name.replace(" ", "-")) is not None


def of_wheel(metadata: str, texts: list[str]) -> str:
    """What a wheel states: an expression, classifiers, a field, or the licence file that it carries; empty when nothing."""
    head = metadata.split("\n\n", 1)[0]
    expression = re.search(r"^License-Expression: (.+)$", head, re.MULTILINE)
    if expression:
        return expression[1].strip()
    classifiers = [name for name in _CLASSIFIER.findall(head) if name != "OSI Approved"]
    if classifiers:
        return " and ".join(name.strip() for name in classifiers)
    field = re.search(r"^License: (.+)$", head, re.MULTILINE)
    if field and len(field[1]) < _LONGEST and field[1].strip().upper() != "UNKNOWN" and is_permissive(field[1]):
        return field[1].strip()
    return of_texts(texts) or (field[1].strip()[:_LONGEST] if field else "")


def of_texts(texts: list[str]) -> str:
    """The licence that licence files spell out; empty when unknown, or when one of them is not permissive."""
    found = []
    for text in texts:
        flat = " ".join(text.lower().split())
        if _COPYLEFT.search(flat):
            return ""
        found += [name for words, name in _TEXTS if words in flat][:1]
    return " and ".join(dict.fromkeys(found))


def of_npm(manifest: dict[str, object]) -> str:
    """What a package.json states."""
    stated = manifest.get("license") or manifest.get("licenses") or ""
    several = stated if isinstance(stated, list) else [stated]
    names = [str(one.get("type", "")) if isinstance(one, dict) else str(one) for one in several]
    return " or ".join(name for name in names if name)


def of_debian(copyright_file: str) -> list[tuple[list[str], str]]:
    """The (patterns, licence) of each `Files:` stanza, in order; the last one that matches a path counts."""
    found = []
    for stanza in re.split(r"\n\s*\n", copyright_file):
        files = re.search(r"^Files:((?:.*\n?)(?:[ \t].*\n?)*)", stanza, re.MULTILINE)
        licence = re.search(r"^License:[ \t]*(.*)$", stanza, re.MULTILINE)
        if files and licence:
            found.append((files[1].split(), licence[1].strip()))
    return found
