"""What does the model remember? Every move, and what the last ones showed: older pages are folded as the room is used up."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.core.tokens import count_tokens

FOLDED = "(shown before)"


@dataclass(slots=True)
class Transcript:
    """Moves and what they showed, in order; `head` always stands first."""

    head: str
    moves: list[tuple[str, str]] = field(default_factory=list)

    def add(self, move: str, shown: str) -> None:
        """One more move."""
        self.moves.append((move, shown))

    def text(self, notes: str, moves_left: int, most: int) -> str:
        """All of it in so many tokens at most: pages of older moves are folded first, then the oldest moves are left out, then the head is cut.

        What differs each time stands last: a server that remembers how a prompt began then reads what is new alone.
        """
        tail = (f"\n\nnotes so far:\n{notes}" if notes else "") + f"\n\nmoves left: {moves_left}"
        fixed = count_tokens(f"{self.head}{tail}")
        if fixed > most:
            return _shortened(self.head + tail, most)
        parts: list[str] = []
        left, is_open = most - fixed, True
        for number, (move, shown) in reversed(list(enumerate(self.moves, 1))):
            whole = f"\n\nmove {number}: {move}\n{shown}"
            cost = count_tokens(whole) + 2
            if is_open and cost > left:
                is_open = False
            if not is_open:
                whole = f"\n\nmove {number}: {move} {FOLDED}"
                cost = count_tokens(whole) + 2
                if cost > left:
                    break
            parts.append(whole)
            left -= cost
        return self.head + "".join(reversed(parts)) + tail


def _shortened(text: str, tokens: int) -> str:
    while count_tokens(text) > tokens:
        text = text[: max(len(text) * 3 // 4, 1)]
    return text
