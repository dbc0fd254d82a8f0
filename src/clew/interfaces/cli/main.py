"""How does a command line become an exit code? The outermost door: whatever happens inside is said here, once."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from clew.errors import ClewError, UsageError
from clew.interfaces.cli.output import ReaderGone, emit_json, flush, internal, note, silence
from clew.interfaces.rendering.wire import error_object

COLLECT_EVERY = (100_000, 50, 50)
"""Rarer than Python's own (700, 10, 10): an index makes millions of values and no cycles; saves an eighth of its CPU time."""
INTERRUPTED = 130
"""128 and the number of SIGINT, as shells say it."""


class Interrupted(ClewError):
    """Ctrl-C."""

    exit_code = INTERRUPTED
    code = "interrupted"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (default: the process's own) and return its exit code; prints everything that is to be said."""
    gc.set_threshold(*COLLECT_EVERY)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported: its threads cost a search more than they save
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _guarded(arguments)
        flush()
        return code
    except ReaderGone:
        silence()
        return 0


def _guarded(arguments: list[str]) -> int:
    try:
        return _run(arguments)
    except ReaderGone:
        raise
    except KeyboardInterrupt:
        return _refuse(Interrupted("interrupted", "what was finished is kept; run it again to go on"), arguments)
    except ClewError as fault:
        return _refuse(fault, arguments)
    except Exception as fault:  # noqa: BLE001 - the outermost door
        return _refuse(internal(fault), arguments)


def _run(arguments: list[str]) -> int:
    import click  # here, so that a Ctrl-C while it loads ends as any other

    from clew.interfaces.cli.app import app

    try:
        code = app.main(args=arguments or ["--help"], prog_name="clew", standalone_mode=False)
    except click.Abort as fault:
        raise KeyboardInterrupt from fault
    except click.exceptions.NoArgsIsHelpError as fault:  # its message is a page of help
        raise UsageError(f"{fault.ctx.command_path} needs a command", f"{fault.ctx.command_path} --help lists them") from fault
    except click.ClickException as fault:
        raise UsageError(fault.format_message(), "clew --help lists the commands, clew COMMAND --help their options") from fault
    return code if isinstance(code, int) else 0


def _refuse(fault: ClewError, arguments: Sequence[str]) -> int:
    fault = _without_passwords(fault, arguments)
    if _wants_json(arguments):
        emit_json(error_object(fault))
    else:
        note(f"clew: {fault.message}")
        if fault.hint:
            note(f"      {fault.hint}")
    return fault.exit_code


def _without_passwords(fault: ClewError, arguments: Sequence[str]) -> ClewError:
    """The fault, no password of a URL in its words: a command line that is wrong is repeated in them."""
    if any("://" in text for text in (*arguments, fault.message, fault.hint)):
        from clew.core.schema.addresses import redacted, secrets_of  # 5 ms that few faults need

        secrets = secrets_of(arguments)
        fault.message, fault.hint = redacted(fault.message, secrets), redacted(fault.hint, secrets)
    return fault


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether the answer is read by a program; looked up by hand, since the arguments may be what is wrong."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(option in ("--json", "--batch") or option.startswith("--batch=") for option in options)
