"""Measures how far reviews can be believed: the same games at the usual effort and at fifty times the nodes.

    python reviews.py JUZHONG COLLECTION [-n 100] [--seed 1] [-o FILE] [-- OPTIONS OF REVIEW]

draws games of a collection by the seed, reviews each of them twice, and prints

- the share of marks that stay: of the marks of the usual review, those whose move has a mark in the deep one, too;
- the share of the deep review's mistakes and blunders that have a mark in the usual one;
- marks on moves of 100 games or more of a book (`-- --book FILE`), of which there must be none;
- the time of the usual review for a game.

With -o every review is kept in a file as soon as it is there, and the same command goes on from it. What follows `--` is
for both reviews: books, tables, threads, an engine.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERIOUS = ("mistake", "blunder")
KNOWN = 100


def run(command):
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, command))}: ended with code {ended.returncode}")
    return ended.stdout


def games_of(args, folder):
    """The games of the collection that the seed draws: their numbers in it, and their lines."""
    converted = folder / "games.jsonl"
    run([args.juzhong, "convert", args.collection, "-o", converted])
    with open(converted, encoding="utf-8") as lines:
        long_enough = [n for n, line in enumerate(lines) if plies(line) >= args.plies]
    if not long_enough:
        sys.exit(f"{args.collection}: no game of at least {args.plies} plies")
    count = min(args.number, len(long_enough))
    drawn = set(random.Random(args.seed).sample(long_enough, count))
    with open(converted, encoding="utf-8") as lines:
        return [(n, line) for n, line in enumerate(lines) if n in drawn]


def plies(line):
    moves = json.loads(line).get("moves", "")
    return len(moves.split() if isinstance(moves, str) else moves)


def review(args, line, nodes, folder):
    """The answer of a review of one game, and the seconds that it took."""
    game = folder / "game.jsonl"
    game.write_text(line, encoding="utf-8")
    begun = time.monotonic()
    text = run([args.juzhong, "review", "--json", "--nodes", str(nodes), *args.options, game])
    return json.loads(text), time.monotonic() - begun


def asked(args):
    """Whatever the reviews depend on."""
    about = [Path(args.collection).name, args.seed, args.plies, args.nodes, args.factor]
    return json.dumps(about + list(args.options))


def kept(args):
    """The reviews of an earlier run of the same command, by game and nodes."""
    found = {}
    if not args.output or not Path(args.output).exists():
        return found
    whole = 0
    with open(args.output, "rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                break  # the torn end of an interrupted write
            row = json.loads(line)
            if row["asked"] != asked(args):
                sys.exit(f"{args.output}: of another measurement; name another file")
            found[row["game"], row["nodes"]] = row
            whole += len(line)
    with open(args.output, "r+b") as file:
        file.truncate(whole)
    return found


def brief(move):
    book = move.get("book") or {}
    keys = ("ply", "move", "mark", "certainty", "loss")
    return {**{key: move.get(key) for key in keys}, "games": book.get("games", 0)}


def reviews(args, folder):
    """A pair of rows for each game: the usual review and the deep one."""
    found = kept(args)
    for number, line in games_of(args, folder):
        pair = []
        for nodes in (args.nodes, args.nodes * args.factor):
            row = found.get((number, nodes))
            if row is None:
                answer, seconds = review(args, line, nodes, folder)
                moves = [brief(move) for move in answer["moves"]]
                row = {"asked": asked(args), "game": number, "nodes": nodes, "seconds": seconds, "moves": moves}
                if args.output:
                    with open(args.output, "a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
            pair.append(row)
        yield pair


def marked(row, marks=None):
    return {m["ply"]: m["mark"] for m in row["moves"] if m["mark"] and (not marks or m["mark"] in marks)}


def share(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f}%)" if whole else "")


def report(pairs):
    usual = [marked(one) for one, _ in pairs]
    deep = [marked(two) for _, two in pairs]
    serious = [marked(two, SERIOUS) for _, two in pairs]
    marks = sum(map(len, usual))
    stay = sum(ply in two for one, two in zip(usual, deep) for ply in one)
    same = sum(two.get(ply) == mark for one, two in zip(usual, deep) for ply, mark in one.items())
    found = sum(ply in one for one, two in zip(usual, serious) for ply in two)
    print(f"games                                {len(pairs)}")
    print(f"marks that stay                      {share(stay, marks)}")
    print(f"  with the same mark                 {share(same, marks)}")
    for certainty in ("proved", "stable", "likely"):
        own = [(one, m) for one, (row, _) in enumerate(pairs) for m in row["moves"]
               if m["mark"] and m["certainty"] == certainty]
        lasting = sum(m["ply"] in deep[game] for game, m in own)
        print(f"  of those that are {certainty:<17}{share(lasting, len(own))}")
    print(f"mistakes and blunders found          {share(found, sum(map(len, serious)))}")
    known = sum(bool(m["mark"]) and m["games"] >= KNOWN for pair in pairs for row in pair for m in row["moves"])
    print(f"marks on moves of {KNOWN} games or more   {known}")
    for name, index in (("usual", 0), ("deep", 1)):
        seconds = [pair[index]["seconds"] for pair in pairs]
        mean = sum(seconds) / len(seconds)
        print(f"seconds a game, {name:<20} {mean:.1f} (at most {max(seconds):.1f})")


def main():
    parser = argparse.ArgumentParser(description="Measures how far reviews can be believed.")
    parser.add_argument("juzhong")
    parser.add_argument("collection")
    parser.add_argument("-n", "--number", type=int, default=100, help="games [100]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plies", type=int, default=20, help="the shortest game that is drawn [20]")
    parser.add_argument("--nodes", type=int, default=100_000, help="nodes of the usual review [100000]")
    parser.add_argument("--factor", type=int, default=50, help="the deep review has so many times the nodes [50]")
    parser.add_argument("-o", "--output", help="keeps every review; the same command goes on from it")
    own, options = sys.argv[1:], []
    if "--" in own:
        cut = own.index("--")
        own, options = own[:cut], own[cut + 1:]
    args = parser.parse_args(own)
    args.options = options
    with tempfile.TemporaryDirectory() as folder:
        pairs = list(reviews(args, Path(folder)))
    report(pairs)


if __name__ == "__main__":
    main()
