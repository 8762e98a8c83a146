"""Game records of every format that the library reads: `read_games` and `parse_games`."""

from juzhong._native import Game, GameReader, Variation, parse_games, read_games

__all__ = ["Game", "GameReader", "Variation", "parse_games", "read_games"]
