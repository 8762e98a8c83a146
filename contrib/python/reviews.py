"""Measures how far reviews can be believed: the same games at the usual effort and at fifty times the nodes.

    python reviews.py JUZHONG COLLECTION [-n 100] [--seed 1] [--sample K] [-o FILE] [-- OPTIONS OF REVIEW]

draws games of a collection by the seed, reviews each of them twice, and prints

- the share of marks that stay: of the marks of the usual review, those whose move has a mark in the deep one, too;
- the share of the deep review's mistakes and blunders that have a mark in the usual one;
- marks on moves of 100 games or more of a book (`-- --book FILE`), of which there must be none;
- the time of the usual review for a game.

A deep review of a game takes some fifty times as long. With --sample K only the moves that have a mark in the usual
review and K others of each game, drawn by the seed, are reviewed deeply, each as a game of one move from its position, or
from where its position came up first if it is repeated there; what the others have missed is then an estimate.

With -o every review is kept in a file as soon as it is there, and the same command goes on from it. Ctrl-C reports on the
games so far. What follows `--` is for both reviews: books, tables, threads, an engine.
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
    effort = ["--effort", str(args.deep_effort)] if nodes > args.nodes and args.deep_effort is not None else []
    begun = time.monotonic()
    text = run([args.juzhong, "review", "--json", "--nodes", str(nodes), *effort, *args.options, game])
    return json.loads(text), time.monotonic() - begun


def row_of(args, number, line, nodes, folder):
    """A review of one game as it is kept."""
    answer, seconds = review(args, line, nodes, folder)
    moves = [brief(move) for move in answer["moves"]]
    return {"asked": asked(args), "game": number, "nodes": nodes, "seconds": seconds, "moves": moves}


def sample_of(args, number, line, usual, folder):
    """The deep reviews of the marked moves of a game and of some others, as one row. A move that was not drawn is absent."""
    draw = random.Random(f"{args.seed} {number}")
    others = [m["ply"] for m in usual["moves"] if not m["mark"]]
    plies = set(marked(usual)) | set(draw.sample(others, min(args.sample, len(others))))
    whole = json.loads(line)
    moves = whole["moves"].split()
    boards = boards_of(args, whole, moves, max(plies, default=0))
    row = {"asked": asked(args), "game": number, "nodes": args.nodes * args.factor, "seconds": 0, "moves": []}
    for ply in sorted(plies):
        first = next(at for at, board in enumerate(boards[:ply]) if board in boards[ply - 1:ply + 1])
        one = json.dumps({"start": f"{boards[first]} - - 0 1", "moves": " ".join(moves[first:ply]), "result": "*"})
        deep = row_of(args, number, one, args.nodes * args.factor, folder)
        row["seconds"] += deep["seconds"]
        row["moves"] += [{**move, "ply": ply} for move in deep["moves"][-1:]]
    return row


def boards_of(args, game, moves, count):
    """The board and the side to move before each of so many moves, and after the last."""
    start = game.get("start") or game.get("fen") or "startpos"
    found = []
    for ply in range(count + 1):
        answer = run([args.juzhong, "position", "--json", "--fen", start, "--moves", " ".join(moves[:ply])])
        found.append(" ".join(json.loads(answer)["fen"].split()[:2]))
    return found


def asked(args):
    """Whatever the reviews depend on."""
    about = [Path(args.collection).name, args.seed, args.plies, args.nodes, args.factor, args.sample, args.deep_effort]
    about.append("with repeated positions")
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
                if args.sample is not None and pair:
                    row = sample_of(args, number, line, pair[0], folder)
                else:
                    row = row_of(args, number, line, nodes, folder)
                if args.output:
                    with open(args.output, "a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
            pair.append(row)
        yield pair


def marked(row, marks=None):
    return {m["ply"]: m["mark"] for m in row["moves"] if m["mark"] and (not marks or m["mark"] in marks)}


def share(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f}%)" if whole else "")


def serious_of(usual, deep, has_mark):
    """The mistakes and blunders of the deep review of a game. Each that was drawn among moves without a mark stands for
    as many as were not drawn."""
    others = len(usual["moves"]) - len(has_mark)
    drawn = [m for m in deep["moves"] if m["ply"] not in has_mark]
    serious = sum(m["mark"] in SERIOUS for m in drawn)
    return len(marked(deep, SERIOUS)) - serious + (serious * others / len(drawn) if drawn else 0)


def report(pairs):
    usual = [marked(one) for one, _ in pairs]
    deep = [marked(two) for _, two in pairs]
    serious = [marked(two, SERIOUS) for _, two in pairs]
    marks = sum(map(len, usual))
    stay = sum(ply in two for one, two in zip(usual, deep) for ply in one)
    same = sum(two.get(ply) == mark for one, two in zip(usual, deep) for ply, mark in one.items())
    found = sum(ply in one for one, two in zip(usual, serious) for ply in two)
    total = round(sum(serious_of(one, two, mark) for (one, two), mark in zip(pairs, usual)))
    print(f"games                                {len(pairs)}")
    print(f"marks that stay                      {share(stay, marks)}")
    print(f"  with the same mark                 {share(same, marks)}")
    for certainty in ("proved", "stable", "likely"):
        own = [(one, m) for one, (row, _) in enumerate(pairs) for m in row["moves"]
               if m["mark"] and m["certainty"] == certainty]
        lasting = sum(m["ply"] in deep[game] for game, m in own)
        print(f"  of those that are {certainty:<17}{share(lasting, len(own))}")
    print(f"mistakes and blunders found          {share(found, total)}")
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
    parser.add_argument("--sample", type=int, help="review deeply the marked moves alone, and so many others of a game")
    parser.add_argument("--deep-effort", type=int, help="--effort of the deep reviews [that of the usual ones]")
    parser.add_argument("-o", "--output", help="keeps every review; the same command goes on from it")
    own, options = sys.argv[1:], []
    if "--" in own:
        cut = own.index("--")
        own, options = own[:cut], own[cut + 1:]
    args = parser.parse_args(own)
    args.options = options
    with tempfile.TemporaryDirectory() as folder:
        pairs = []
        try:
            pairs.extend(reviews(args, Path(folder)))
        except KeyboardInterrupt:
            print("interrupted: of the games so far", file=sys.stderr)
    if pairs:
        report(pairs)


if __name__ == "__main__":
    main()
