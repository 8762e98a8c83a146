#!/usr/bin/env python3
"""Plays won endings to the end, both sides by endgame tables, and judges every game by the rules.

    python3 examples/python/play_won_endings.py FOLDER [--materials KRvKN KRCvKR] [--games 200] [--seed 1]

Draws positions in which the side to move wins, half of them with each colour as the stronger side. The winner plays the
first of the moves that the tables rank, the other side its best defence. A game ends by mate or stalemate, or where the
rules judge a repetition; the side that was to win must have won. FOLDER gets the tables that are missing.
"""

import argparse
import random
import sys
from collections import Counter

import juzhong
from juzhong.tablebase import Tablebase, generate_tables, open_tablebase

RULES = "check"
MOST_PLIES = 400


def play(tablebase: Tablebase, board: juzhong.Board) -> juzhong.Outcome | None:
    """Plays on to the end of the game; None if it does not end."""
    while (outcome := board.outcome(RULES)) is None and board.ply() < MOST_PLIES:
        best, _ = tablebase.probe_root(board)[0]
        board.push(best)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description="Plays won endings to the end by endgame tables.")
    parser.add_argument("folder")
    parser.add_argument("--materials", nargs="+", default=["KRvKN", "KRCvKR"])
    parser.add_argument("--games", type=int, default=200, help="in all")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    generate_tables(arguments.materials, arguments.folder, rules=RULES)
    source = random.Random(arguments.seed)
    lost_wins = 0
    with open_tablebase(arguments.folder, rules=RULES) as tablebase:
        for number, material in enumerate(arguments.materials):
            games = len(range(number, arguments.games, len(arguments.materials)))
            ends: Counter[str] = Counter()
            longest = 0
            for game in range(games):
                exchanged = "v".join(reversed(material.split("v")))
                board = tablebase.random_position(exchanged if game % 2 else material, wdl=1, random=source)
                if board is None:
                    sys.exit(f"no won position of {material} was found")
                winner = board.turn
                outcome = play(tablebase, board)
                if outcome is None or outcome.winner != winner:
                    lost_wins += 1
                    moves = " ".join(move.uci() for move in board.move_stack)
                    print(f"not won: {board.root().fen()} moves {moves}: {outcome}")
                else:
                    ends[outcome.termination] += 1
                longest = max(longest, board.ply())
            summary = ", ".join(f"{count} by {end}" for end, count in ends.most_common())
            print(f"{material}: {ends.total()} of {games} games won: {summary}; the longest of {longest} plies")
    return 1 if lost_wins else 0


if __name__ == "__main__":
    sys.exit(main())
