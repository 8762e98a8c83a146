"""Opening books: `open_reader`, `BookReader`, and `build_book` to make one."""

import os

from juzhong._native import BookEntry, BookReader, build_book

__all__ = ["BookEntry", "BookReader", "build_book", "open_reader"]


def open_reader(path: "str | os.PathLike[str]") -> BookReader:
    """Opens an opening book: see BookReader."""
    return BookReader(path)
