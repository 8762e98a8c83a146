"""Compares juzhong_tables.py with `juzhong tablebase probe` on positions of a folder's tables.

    python compare.py [--limit N] [--rules asian] [--metric dtm] DIR JUZHONG [MATERIAL ...]

takes all positions of each table, with both sides to move, or about N of them, evenly spread.
Ends with code 1 at the first difference. Positions that juzhong calls illegal are left out.
Without --limit, and with the package blake3, the content hashes are computed, too.
"""

import argparse
import json
import struct
import subprocess
import sys
from itertools import combinations, islice, product
from math import comb, prod
from pathlib import Path

from juzhong_tables import Table, Tables, answer
from xiangqi import can_stand

try:
    from blake3 import blake3
except ImportError:
    blake3 = None


def boards(material, limit):
    """The placements of a material's men, or evenly spread ones; None where men overlap."""
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
        yield board if len(board) == len(men) else None


def write_fen(board, turn):
    rows = ("".join(board.get((x, y), "1") for x in range(9)) for y in range(9, -1, -1))
    return "/".join(rows) + " " + turn


def content_hash(values):
    """Of the answers for all placements, None for illegal ones."""
    pairs = {(v["order"], v["distance"]) for v in values if v and v["wdl"] != "draw"}
    number = {pair: 1 + i for i, pair in enumerate(sorted(pairs))}
    sign = {"loss": -1, "draw": 0, "win": 1}
    numbers = (
        sign[v["wdl"]] * number.get((v["order"], v["distance"]), 0) if v else -32768 for v in values
    )
    hasher = blake3(struct.pack("<I", len(pairs)))
    hasher.update(b"".join(struct.pack("<2H", *pair) for pair in sorted(pairs)))
    return hasher.update(b"".join(struct.pack("<h", n) for n in numbers)).digest()


def compare(material, args):
    """Compares the answers for a material; returns how many were compared."""
    placements = list(boards(material, args.limit))
    fens = [board and write_fen(board, turn) for turn in "wb" for board in placements]
    command = [args.juzhong, "tablebase", "probe", "--dir", args.dir, "--fens", "-"]
    command += ["--rules", args.rules, "--metric", args.metric]
    asked = "\n".join(filter(None, fens))
    run = subprocess.run(command, input=asked, stdout=subprocess.PIPE, text=True)
    lines = iter(run.stdout.splitlines())
    tables, values = Tables(args.dir, args.rules, args.metric), []
    for fen in fens:
        line = next(lines) if fen else '{"error": {"message": "illegal position"}}'
        expected, found = json.loads(line), None
        if "error" not in expected:
            found = answer(tables, fen)
            if any(found[key] != expected[key] for key in ("wdl", "order", "distance")):
                sys.exit(f"{fen}: juzhong_tables.py says {found}, juzhong {line}")
        elif "illegal position" not in expected["error"]["message"]:
            sys.exit(f"{fen}: {expected['error']['message']}")
        values.append(found)
    if blake3 and args.limit == sys.maxsize:
        path = Path(args.dir, f"{material}.{args.rules}.{args.metric}.jzt")
        if content_hash(values) != Table(path).content:
            sys.exit(f"{path}: the content hash is another")
    return sum(value is not None for value in values)


def main():
    parser = argparse.ArgumentParser(description="Compares juzhong_tables.py with juzhong.")
    parser.add_argument("--limit", type=int, default=sys.maxsize)
    parser.add_argument("--rules", default="asian")
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
