"""Does what a question costs stay within its limits, whatever the question, the names and the model?"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as some

from clew.adapters.language_models import AgentModel
from clew.core.language import Allowance, Usage
from clew.search.traversal.picking import LEVELS, Picking
from clew.search.traversal.standard import CALLS, INPUT_TOKENS, OUTPUT_TOKENS
from clew.search.traversal.tree import Node
from clew.testing import Script

TITLES = some.text(max_size=600).map(lambda text: " ".join(text.split()))
LEVEL = some.lists(TITLES, min_size=2, max_size=12)


def asked(question: str, levels: Sequence[Sequence[str]], script: Script, times: int = 1) -> Picking:
    picking = Picking(question, AgentModel("scripted:model", script.model()), Allowance(Usage(CALLS, INPUT_TOKENS, OUTPUT_TOKENS), 60))
    for titles in levels:
        picking.pick("files", [Node(title, title) for title in titles * times], 5, shuffled=question)
    return picking


@settings(max_examples=40, deadline=None)
@given(some.text(max_size=3_000), some.lists(LEVEL, min_size=LEVELS, max_size=LEVELS), some.integers(1, 40))
def test_three_levels_of_any_names_cost_three_calls_and_six_thousand_tokens_at_most(
    question: str, levels: list[list[str]], times: int
) -> None:
    picking = asked(question, levels, Script([{"numbers": [1]}] * CALLS), times)
    spent = picking.allowance.spent
    assert picking.warnings == [], "every level is asked: none is refused since another took too much"
    assert spent.requests <= CALLS and spent.input_tokens <= INPUT_TOKENS


@settings(max_examples=20, deadline=None)
@given(
    some.lists(some.sampled_from([{"numbers": [1]}, "no", {"numbers": "x"}]), min_size=9, max_size=9),
    some.lists(LEVEL, min_size=3, max_size=3),
)
def test_replies_of_no_use_count_against_the_same_limits(replies: list[object], levels: list[list[str]]) -> None:
    spent = asked("where", levels, Script(replies), 30).allowance.spent  # type: ignore[arg-type]
    assert spent.requests <= CALLS and spent.input_tokens <= INPUT_TOKENS
