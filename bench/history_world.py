"""What may happen to a project? Steps of a random history: a real git repository, and everything that people and their tools do to it.

The truth is asked of the disk and of git, never of clew: which files count, and which of the words that stand nowhere else are in them.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

FOLDERS = ("", "src", "src/api", "src/api/v2", "lib", "docs", "Mixed")
NAMES = ("user.py", "order.py", "upload.ts", "notes.md", "server.go", "data.txt", "Case.py", "case.py", "odd name.py", "größe.rb")
WORDS = "parse header retry upload cancel order create user render page send mail split token read file close socket".split()
MARKER = re.compile(rb"zq[a-z]{5}")
_IDENTITY = {
    f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "t"), ("EMAIL", "t@example.invalid"))
}
LETTERS = "bcdfghjklmnpqrtvwxz"
"""Of words that stand nowhere else: none that a stemmer takes for an ending."""
MOST_FILES = 120


class World:
    """A repository at `root` that changes at random, the same way for the same seed. `did` is the last step, in words."""

    def __init__(self, root: Path, seed: int, files: int = 40) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.did = ""
        self._next = seed * 100_000
        self._branches = ["main"]
        self._stashes = 0
        root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "gc.auto", "0")
        for _ in range(files):
            self.create()
        self.commit()

    # -- the truth --

    def files(self) -> dict[str, bytes]:
        """What a search must know: each file that git shows and `.clewignore` does not leave out, with its content."""
        listed = os.fsdecode(self.git("ls-files", "-z", "-co", "--exclude-standard")).split("\0")
        left_out = self._left_out()
        found = {}
        for path in filter(None, listed):
            place = self.root / path
            parts = path.split("/")
            folders = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
            if any((self.root / folder).is_symlink() for folder in folders) or place.is_symlink() or not place.is_file():
                continue
            if left_out & {*parts}:
                continue
            found[path] = place.read_bytes()
        return found

    def marks(self) -> dict[bytes, str]:
        """Words that stand in one file only, and in which."""
        seen: dict[bytes, str] = {}
        double: set[bytes] = set()
        for path, content in self.files().items():
            for mark in set(MARKER.findall(content)) if b"\0" not in content else ():
                double |= {mark} & seen.keys()
                seen[mark] = path
        return {mark: path for mark, path in seen.items() if mark not in double}

    def _left_out(self) -> set[str]:
        file = self.root / ".clewignore"
        return set(file.read_text().split()) if file.is_file() and not file.is_symlink() else set()

    # -- the steps --

    def step(self) -> None:
        """One thing happens."""
        kinds, weights = zip(*STEPS, strict=True)
        kind = self.random.choices(kinds, weights)[0]
        self.did = kind.__name__
        kind(self)

    def create(self) -> None:
        """A new file, or an old one written anew."""
        place = self.root / self._path()
        if len(self._ours()) < MOST_FILES and self._make_folder(place.parent) and not place.is_dir():
            self._write(place, "\n\n".join(self._function() for _ in range(self.random.randint(1, 4))) + "\n")

    def append(self) -> None:
        """Something more in a file."""
        if place := self._one():
            with place.open("a", encoding="utf-8") as file:
                file.write("\n\n" + self._function() + "\n")

    def insert(self) -> None:
        """Something more at the beginning: all lines move."""
        if place := self._one():
            self._write(place, self._function() + "\n\n" + place.read_text(encoding="utf-8", errors="replace"))

    def cut(self) -> None:
        """The second half of a file goes."""
        if place := self._one():
            lines = place.read_text(encoding="utf-8", errors="replace").split("\n")
            self._write(place, "\n".join(lines[: len(lines) // 2]))

    def replace_in_secret(self) -> None:
        """An edit of the same size whose time is set back."""
        if place := self._one():
            before, content = place.stat(), place.read_bytes()
            if found := MARKER.search(content):
                place.write_bytes(content.replace(found[0], self._mark().encode()))
                os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))

    def save_atomically(self) -> None:
        """As editors save: another file takes the name."""
        if place := self._one():
            aside = place.with_name(f".{place.name}.swp")
            aside.write_bytes(place.read_bytes() + f"\n\n{self._function()}\n".encode())
            aside.replace(place)

    def touch(self) -> None:
        """A time from anywhere."""
        if place := self._one():
            when = self.random.choice((0, 10**18, 4 * 10**18))
            os.utime(place, ns=(when, when))

    def make_binary(self) -> None:
        """A file that is no text any more."""
        if place := self._one():
            place.write_bytes(b"\0\1\2" * 100)

    def empty(self) -> None:
        """Nothing is left in a file."""
        if place := self._one():
            place.write_bytes(b"")

    def move_file(self) -> None:
        """A file under another name."""
        place, target = self._one(), self.root / self._path()
        if place and self._make_folder(target.parent) and not target.is_dir():
            place.rename(target)

    def move_folder(self) -> None:
        """A folder under another name, with all that is in it."""
        source, target = (self.root / self.random.choice(FOLDERS[1:]) for _ in range(2))
        target = target.with_name(f"{target.name}{self.random.randint(1, 3)}") if self.random.random() < 0.5 else target
        movable = source.is_dir() and not source.is_symlink() and not os.path.lexists(target) and source not in target.parents
        if movable and self._make_folder(target.parent):
            source.rename(target)

    def delete(self) -> None:
        """A file goes."""
        if place := self._one():
            place.unlink()

    def delete_folder(self) -> None:
        """A folder goes, rarely all of it."""
        place = self.root / self.random.choice(FOLDERS[1:])
        if place.is_symlink():
            place.unlink()
        elif place.is_dir() and self.random.random() < 0.3:
            shutil.rmtree(place)

    def rename_case(self) -> None:
        """Upper case and lower case change places."""
        if place := self._one():
            target = place.with_name(place.name.swapcase())
            if not os.path.lexists(target):
                place.rename(target)

    def change_gitignore(self) -> None:
        """Files become ignored, or are freed."""
        patterns = ("lib/", "*.md", "data.txt", "/src/api/", "!notes.md", "v2", "Case.py", "[a-f]*.py", "docs/**/x")
        self._rules(".gitignore", patterns)

    def change_clewignore(self) -> None:
        """The same for clew alone."""
        self._rules(".clewignore", ("docs", "user.py", "v2", "upload.ts"))

    def change_excludes(self) -> None:
        """The same in git's own folder."""
        self._rules(".git/info/exclude", ("server.go", "Mixed/"))

    def swap_link(self) -> None:
        """A file becomes a link to another, a link becomes a file, a folder becomes a link."""
        place, other = self._one(), self._one()
        links = [path for path in self.root.rglob("*") if path.is_symlink() and ".git/" not in f"{path}/"]
        if links and self.random.random() < 0.5:
            link = self.random.choice(sorted(links))
            link.unlink()
            self._write(link, self._function() + "\n")
        elif place and other and place != other:
            place.unlink()
            place.symlink_to(other if self.random.random() < 0.7 else other.parent)

    def commit(self) -> None:
        """What is there is committed."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "more")

    def switch(self) -> None:
        """Another branch, an old one or a new one; what is in the way is thrown away."""
        if len(self._branches) < 5 and self.random.random() < 0.3:
            self._branches.append(f"branch{len(self._branches)}")
            self.git("checkout", "-q", "-b", self._branches[-1])
        else:
            self.git("checkout", "-q", "-f", self.random.choice(self._branches))

    def stash(self) -> None:
        """Changes are put away, or brought back."""
        if self._stashes and self.random.random() < 0.6:
            self._stashes -= 1
            done = self.git("stash", "pop", "-q", check=False)
            if done is None:
                self.git("reset", "-q", "--hard")
                self.git("stash", "drop", "-q", check=False)
        else:
            before = self.git("stash", "list")
            self.git("stash", "push", "-q", "--include-untracked", check=False)
            self._stashes += self.git("stash", "list") != before

    def reset(self) -> None:
        """Back to what is committed; what git does not know goes."""
        self.git("reset", "-q", "--hard")
        if self.random.random() < 0.3:
            self.git("clean", "-fdq", "-e", ".clew")

    def worktree(self) -> None:
        """A work tree beside comes, or goes."""
        place = self.root.parent / "beside"
        if place.exists():
            self.git("worktree", "remove", "--force", str(place), check=False)
            shutil.rmtree(place, ignore_errors=True)
        else:
            self.git("worktree", "prune")
            self.git("worktree", "add", "-q", "--detach", str(place), check=False)

    # -- inside --

    def git(self, *arguments: str, check: bool = True) -> bytes | None:
        """Git in the project; None where it failed and need not succeed."""
        environment = {**os.environ, **_IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=environment, capture_output=True, check=False)
        if done.returncode and check:
            raise RuntimeError(f"git {arguments}: {os.fsdecode(done.stderr)}")
        return None if done.returncode else done.stdout

    def _mark(self) -> str:
        self._next += 1
        number, letters = self._next, ""
        for _ in range(5):
            number, letter = divmod(number, len(LETTERS))
            letters = LETTERS[letter] + letters
        return f"zq{letters}"

    def _function(self) -> str:
        one, two, three = self.random.choices(WORDS, k=3)
        mark = self._mark()
        return f'def {one}_{two}(value):\n    """{one.title()} the {two} of a {three}."""\n    return {mark}(value, "{three}")'

    def _path(self) -> str:
        folder, name = self.random.choice(FOLDERS), self.random.choice(NAMES)
        name = name if self.random.random() < 0.5 else f"{self.random.randint(0, 30)}_{name}"
        return f"{folder}/{name}" if folder else name

    def _make_folder(self, folder: Path) -> bool:
        """The folder is there, and is no link and in none."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return False
        return folder.resolve() == folder

    @staticmethod
    def _write(place: Path, text: str) -> None:
        if place.is_symlink():
            place.unlink()
        place.write_text(text, encoding="utf-8")

    def _ours(self) -> list[Path]:
        found = []
        for at, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name not in (".git", ".clew"))
            found += [Path(at) / name for name in sorted(names) if name not in (".gitignore", ".clewignore")]
        return [place for place in found if place.is_file() and not place.is_symlink()]

    def _one(self) -> Path | None:
        found = self._ours()
        return self.random.choice(found) if found else None

    def _rules(self, name: str, patterns: tuple[str, ...]) -> None:
        file = self.root / name
        kept = file.read_text().split() if file.is_file() else []
        pattern = self.random.choice(patterns)
        now = [one for one in kept if one != pattern] if pattern in kept else [*kept, pattern]
        if now or name.startswith(".git/"):
            self._write(file, "\n".join(now) + "\n")
        else:
            file.unlink(missing_ok=True)


STEPS: tuple[tuple[Callable[[World], None], int], ...] = (
    (World.append, 14), (World.insert, 8), (World.cut, 6), (World.replace_in_secret, 10), (World.save_atomically, 8), (World.touch, 4),
    (World.create, 14), (World.move_file, 8), (World.move_folder, 4), (World.delete, 6), (World.delete_folder, 2), (World.rename_case, 4),
    (World.make_binary, 2), (World.empty, 1), (World.change_gitignore, 4), (World.change_clewignore, 3), (World.change_excludes, 1),
    (World.swap_link, 4), (World.commit, 4), (World.switch, 4), (World.stash, 3), (World.reset, 2), (World.worktree, 1),
)  # fmt: skip
"""What happens, and how often."""
