#!/usr/bin/env python3
"""Reports the openings of a player: what they play with each colour, how it ends, and what others play there.

    python3 examples/python/opening_report.py PLAYER GAMES... [--plies 4] [--lines 8]

GAMES are files of any format that juzhong reads, packed or not, and folders of them. PLAYER is a part of the name in the
headers, in any case. Games that cannot be read whole, or begin elsewhere, are left out and counted.
"""

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path

import juzhong
from juzhong.book import BookReader, build_book, open_reader
from juzhong.games import Game, read_games


class Score:
    """The results of some games for one side."""

    def __init__(self) -> None:
        self.games = self.wins = self.draws = self.losses = 0

    def add(self, result: str, color: bool) -> None:
        """Counts a game; one without a known result counts as a game only."""
        self.games += 1
        self.draws += result == "1/2-1/2"
        self.wins += result == ("1-0" if color else "0-1")
        self.losses += result == ("0-1" if color else "1-0")

    def __str__(self) -> str:
        known = self.wins + self.draws + self.losses
        share = f"{(self.wins + self.draws / 2) / known:4.0%}" if known else "   -"
        return f"{self.games:5} games  +{self.wins} ={self.draws} -{self.losses}  {share}"


def colors_of(game: Game, player: str) -> list[bool]:
    """The colours that the player has in a game."""
    sides = ((juzhong.RED, ("Red", "White")), (juzhong.BLACK, ("Black",)))
    headers = game.headers
    return [color for color, names in sides if any(player in headers.get(name, "").casefold() for name in names)]


def others(book: BookReader, game: Game, ply: int) -> str:
    """What the book has where the player made the move after `ply` plies."""
    board = game.board()
    for move in game.mainline_moves()[:ply]:
        board.push(move)
    entries = book.find_all(board)[:3]
    return ", ".join(f"{board.notate(entry.move, 'chinese')} {entry.games}" for entry in entries)


def main() -> None:
    parser = argparse.ArgumentParser(description="Reports the openings of a player.")
    parser.add_argument("player")
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--plies", type=int, default=4, help="the length of an opening")
    parser.add_argument("--lines", type=int, default=8, help="openings shown with each colour")
    arguments = parser.parse_args()

    openings: dict[bool, dict[str, tuple[Score, Game]]] = {color: {} for color in juzhong.COLORS}
    totals: dict[bool, Score] = defaultdict(Score)
    faulty = elsewhere = 0
    for game in read_games(arguments.games):
        if game.errors:
            faulty += 1
            continue
        if game.board() != juzhong.Board():
            elsewhere += 1
            continue
        for color in colors_of(game, arguments.player.casefold()):
            opening = " ".join(game.notate("chinese")[: arguments.plies])
            score, _ = openings[color].setdefault(opening, (Score(), game))
            score.add(game.result, color)
            totals[color].add(game.result, color)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.book"
        build_book(arguments.games, path)
        with open_reader(path) as book:
            print(f"{arguments.player} in {book.counts['games']} different games")
            print(f"left out: {faulty} games with errors, {elsewhere} that begin elsewhere")
            for color, name in ((juzhong.RED, "Red"), (juzhong.BLACK, "Black")):
                print(f"\nWith {name}: {totals[color]}")
                ranked = sorted(openings[color].items(), key=lambda item: -item[1][0].games)
                for opening, (score, game) in ranked[: arguments.lines]:
                    own_ply = 0 if color == juzhong.RED else 1
                    print(f"{score}  {opening}")
                    print(f"{'':13}all players at ply {own_ply + 1}: {others(book, game, own_ply)}")


if __name__ == "__main__":
    main()
