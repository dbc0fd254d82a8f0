"""Which children does the model choose? One call over as many as fit a prompt; what it invents is dropped, and where it says nothing usable, order decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from pydantic import BaseModel, Field

from clew.core.language import Allowance, LanguageModel
from clew.core.tokens import count_tokens
from clew.errors import ClewError
from clew.search.traversal.tree import Node

LEVELS = 3
"""Folders, files, definitions."""
LARGEST = 3_000
"""Tokens of the children that one call offers at most: from more, small models choose no better."""
FRAME_TOKENS = 300
"""What a call reads beside the question and the children: instructions, fence and shape."""
QUESTION_TOKENS = 250
"""A longer question (a pasted report) is cut: its head says what it is about."""
INSTRUCTIONS = """A developer asks a question about a code base. Of the numbered {things} below choose those in which the code that answers it most likely is: \
at most {most}, the best first. Answer with their numbers alone; with none where none can have to do with it."""


MOST_PICKS = 10
"""What a server that holds a model to the shape lets it write at most: a small model goes on to the end. More than that is no fault."""


class Picks(BaseModel):
    """What is chosen."""

    numbers: list[int] = Field(description="Numbers from the list, the best first.", json_schema_extra={"maxItems": MOST_PICKS})


@dataclass(slots=True)
class Picking:
    """The calls for one question. `warnings` say where the model was of no use, `told` counts the levels that it decided; `trail` says what each level did;
    `is_gone` that it is not to be asked again."""

    question: str
    model: LanguageModel
    allowance: Allowance
    warnings: list[str] = field(default_factory=list)
    trail: list[str] = field(default_factory=list)
    told: int = 0
    levels_left: int = LEVELS
    most_room: int = LARGEST
    is_gone: bool = False

    @property
    def story(self) -> str:
        """Who chose what, and at which cost."""
        spent = self.allowance.spent
        cost = f"{spent.requests} calls, {spent.input_tokens} tokens read, {spent.output_tokens} written"
        return f"{self.model.name} chose {', '.join(self.trail) or 'nothing'} ({cost})"

    @property
    def room(self) -> int:
        """Tokens that the children of the next call may take, so that as many are left for each call after it."""
        share = self.allowance.left.input_tokens // max(self.levels_left, 1)
        return min(share - FRAME_TOKENS - count_tokens(shortened(self.question, QUESTION_TOKENS)), self.most_room)

    def pick(self, things: str, children: Iterable[Node], most: int, *, shuffled: str = "") -> list[Node]:
        """At most so many of the children, best first: the model's choice of those that fit a prompt; the first ones where it has none or is not to be asked.

        `shuffled`: shown in an order that says nothing, another one for each text.
        """
        offered = list(fitting(children, self.room))
        self.levels_left -= 1
        if len(offered) <= 1 or self.is_gone:
            return offered[:most]
        shown = sorted(offered, key=lambda node: _drawn(shuffled, node)) if shuffled else offered
        numbers = self._ask(things, shown, most)
        if numbers is None:
            return offered[:most]
        self.told += 1
        chosen = [shown[number - 1] for number in dict.fromkeys(numbers) if 0 < number <= len(shown)][:most]
        self.trail.append(f"{len(chosen)} of {len(offered)} {things}")
        return chosen

    def _ask(self, things: str, offered: list[Node], most: int) -> list[int] | None:
        listed = "\n".join(f"{number} {node.title}" for number, node in enumerate(offered, 1))
        evidence = f"question: {shortened(self.question, QUESTION_TOKENS)}\n\n{listed}"
        try:
            return self.model.ask(INSTRUCTIONS.format(things=things, most=most), evidence, Picks, self.allowance).numbers
        except ClewError as fault:
            self.is_gone = True
            self.warnings.append(f"{things} were chosen without the language model: {fault.message}")
        except Exception as fault:  # noqa: BLE001 - an answer may be wrong in any way; none may cost the user his own
            self.warnings.append(
                f"the language model gave no usable answer ({type(fault).__name__}): the search's own order chose the {things}"
            )
        return None


def _drawn(seed: str, node: Node) -> bytes:
    """Where a node stands in an order that has nothing to do with what it is: the same each time."""
    return sha256(f"{seed}\0{node.title}".encode("utf-8", "surrogatepass")).digest()


def fitting(children: Iterable[Node], tokens: int) -> Iterator[Node]:
    """The children whose titles fit into so many tokens together, in their order; one at least."""
    spent = 0
    for number, child in enumerate(children, 1):
        spent += count_tokens(f"{number} {child.title}\n")
        if spent > tokens and number > 1:
            return
        yield child


def all_fit(children: Iterable[Node], count: int, tokens: int) -> bool:
    """Whether so many children, all that there are, fit one prompt."""
    return sum(1 for _ in fitting(children, tokens)) == count


def shortened(text: str, tokens: int) -> str:
    """The beginning of a text that costs so many tokens at most."""
    while count_tokens(text) > tokens:
        text = text[: max(len(text) * 3 // 4, 1)]
    return text
