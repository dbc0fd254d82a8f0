"""Which chunk of the right file is shown first."""

from __future__ import annotations

from tests.search.conftest import Piece, make

from clew.core.answer import Ranked

LONG = "\n".join(f"    step_{i} = prepare(step_{i - 1})" for i in range(1, 16))


def names(ranked: tuple[Ranked, ...]) -> list[str]:
    return [line.chunk.symbol_name for line in ranked]


def test_a_method_asked_in_words_comes_before_its_neighbours() -> None:
    pieces = [
        Piece("class Table:\n    rows and sections of a table", "Table", "class"),
        Piece("def add_section(self): pass", "Table.add_section", "method", docs="Add a table row after the last row of the table."),
        Piece(f"def add_row(self, *cells):\n{LONG}", "Table.add_row", "method"),
        Piece("def get_row_style(self):\n    add the row of the table, add the table", "Table.get_row_style", "method"),
    ]
    project = make({"src/table.py": pieces, "src/other.py": "value = 1"})
    assert names(project.ranked("table add row"))[0] == "Table.add_row"
    assert names(project.ranked("how is a row added to a table"))[0] == "Table.add_row"


def test_of_a_definition_that_was_cut_the_head_comes_first_though_a_later_piece_has_more_of_the_words() -> None:
    head = f"def export(report):\n    write the report\n{LONG}"
    tail = f"    write the report to a sheet, write a sheet\n{LONG}"
    pieces = [Piece(head, "export"), Piece(tail, "export"), Piece("def load(): pass", "load")]
    ranked = make({"src/sheet.py": pieces, "src/other.py": "value = 1"}).ranked("write a report sheet")
    assert [line.chunk.line_start for line in ranked[:2]] == [1, 19]


def test_a_second_definition_of_one_name_is_no_piece_of_the_first() -> None:
    pieces = [Piece("def push(queue): push a job", "push"), Piece("def push(stack): push a plate on a stack", "push")]
    first = make({"src/push.py": pieces, "src/other.py": "value = 1"}).ranked("push a plate on a stack")[0]
    assert "plate" in first.chunk.code


def test_a_definition_comes_before_the_imports_of_its_file() -> None:
    imports = "import invoice\nimport invoice.mail\nfrom invoice.mail import sender, invoice"
    pieces = [Piece(imports), Piece("def deliver(address):\n    hand the invoice over to the mail", "deliver")]
    assert names(make({"src/delivery.py": pieces, "src/other.py": "value = 1"}).ranked("invoice mail"))[0] == "deliver"


def test_an_implementation_comes_before_what_declares_it_where_it_is_asked_how() -> None:
    pieces = [
        Piece("interface Drain:\n    works off jobs of a queue", "Drain", "interface"),
        Piece("class Worker:\n    works off the jobs of a queue\n    idle = 1", "Worker", "class"),
    ]
    project = make({"src/jobs.py": pieces, "src/other.py": "value = 1"})
    assert names(project.ranked("how are jobs of a queue worked off"))[0] == "Worker"


def test_a_pasted_line_of_code_shows_the_chunk_that_holds_it() -> None:
    talk = [Piece(f"def retries_{i}(self):\n    settings left, self settings", f"retries_{i}") for i in range(4)]
    held = Piece(f"def close(self):\n    if self.retries[0] == settings.left:\n        return None\n{LONG}", "close")
    project = make({"src/a.py": [*talk, held], "src/retries.py": talk})
    first = project.ranked("if self.retries[0] == settings.left:")[0]
    assert (first.chunk.filepath, first.chunk.symbol_name) == ("src/a.py", "close")


def test_a_quoted_phrase_shows_the_chunk_that_says_it() -> None:
    talk = [Piece(f"def pool_{i}():\n    connection pool, full pool, is the pool full", f"pool_{i}") for i in range(4)]
    says = Piece(f'def take(self):\n    return Full("connection pool is full")\n{LONG}', "take")
    project = make({"src/pool.py": talk, "src/client.py": [says, *talk]})
    first = project.ranked('where is "connection pool is full" said')[0]
    assert (first.chunk.filepath, first.chunk.symbol_name) == ("src/client.py", "take")
