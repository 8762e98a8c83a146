#!/usr/bin/env python3
"""Measures the batch calls: positions read, and positions looked up in endgame tables, by one thread.

    python3 examples/python/speed.py FOLDER [--material KRCvKR] [--positions 400000] [--seed 1]

Draws different positions of one ending. The best of five rounds counts. FOLDER gets the tables that are missing.
"""

import argparse
import random
import time
from collections.abc import Callable

import juzhong
from juzhong.tablebase import generate_tables, open_tablebase

ROUNDS = 5


def measure(what: str, positions: int, work: Callable[[], object]) -> None:
    """Prints the positions a second of the fastest round."""
    seconds = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    print(f"{what:40} {positions / min(seconds):12,.0f} a second")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the batch calls.")
    parser.add_argument("folder")
    parser.add_argument("--material", default="KRCvKR")
    parser.add_argument("--positions", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    generate_tables([arguments.material], arguments.folder, rules="check")
    source = random.Random(arguments.seed)
    with open_tablebase(arguments.folder, rules="check") as tablebase:
        drawn = (tablebase.random_position(arguments.material, random=source) for _ in range(arguments.positions))
        boards = [board for board in drawn if board is not None]
        fens = [board.fen() for board in boards]
        starts = [juzhong.STARTING_FEN] * len(fens)
        measure("FENs of the start read", len(fens), lambda: juzhong.parse_fens(starts))
        measure("FENs of the ending read", len(fens), lambda: juzhong.parse_fens(fens))
        measure("results, boards in one call", len(fens), lambda: tablebase.probe_wdl_many(boards))
        measure("results, FENs in one call", len(fens), lambda: tablebase.probe_wdl_many(fens))
        measure("results, a call for each board", len(fens), lambda: [tablebase.probe_wdl(board) for board in boards])
        measure("values, boards in one call", len(fens), lambda: tablebase.probe_many(boards))
        measure("values, FENs in one call", len(fens), lambda: tablebase.probe_many(fens))


if __name__ == "__main__":
    main()
