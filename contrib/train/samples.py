"""Files of positions that `cargo xtask positions` writes: their layout is in xtask/src/labelled."""

import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

HEAD = 56
SAMPLE = 32
SQUARES = 90
PIECES = 14
# What the places of men that are not there hold.
NOTHING = PIECES * SQUARES
MOST_MEN = 32


class Samples(NamedTuple):
    """Positions with labels, a row each."""

    # The men of each position, as piece * 90 + square, in ascending order of squares; NOTHING where there are fewer.
    men: np.ndarray
    black_to_move: np.ndarray
    # For the side to move, in centipawns.
    scores: np.ndarray
    # For the side to move: 0, 0.5 or 1.
    results: np.ndarray
    # True where the result is that of endgame tables, not of the game.
    exact: np.ndarray
    # The classical evaluation for the side to move, in centipawns; zeros if a network is trained that replaces it.
    classical: np.ndarray

    def __len__(self) -> int:
        return len(self.scores)


def numbered(folder: Path) -> list[Path]:
    """The files of a folder by their numbers."""
    return sorted(folder.glob("*.jzlabel"))


def read_rows(path: Path) -> np.ndarray:
    """The samples of a file as rows of bytes; ValueError if it is damaged or none."""
    data = path.read_bytes()
    if len(data) < HEAD or data[:8] != b"JZLABEL\0" or data[8:12] != b"\1\0\0\0":
        raise ValueError(f"{path}: no file of samples of version 1")
    if int.from_bytes(data[12:16], "little") != zlib.crc32(data[16:]):
        raise ValueError(f"{path}: damaged")
    return np.frombuffer(data, np.uint8, offset=HEAD).reshape(-1, SAMPLE)


def with_classical(rows: np.ndarray, path: Path) -> np.ndarray:
    """The rows of a file, each with the classical evaluation that `cargo xtask network classical` wrote."""
    values = np.frombuffer(path.with_suffix(".classical").read_bytes(), np.uint8).reshape(-1, 2)
    if len(values) != len(rows):
        raise ValueError(f"{path}: its file of classical evaluations belongs to another")
    return np.concatenate([rows, values], axis=1)


def without_repeats(rows: np.ndarray) -> np.ndarray:
    """The rows without those whose position has come before."""
    positions = np.ascontiguousarray(rows[:, :28]).view("V28")[:, 0]
    _, first = np.unique(positions, return_index=True)
    return rows[np.sort(first)]


def decode(rows: np.ndarray) -> Samples:
    """Samples of their bytes."""
    occupied = np.unpackbits(rows[:, :12], axis=1, bitorder="little")
    black_to_move = occupied[:, 95].astype(bool)
    row, square = np.nonzero(occupied[:, :SQUARES])
    count = occupied[:, :SQUARES].sum(axis=1, dtype=np.int64)
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    halves = rows[:, 12:28]
    pieces = np.stack([halves & 15, halves >> 4], axis=2).reshape(-1, MOST_MEN)
    men = np.full((len(rows), MOST_MEN), NOTHING, np.int16)
    men[row, place] = pieces[row, place].astype(np.int16) * SQUARES + square.astype(np.int16)
    scores = np.ascontiguousarray(rows[:, 28:30]).view("<i2")[:, 0]
    results = (rows[:, 30] & 3).astype(np.float32) / 2
    exact = (rows[:, 30] & 4).astype(bool)
    classical = np.zeros(len(rows), np.int16)
    if rows.shape[1] > SAMPLE:
        classical = np.ascontiguousarray(rows[:, SAMPLE:]).view("<i2")[:, 0].copy()
    return Samples(men, black_to_move, scores.copy(), results, exact, classical)
