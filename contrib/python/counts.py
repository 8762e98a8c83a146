"""Prints the counts of a folder's tables: a line for each set and side to move.

    python counts.py [--men N] [--rules check] [--metric dtm] DIR JUZHONG > counts.tsv

Fields are separated by tabs and named in the first line. Counts are over the whole board (a position
and its mirror image are two); by_rule_win and by_rule_loss, of those won and lost, are decided by
repetition; longest_win is in plies, of wins that need no rule of repetition, 0 where there are none;
content is the BLAKE3 hash of all values. Red is the side named first. Sets with fewer men come
first, then weaker ones.
"""

import argparse
import json
import subprocess
import sys

COUNTS = "win", "draw", "loss", "by_rule_win", "by_rule_loss", "longest_win"


def strength(material):
    """What sets are ordered by."""
    return len(material), [side.count(man) for side in material.split("v") for man in "RNCPAB"]


def rows(args):
    def ask(*command):
        run = subprocess.run(
            [args.juzhong, "tablebase", *command, "--dir", args.dir, "--json"],
            stdout=subprocess.PIPE,
        )
        # The program has said why.
        return json.loads(run.stdout) if run.returncode == 0 else sys.exit(run.returncode)

    place = {"rules": args.rules, "metric": args.metric}
    tables = [table for table in ask("list")["tables"] if place.items() <= table.items()]
    for material in sorted((table["material"] for table in tables), key=strength):
        if len(material) - 1 > args.men:
            continue
        stats = ask("stats", material, "--rules", args.rules, "--metric", args.metric)
        for side in ("red", "black"):
            counts = [stats[side][name] for name in COUNTS]
            yield material, side, *counts, stats["content"]


def main():
    parser = argparse.ArgumentParser(description="Prints the counts of a folder's tables.")
    parser.add_argument("--men", type=int, default=sys.maxsize, help="at most so many men")
    parser.add_argument("--rules", default="check")
    parser.add_argument("--metric", default="dtm")
    parser.add_argument("dir")
    parser.add_argument("juzhong")
    args = parser.parse_args()
    print("material", "side", *COUNTS, "content", sep="\t")
    for row in rows(args):
        print(*row, sep="\t")


if __name__ == "__main__":
    main()
