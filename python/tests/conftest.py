"""Tables and a book for all tests, made by the package."""

import os
from pathlib import Path

import pytest

from juzhong.book import build_book
from juzhong.tablebase import generate_tables

ROOT = Path(__file__).parents[2]
MATERIALS = ["KRvKN", "KRvKP", "KHvKAA", "KCvKA"]


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of small tables, rules check."""
    folder = tmp_path_factory.mktemp("tables")
    generate_tables(MATERIALS, folder, rules="check")
    return folder


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of the project's own games."""
    path = tmp_path_factory.mktemp("book") / "test.book"
    build_book(ROOT / "books" / "selfplay", path)
    return path


@pytest.fixture(scope="session")
def program() -> str:
    """The program `juzhong`, from the variable JUZHONG."""
    path = os.environ.get("JUZHONG")
    if path is None:
        pytest.skip("JUZHONG does not name the program")
    return path
