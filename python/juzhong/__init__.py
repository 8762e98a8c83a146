"""Xiangqi positions, opening books, endgame tables and game records, in the shapes of python-chess.

This module has boards and moves; `juzhong.tablebase`, `juzhong.book` and `juzhong.games` have the rest, and
`juzhong.errors` the exceptions. Squares are numbers from 0 (a0, at Red's left) to 89 (i9), colours are RED and BLACK.
"""

from juzhong import book, errors, games, tablebase
from juzhong._native import Board, LegalMoves, Move, Outcome, Piece, parse_fens
from juzhong.errors import (
    AmbiguousMoveError,
    BuildError,
    ClosedError,
    DamagedFileError,
    GameError,
    IllegalMoveError,
    IllegalPositionError,
    InvalidFenError,
    InvalidMoveError,
    JuzhongError,
    MissingTableError,
    UnsupportedFileError,
)
from juzhong.squares import SQUARES, parse_square, square, square_file, square_mirror, square_name, square_rank

__all__ = [
    "ADVISOR",
    "BLACK",
    "CANNON",
    "COLORS",
    "ELEPHANT",
    "HORSE",
    "KING",
    "NOTATIONS",
    "PAWN",
    "PIECE_TYPES",
    "RED",
    "ROOK",
    "RULES",
    "SQUARES",
    "STARTING_FEN",
    "AmbiguousMoveError",
    "Board",
    "BuildError",
    "ClosedError",
    "DamagedFileError",
    "GameError",
    "IllegalMoveError",
    "IllegalPositionError",
    "InvalidFenError",
    "InvalidMoveError",
    "JuzhongError",
    "LegalMoves",
    "MissingTableError",
    "Move",
    "Outcome",
    "Piece",
    "UnsupportedFileError",
    "book",
    "errors",
    "games",
    "parse_fens",
    "parse_square",
    "square",
    "square_file",
    "square_mirror",
    "square_name",
    "square_rank",
    "tablebase",
]

COLORS = [RED, BLACK] = [True, False]
"""The sides. Red moves first."""

PIECE_TYPES = [KING, ROOK, HORSE, CANNON, PAWN, ADVISOR, ELEPHANT] = range(1, 8)
"""The types of pieces."""

NOTATIONS = ("uci", "iccs", "wxf", "chinese")
"""The notations in which moves are written."""

RULES = ("none", "check", "asian", "computer", "chinese")
"""The rules that judge repetitions."""

STARTING_FEN = Board().fen()
"""The start of a game."""
