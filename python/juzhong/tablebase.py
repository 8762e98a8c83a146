"""Endgame tables: `open_tablebase`, `Tablebase`, and `generate_tables` to make some."""

import os
from collections.abc import Sequence

from juzhong._native import BestLine, SideStats, Tablebase, TableStats, TableValue, generate_tables

__all__ = ["BestLine", "SideStats", "TableStats", "TableValue", "Tablebase", "generate_tables", "open_tablebase"]


def open_tablebase(
    directory: "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]",
    *,
    rules: "str | None" = None,
    metric: str = "dtm",
) -> Tablebase:
    """Opens a folder of endgame tables, or several: see Tablebase."""
    return Tablebase(directory, rules=rules, metric=metric)
