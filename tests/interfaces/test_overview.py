"""Does a map fit into its budget, whatever is in it?"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.graph import Central, Folder, ProjectMap
from clew.core.tokens import count_tokens
from clew.interfaces.rendering.overview import fitted, map_lines, map_object

NAMES = st.text(min_size=1, max_size=30)
MAPS = st.builds(
    ProjectMap,
    name=st.text(max_size=20),
    files=st.integers(0, 10**6),
    languages=st.lists(st.tuples(NAMES, st.integers(1, 1000)), max_size=5).map(tuple),
    folders=st.lists(st.builds(Folder, NAMES, st.integers(1, 1000)), max_size=30).map(tuple),
    central=st.lists(st.builds(Central, NAMES, st.integers(1, 1000), st.lists(NAMES, max_size=5).map(tuple)), max_size=30).map(tuple),
)


@settings(deadline=None)
@given(MAPS, st.integers(50, 1000))
def test_a_map_never_costs_more_than_its_budget_or_its_head(whole: ProjectMap, budget: int) -> None:
    found = fitted(whole, budget)
    cost = count_tokens("\n".join(map_lines(found)))
    assert cost <= budget or not (found.folders or found.central)
    assert map_object(found)["tokens"] == cost


def test_more_budget_shows_more_and_the_most_used_first() -> None:
    central = tuple(Central(f"src/module_{number}.py", 100 - number, ("Thing", "make_thing")) for number in range(100))
    whole = ProjectMap("shop", 100, (), tuple(Folder(f"folder_{number}", 1) for number in range(100)), central)
    small, large = fitted(whole, 200), fitted(whole, 1000)
    assert 0 < len(small.central) < len(large.central)
    assert small.central == central[: len(small.central)]
    assert 0 < len(small.folders) < len(large.folders)
