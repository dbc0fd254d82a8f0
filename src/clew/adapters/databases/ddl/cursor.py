"""How is a statement read, token by token? A place in it, what stands there, and the text between two places."""

from __future__ import annotations

from clew.adapters.databases.ddl.lexicon import Lexicon, Token, Tokens

_OPENING, _CLOSING = {"(": ")", "[": "]", "{": "}"}, frozenset(")]}")
_NOTHING = Token("mark", "", 0, 0, "")
# Types whose angle brackets hold other types, commas and all.
_HOLD_TYPES = frozenset({"ARRAY", "STRUCT", "MAP", "RANGE", "LIST", "VECTOR", "NESTED", "ROW", "TABLE"})
Name = tuple[str, ...]


class Malformed(ValueError):
    """A statement that cannot be read; says what stood where something else should."""


class Cursor:
    """A place among tokens `at` up to `end`."""

    def __init__(self, tokens: Tokens, lexicon: Lexicon, at: int = 0, end: int | None = None) -> None:
        self.found, self.lexicon, self.at, self.began = tokens, lexicon, at, at
        self.end = len(tokens.tokens) if end is None else end

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return self.at >= self.end

    def peek(self, ahead: int = 0) -> Token:
        """The token here, or one that is nothing."""
        place = self.at + ahead
        return self.found.tokens[place] if place < self.end else _NOTHING

    def word(self, ahead: int = 0) -> str:
        """The keyword or mark here, in capitals; empty for names in quotes, strings and numbers."""
        return self.peek(ahead).word

    def next(self) -> Token:
        """The token here, and go on."""
        token = self.peek()
        self.at += 1
        return token

    def accept(self, *words: str) -> bool:
        """Go past these words if they stand here."""
        if all(self.word(ahead) == word for ahead, word in enumerate(words)):
            self.at += len(words)
            return True
        return False

    def accept_any(self, words: frozenset[str]) -> str:
        """Go past one of these words if it stands here, and tell which; else empty."""
        word = self.word()
        if word in words:
            self.at += 1
            return word
        return ""

    def expect(self, word: str) -> None:
        """Go past this word, which must stand here."""
        if not self.accept(word):
            raise Malformed(f"{word} expected, found {self.peek().text[:40] or 'the end'}")

    def if_not_exists(self) -> bool:
        """Go past IF [NOT] EXISTS; whether it stood here."""
        return self.word() == "IF" and (self.accept("IF", "NOT", "EXISTS") or self.accept("IF", "EXISTS"))

    def name(self) -> str:
        """A name of one part."""
        token = self.peek()
        if token.kind not in ("word", "quoted", "string"):
            raise Malformed(f"a name expected, found {token.text[:40] or 'the end'}")
        self.at += 1
        return self.lexicon.name(token)

    def qualified(self) -> Name:
        """A name with the schema before it, if it has one; a catalog or project before that is left out."""
        parts = self._parts()
        while self.accept("."):
            parts = parts[:0] if self.word() == "." else (*parts, *self._parts())
        return tuple(part for part in parts if part)[-2:]

    def _parts(self) -> Name:
        token = self.peek()
        if self.lexicon.dialect == "bigquery":
            if token.kind == "quoted":
                return tuple(self.name().split("."))
            text = self.name()
            while self.word() == "-":
                self.at += 1
                text += "-" + self.next().text
            return (text,)
        return (self.name(),)

    def string(self) -> str:
        """The value of a string literal, which must stand here; neighbours are one."""
        token = self.next()
        if token.kind != "string":
            raise Malformed(f"a string expected, found {token.text[:40] or 'the end'}")
        value = self.lexicon.string(token)
        while self.peek().kind == "string":
            value += self.lexicon.string(self.next())
        return value

    def text(self, start: int, end: int) -> str:
        """The statement's own text from token `start` to before token `end`."""
        if start >= end:
            return ""
        tokens = self.found.tokens
        return self.found.source[tokens[start].start : tokens[end - 1].end]

    def skip(self) -> None:
        """Go past one token, or all that a bracket holds."""
        self.at = self.past(self.at)

    def past(self, at: int) -> int:
        """The place after what stands at a place: one token, or a bracket with all it holds."""
        closing = _OPENING.get(self.found.tokens[at].word)
        if closing is None:
            return at + 1
        depth = 0
        for place in range(at, self.end):
            word = self.found.tokens[place].word
            if word in _OPENING:
                depth += 1
            elif word in _CLOSING:
                depth -= 1
                if depth == 0:
                    return place + 1
        raise Malformed("a bracket is not closed")

    def group(self) -> Cursor:
        """What the bracket that must stand here holds; go past it."""
        if self.word() != "(":
            raise Malformed(f"( expected, found {self.peek().text[:40] or 'the end'}")
        start, end = self.at, self.past(self.at)
        self.at = end
        return Cursor(self.found, self.lexicon, start + 1, end - 1)

    def items(self) -> list[Cursor]:
        """What is left, cut at the commas that no bracket holds."""
        items, start, place = [], self.at, self.at
        while place < self.end:
            word = self.found.tokens[place].word
            if word == ",":
                items.append(Cursor(self.found, self.lexicon, start, place))
                start = place = place + 1
            elif word == "<" and place > self.at and self.found.tokens[place - 1].word in _HOLD_TYPES:
                place = self.past_types(place)
            else:
                place = self.past(place)
        self.at = self.end
        if start < self.end:
            items.append(Cursor(self.found, self.lexicon, start, self.end))
        return items

    def past_types(self, at: int) -> int:
        """The place after the angle bracket that stands at a place."""
        depth = 0
        for place in range(at, self.end):
            word = self.found.tokens[place].word
            depth += (word == "<") - (word == ">")
            if depth == 0:
                return place + 1
        raise Malformed("< is not closed")

    def names(self) -> tuple[str, ...]:
        """The plain names of a bracket's list: (a, b DESC, c(10)). Raises where one is an expression."""
        found = []
        for item in self.group().items():
            found.append(item.name())
            if item.word() == "." or (item.word() == "(" and item.peek(1).kind != "number"):
                raise Malformed("an expression where a column was expected")
        return tuple(found)

    def comments(self, first: int, last: int) -> list[str]:
        """The comments before the first token, inside, and after the last on its line."""
        found = list(self.found.before.get(first, ()))
        for place in range(first, last):
            found += self.found.after.get(place, ())
            if place > first:
                found += self.found.before.get(place, ())
        return found

    def begins_line(self, at: int) -> bool:
        """Whether a token is the first on its line."""
        start = self.found.tokens[at].start
        line = self.found.source.rfind("\n", 0, start) + 1
        return not self.found.source[line:start].strip()
