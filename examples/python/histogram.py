#!/usr/bin/env python3
"""Draws the histogram of an ending: how many positions are won and lost in how many plies.

    python3 examples/python/histogram.py FOLDER KRvKN [--rules check] [--width 60]

The side named first is Red. FOLDER gets the tables that are missing. Wins and losses that only the repetition rule gives
are counted by the plies to the loop that decides, and marked with the round of the rule.
"""

import argparse

from juzhong.tablebase import SideStats, generate_tables, open_tablebase


def draw(title: str, side: SideStats, width: int) -> None:
    """Prints the rows of one side to move; the longest bar has `width` characters."""
    positions = side.wins + side.draws + side.losses
    print(f"\n{title}: {positions} positions, {side.wins} won, {side.draws} drawn, {side.losses} lost")
    most = max((count for _, count in side.histogram), default=1)
    for value, count in side.histogram:
        result = "won" if value.wdl == 1 else "lost"
        rule = f" by rule, round {value.order}" if value.order else ""
        bar = "#" * max(1, count * width // most)
        print(f"{result} in {value.distance:3}{rule:18} {count:10} {bar}")
    if side.longest_fen is not None:
        print(f"longest win, {side.longest_win} plies: {side.longest_fen}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Draws the histogram of an ending.")
    parser.add_argument("folder")
    parser.add_argument("material", help="the pieces of both sides, such as KRvKN")
    parser.add_argument("--rules", choices=["none", "check", "asian"], default="check")
    parser.add_argument("--width", type=int, default=60, help="characters of the longest bar")
    arguments = parser.parse_args()

    generate_tables([arguments.material], arguments.folder, rules=arguments.rules)
    with open_tablebase(arguments.folder, rules=arguments.rules) as tablebase:
        stats = tablebase.stats(arguments.material)
    print(f"{stats.material}, rules {stats.rules}, distances in plies ({stats.metric})")
    draw("Red to move", stats.red_to_move, arguments.width)
    draw("Black to move", stats.black_to_move, arguments.width)


if __name__ == "__main__":
    main()
