"""Compares juzhong_tables.py with `juzhong tablebase probe` on positions of a folder's tables.

    python compare.py [--limit N] [--rules check] [--metric dtm] DIR JUZHONG [MATERIAL ...]

takes all positions of each table, with both sides to move, or about N of them, evenly spread.
Ends with code 1 at the first difference. Positions that juzhong calls illegal are left out.
"""

import argparse
import json
import subprocess
import sys
from itertools import combinations, islice, product
from math import comb, prod
from pathlib import Path

from juzhong_tables import Tables, answer
from xiangqi import can_stand


def boards(material, limit):
    """The placements of a material's men on different squares, or evenly spread ones."""
    first, second = material.split("v")
    men = first + second.lower()
    kinds = list(dict.fromkeys(men))
    squares = [(x, y) for y in range(10) for x in range(9)]
    points = [[s for s in squares if can_stand(kind, *s)] for kind in kinds]
    number = prod(comb(len(p), men.count(kind)) for kind, p in zip(kinds, points))
    choices = product(*(combinations(p, men.count(kind)) for kind, p in zip(kinds, points)))
    # An odd step, so that it has few factors in common with the numbers of squares.
    for choice in islice(choices, 0, None, 2 * number // limit | 1):
        board = {s: kind for kind, chosen in zip(kinds, choice) for s in chosen}
        if len(board) == len(men):
            yield board


def write_fen(board, turn):
    rows = ("".join(board.get((x, y), "1") for x in range(9)) for y in range(9, -1, -1))
    return "/".join(rows) + " " + turn


def compare(material, args):
    """Compares the answers for a material; returns how many were compared."""
    fens = [write_fen(board, turn) for board in boards(material, args.limit) for turn in "wb"]
    command = [args.juzhong, "tablebase", "probe", "--dir", args.dir, "--fens", "-"]
    command += ["--rules", args.rules, "--metric", args.metric]
    run = subprocess.run(command, input="\n".join(fens), stdout=subprocess.PIPE, text=True)
    tables, compared = Tables(args.dir, args.rules, args.metric), 0
    for fen, line in zip(fens, run.stdout.splitlines(), strict=True):
        expected = json.loads(line)
        if "error" in expected:
            if "illegal position" not in expected["error"]["message"]:
                sys.exit(f"{fen}: {expected['error']['message']}")
            continue
        found = answer(tables, fen)
        if any(found[key] != expected[key] for key in ("wdl", "order", "distance")):
            sys.exit(f"{fen}: juzhong_tables.py says {found}, juzhong {line}")
        compared += 1
    return compared


def main():
    parser = argparse.ArgumentParser(description="Compares juzhong_tables.py with juzhong.")
    parser.add_argument("--limit", type=int, default=sys.maxsize)
    parser.add_argument("--rules", default="check")
    parser.add_argument("--metric", default="dtm")
    parser.add_argument("dir")
    parser.add_argument("juzhong")
    parser.add_argument("material", nargs="*")
    args = parser.parse_args()
    files = sorted(Path(args.dir).glob(f"*.{args.rules}.{args.metric}.jzt"))
    materials = args.material or [file.name.split(".")[0] for file in files]
    compared = sum(compare(material, args) for material in materials)
    print(f"{args.dir}: {len(materials)} {args.metric} tables, {compared} positions agree")


if __name__ == "__main__":
    main()
