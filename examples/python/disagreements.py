#!/usr/bin/env python3
"""Finds positions in which an engine and the endgame tables disagree.

    python3 examples/python/disagreements.py FOLDER KRvKN --engine juzhong uci [--positions 50] [--nodes 2000]

Draws positions of an ending and asks the engine, which speaks UCI, for a move and a score. They disagree where the move
gives away half a point or more, or where the score names the wrong side as the winner by more than --margin centipawns.
FOLDER gets the tables that are missing.
"""

import argparse
import random
import subprocess
from types import TracebackType

import juzhong
from juzhong.tablebase import generate_tables, open_tablebase

RULES = "check"
MATE = 30_000
RESULTS = {1: "win", 0: "draw", -1: "loss"}


class Engine:
    """An engine that speaks UCI."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.send("uci")
        self.lines_to("uciok")

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.send("quit")
        self.process.communicate()

    def send(self, line: str) -> None:
        """Sends a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def lines_to(self, first_word: str) -> list[str]:
        """The lines of the engine up to one that begins with a word."""
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if line.split()[:1] == [first_word]:
                return lines
        raise SystemExit("the engine has ended")

    def ask(self, board: juzhong.Board, nodes: int) -> tuple[juzhong.Move, int]:
        """The engine's move and its score for the side to move, in centipawns."""
        self.send("ucinewgame")
        self.send(f"position fen {board.fen()}")
        self.send(f"go nodes {nodes}")
        score = 0
        *infos, answer = self.lines_to("bestmove")
        for info in infos:
            words = info.split()
            if "score" in words:
                kind, number = words[words.index("score") + 1 :][:2]
                score = int(number) if kind == "cp" else MATE if int(number) > 0 else -MATE
        return board.parse_uci(answer.split()[1]), score


def main() -> None:
    parser = argparse.ArgumentParser(description="Finds positions in which an engine and endgame tables disagree.")
    parser.add_argument("folder")
    parser.add_argument("material", help="the pieces of both sides, such as KRvKN")
    parser.add_argument("--engine", nargs="+", required=True, metavar="WORD", help="the command of the engine")
    parser.add_argument("--positions", type=int, default=50)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--margin", type=int, default=200, help="centipawns that name a winner")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    generate_tables([arguments.material], arguments.folder, rules=RULES)
    source = random.Random(arguments.seed)
    asked = found = 0
    with open_tablebase(arguments.folder, rules=RULES) as tablebase, Engine(arguments.engine) as engine:
        for _ in range(arguments.positions):
            board = tablebase.random_position(arguments.material, random=source)
            if board is None or not board.legal_moves:
                continue
            asked += 1
            move, score = engine.ask(board, arguments.nodes)
            ranked = tablebase.probe_root(board)
            best, value = ranked[0]
            after = dict(ranked)[move].wdl
            named = (score > arguments.margin) - (score < -arguments.margin)
            if after < value.wdl or named * value.wdl < 0 or (named and value.wdl == 0):
                found += 1
                print(board.fen())
                print(f"  tables: {RESULTS[value.wdl]}, {best} {board.notate(best, 'chinese')}, {value}")
                print(f"  engine: {move} {board.notate(move, 'chinese')}, which gives a {RESULTS[after]}; score {score}")
    print(f"{arguments.material}: {found} disagreements in {asked} positions at {arguments.nodes} nodes")


if __name__ == "__main__":
    main()
