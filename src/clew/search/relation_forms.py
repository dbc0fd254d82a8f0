"""How do people ask for a relation of a name? Words that mean the same, words that say nothing, and the forms that are left; data."""

from __future__ import annotations

from typing import Literal

Relation = Literal["definition", "members", "callers", "callees", "importers", "impact", "subtypes", "tests"]

SAME = {
    "call": "raises throws throw trigger triggers fire fires execute executes calls invoke invokes calling invoking",
    "called": "raised thrown fired invoked triggered executed dispatched",
    "use": "uses using reference references mention mentions instantiate instantiates construct constructs consume consumes",
    "used": "referenced instantiated constructed consumed mentioned",
    "callers": "caller invocation callsites callsite call-sites usages usage users user invokers consumers occurrences invocations dependents-of",
    "callees": "dependencies",
    "place": "paths parts places site sites spot spots line lines location locations",
    "code": "function functions method methods class classes module modules file files component components type types struct structs package packages "
    "script scripts hook hooks view views handler handlers service services anything everything whoever other",
    "import": "imports importing include includes including require requires requiring",
    "imported": "included required",
    "importers": "importer includers",
    "change": "rename remove delete modify refactor edit move drop alter touch rewrite replace deprecate update",
    "changing": "renaming removing deleting modifying refactoring editing moving dropping altering touching replacing deprecating updating rewriting",
    "changed": "changes renamed removed deleted modified refactored moved dropped altered replaced",
    "break": "breaks happen happens breaking",
    "affected": "impacted influenced broken touched",
    "impact": "impacts effect effects consequence consequences fallout risk risks radius",
    "i": "i'm we're i'd we'd we you one someone somebody they anyone anybody",
    "depend": "depends rely relies",
    "is": "are was were be gets get being am 's",
    "do": "does did",
    "extend": "extends implement implements inherits inherit subclass subclasses subclassing derives derive derived override overrides overriding implementers implementors "
    "implementations subtypes descendants overriders extending implementing inheriting",
    "extended": "overridden subclassed inherited",
    "test": "tests spec specs testcase testcases",
    "cover": "covers covering exercise exercises exercising check checks",
    "tested": "covered exercised",
    "members": "member fields attributes properties outline structure api",
    "defined": "declared implemented located definition declaration living",
    "define": "defines declare declares contain contains hold holds live lives export exports offer offers provide provides expose exposes have has",
    "source": "implementation signature docstring overloads body",
    "open": "goto view read print display jump navigate",
    "can": "may could should might",
    "must": "need needs have-to should",
    "look": "check know consider adapt fix",
    "who": "whom",
}
SILENT = frozenset(
    "all every any each other another known direct directly please me us out actually really currently still ever also just safely simply really first again now here "
    "today anywhere everywhere somewhere exactly internally itself transitively would will then unit integration existing the a an this our my that these those "
    "possibly ultimately list find show give tell get see locate identify enumerate so and ok okay hey hi well clew is-it "
    "code-base codebase there".split()
)
"""Words that change nothing of what is asked."""
THE = frozenset("the a an this our my that your".split())
KINDS = frozenset(
    "function method class struct interface trait enum type protocol constant variable macro module package file header component hook property field constructor "
    "helper handler service model object procedure mixin contract library decorator namespace symbol union record classes functions methods".split()
)

_CODE = r"(?:code|place|test)"
_WHO = rf"(?:who|what|(?:which|what|how many)(?: \w+){{1,2}}|{_CODE}(?: {_CODE})*(?: which| where| who)?)"
_CHANGES = r"change(?:d)?(?: source| signature| name| type| return(?: type| value)?| semantics| contract| behaviou?r| arguments?| parameters?| interface)?(?: of)?"
_CHANGING = r"(?:changing|changed)(?: of| to| in)?"
FORMS: dict[Relation, tuple[frozenset[str], tuple[str, ...]]] = {
    "tests": (
        frozenset(("test", "tested", "cover")),
        (
            r"(?:which|what) test(?: code| cases?)? (?:cover|test|call|use|code) X",
            r"(?:who|what) (?:test|cover) X",
            r"(?:where|how) is X tested(?: by test)?",
            r"(?:is )?test(?: code| cases?| coverage)? (?:of|for|cover|who cover|test|call|use|which (?:cover|test|call|use)) X",
            r"cover X",
            r"is X tested(?: by test)?",
            r"X test",
        ),
    ),
    "impact": (
        frozenset(("change", "changing", "changed", "break", "affected", "impact", "depend")),
        (
            rf"what (?:else )?(?:can )?(?:break|is affected|must change|must is changed|is changed)(?: else)? (?:if|when|once|after) (?:i )?{_CHANGES} X",
            r"what (?:can )?(?:break|is affected) (?:if|when|once|after) X (?:is |break)?(?:changed|change|break|gone|fails)?",
            rf"{_WHO} (?:is )?affected (?:by|when|if) (?:i )?(?:{_CHANGING} |{_CHANGES} )?X(?: is)?(?: changed| changing)?",
            rf"{_WHO} depend (?:up)?on X",
            r"(?:dependents|dependants) (?:of|on) X",
            rf"(?:what )?(?:is )?(?:blast |ripple )?impact(?: analysis)?(?: of| for)?(?: {_CHANGING})? X",
            rf"(?:is it |it )?(?:safe|possible|is safe|is it safe) to {_CHANGES} X",
            rf"can i {_CHANGES} X(?: without .{{1,30}})?",
            rf"what (?:do |can |must )?(?:i )?(?:must |have )?(?:to )?(?:look|change)(?: at| for| on| with)?(?: as well| too)? (?:before|when|if|after) (?:i )?(?:{_CHANGING}|{_CHANGES}) X",
            rf"(?:before|when|if) (?:i )?(?:{_CHANGING}|{_CHANGES}) X (?:what|which|where|who)\b.{{0,80}}",
            rf"{_CHANGING} X (?:what|which|where|who)\b.{{0,80}}",
            rf"i (?:is |want |must |plan |about |going |intend |like |to )*(?:{_CHANGES}|{_CHANGING}) X (?:what|which|where|who)\b.{{0,80}}",
        ),
    ),
    "subtypes": (
        frozenset(("extend", "extended", "children", "inheritors")),
        (
            rf"{_WHO} extend(?: from)? X",
            rf"{_WHO} is extend of X",
            r"(?:extend|children|inheritors|child classes)(?: code)? (?:of|from|for|X) ?X?",
            r"code extend(?: from)? X",
            r"(?:where|by what|by who) is X extended(?: by .{1,20})?",
        ),
    ),
    "importers": (
        frozenset(("import", "imported", "importers")),
        (
            rf"{_WHO} (?:is )?import(?: from)? X",
            r"(?:from )?where is X imported(?: from)?",
            r"where do i import X",
            r"(?:importers|import) of X",
            r"X is imported (?:by|where)(?: .{1,20})?",
            r"by (?:who|what) is X imported",
            r"import X",
            r"is X imported(?: by .{1,20})?",
        ),
    ),
    "callees": (
        frozenset(("call", "called", "callees", "used", "use", "depend", "delegate")),
        (
            r"(?:what|(?:which|what)(?: \w+){1,2}) (?:do|can) X (?:call|use|depend on|delegate to|call into|need)(?: .{0,12})?",
            r"(?:what|(?:which|what)(?: \w+){1,2}) is (?:called|used) (?:by|in|inside|from|within) X",
            r"callees of X",
            r"outgoing call of X",
            rf"{_CODE} (?:which )?(?:is )?(?:called|used) (?:by|in|inside|from|within) X",
            r"X call (?:what|which code)",
            rf"{_CODE} (?:which )?X (?:call|use)",
            r"call (?:made )?(?:inside|within|by) X",
        ),
    ),
    "callers": (
        frozenset(("call", "called", "use", "used", "callers", "unused", "dead", "run")),
        (
            rf"{_WHO} (?:is )?(?:call|use)(?: into| to)? X",
            r"(?:from )?where (?:do )?(?:is )?X (?:is )?(?:called|used|run|call|use)(?: from| at| by who| by what)?",
            r"where do i (?:call|use|run) X",
            r"by (?:who|what|which code) is X (?:called|used)",
            r"(?:callers|use|call place|callers use|incoming call)(?: code)? (?:of|to|for) X",
            r"place where i (?:call|use) X",
            r"i (?:call|use) X",
            r"(?:place|code)(?: where| which)? (?:i )?X is (?:called|used)",
            r"call (?:to|of|into) X",
            r"call X",
            r"use X",
            r"is X (?:is )?(?:called|used|dead|unused|run)(?: code| by .{1,20}| at)?",
            r"do i (?:call|use) X",
            r"X (?:callers|call place|use|code call)",
            r"X is (?:called|used) (?:by|where|from)(?: .{1,20})?",
        ),
    ),
    "members": (
        frozenset(("members", "code", "define", "in", "inside", "public", "definitions")),
        (
            r"(?:what|which) (?:public )?(?:code|members) (?:do |is |there )*(?:in |defined in |defined on |on )?X(?: define| offer)?",
            r"(?:public )?(?:code|members|definitions) (?:of|in|on|inside|defined in|which) X(?: define)?",
            r"what is (?:defined )?(?:in|inside) X",
            r"what do X define",
        ),
    ),
    "definition": (
        frozenset(("defined", "define", "source", "open", "where", "what", "go", "look", "X")),
        (
            r"(?:where|in which code|in what code|what code) (?:is |do |can i |do i )?X(?: is)?(?: defined| define| created| come from| written| found| at| coming from)?",
            r"which code define X",
            r"(?:who|what) define X",
            r"(?:defined|source)(?: code)? (?:of|for) X",
            r"(?:open|look at|look up|jump to|open to|go to|source) X",
            r"what (?:is )?(?:source of )?X",
            r"X (?:defined|source|code)",
            r"where X is defined",
            r"X",
        ),
    ),
}
"""For each relation, words of which one stands in every question for it, and the forms that a question has then. The first relation counts."""
