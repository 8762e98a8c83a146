"""The exceptions of the package.

Each is a JuzhongError and one of the usual exceptions beside. What the system refuses is an OSError, such as
FileNotFoundError.
"""

__all__ = [
    "AmbiguousMoveError",
    "BuildError",
    "ClosedError",
    "DamagedFileError",
    "GameError",
    "IllegalMoveError",
    "IllegalPositionError",
    "InvalidFenError",
    "InvalidMoveError",
    "JuzhongError",
    "MissingTableError",
    "UnsupportedFileError",
]


class JuzhongError(Exception):
    """The base of the exceptions of this package."""


class InvalidFenError(JuzhongError, ValueError):
    """A text is no FEN."""


class IllegalPositionError(InvalidFenError):
    """A text is a FEN, but its position is not legal."""

    reasons: tuple[str, ...]
    """Every reason against the position."""

    def __init__(self, message: str, reasons: "list[str] | tuple[str, ...]" = ()) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)


class InvalidMoveError(JuzhongError, ValueError):
    """A text is no move in any notation."""


class IllegalMoveError(JuzhongError, ValueError):
    """A move is not legal where it was to be made."""


class AmbiguousMoveError(JuzhongError, ValueError):
    """A text means several legal moves."""


class MissingTableError(JuzhongError, KeyError):
    """There is no table for a position, or none for one that captures lead to."""

    # A KeyError would show its message in quotes.
    __str__ = Exception.__str__


class DamagedFileError(JuzhongError, ValueError):
    """A table or book does not have the contents that its checksums state."""


class UnsupportedFileError(JuzhongError, ValueError):
    """A file is no table or book of this package, or one of another version."""


class BuildError(JuzhongError, RuntimeError):
    """A book or tables cannot be built."""


class ClosedError(JuzhongError, ValueError):
    """A table, book or reader is used after it was closed."""


class GameError(JuzhongError, ValueError):
    """A game, or a part of it, cannot be read. The errors of games are not raised but listed in `Game.errors`."""

    source: str
    """The file, or the member of an archive."""
    place: str
    """The place in it: `games.pgn:12` or `games.xqf: byte 0x1a2b`."""
    game: int
    """The number of the game in the source, from 1."""
    ply: "int | None"
    """The number of the move that is the fault, from 1, if it is one."""

    def __init__(self, message: str, source: str = "", place: str = "", game: int = 1, ply: "int | None" = None) -> None:
        super().__init__(message)
        self.source = source
        self.place = place
        self.game = game
        self.ply = ply
