"""How the verbs show more than a line: consoles and tables."""

import os
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from saccade.cli.options import WIDE


def error_console() -> Console:
    """Return where progress and warnings go; SACCADE_LOG=quiet silences it."""
    return Console(stderr=True, quiet=os.environ.get("SACCADE_LOG") == "quiet")


def out_console() -> Console:
    """Return where results go; a file gets wide lines and no colour."""
    return Console() if sys.stdout.isatty() else Console(width=WIDE)


def show_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table to standard output."""
    table = Table(title=title, title_justify="left")
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*row)
    out_console().print(table, markup=False, highlight=False)
