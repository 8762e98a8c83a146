"""Squares: numbers from 0 (a0, at Red's left) to 89 (i9), rank by rank."""

SQUARES = range(90)
"""All squares."""


def square(file: int, rank: int) -> int:
    """Returns the square of a file (0 to 8, a to i) and a rank (0 to 9).

    Raises ValueError for others.
    """
    if not (0 <= file < 9 and 0 <= rank < 10):
        raise ValueError(f"no square has file {file} and rank {rank}")
    return rank * 9 + file


def parse_square(name: str) -> int:
    """Returns the square of a name, a0 to i9.

    Raises ValueError for another text.
    """
    if len(name) != 2 or name[0] not in "abcdefghi" or name[1] not in "0123456789":
        raise ValueError(f"{name!r} is no square, a0 to i9")
    return square("abcdefghi".index(name[0]), int(name[1]))


def square_file(square: int) -> int:
    """Returns the file of a square, 0 to 8."""
    return square % 9


def square_rank(square: int) -> int:
    """Returns the rank of a square, 0 to 9; 0 is Red's back rank."""
    return square // 9


def square_name(square: int) -> str:
    """Returns the name of a square, a0 to i9."""
    return "abcdefghi"[square_file(square)] + str(square_rank(square))


def square_mirror(square: int) -> int:
    """Returns the square at the same place seen from the other side."""
    return 89 - square
