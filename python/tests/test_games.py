"""Game records."""

import gzip
import random
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import juzhong
from juzhong import Board
from juzhong.games import Game, parse_games, read_games

from conftest import ROOT

PGN = """[Event "A"]
[Red "许银川"]
[Result "1-0"]

1. 炮二平五 {central} 馬８進７ (1. ... c6c5 2. H2+3) 2. H2+3 R9=8 1-0

[Event "B"]
[Result "*"]

1. h2e2 h9g7 2. a0a5 *

[Event "C"]
[FEN "9/9/9/9/9/9/9/9/9/9 w"]

1. h2e2 *

[Event "D"]
[FEN "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 5 1"]

1. a1a9 0-1
"""


def test_a_game_is_what_its_file_says() -> None:
    game = parse_games(PGN)[0]
    assert game.headers == {"Event": "A", "Red": "许银川", "Result": "1-0"}
    assert (game.result, game.number, game.errors, game.note) == ("1-0", 1, [], None)
    assert [move.uci() for move in game.mainline_moves()] == ["h2e2", "h9g7", "h0g2", "i9h9"]
    assert game.notate("wxf") == ["C2=5", "H8+7", "H2+3", "R9=8"]
    assert game.notate("chinese")[1] == "马８进７"
    assert game.comments == {1: "central"}
    (variation,) = game.variations
    assert (variation.ply, [move.uci() for move in variation.moves]) == (1, ["c6c5", "h0g2"])
    assert (variation.comments, variation.variations) == ({}, [])
    assert game.board() == Board()
    assert game.final_board().move_stack == game.mainline_moves()


def test_errors_come_with_their_games() -> None:
    games = parse_games(PGN)
    assert [game.headers.get("Event") for game in games] == ["A", "B", None, "D"]
    cut, refused, last = games[1:]
    assert [move.uci() for move in cut.mainline_moves()] == ["h2e2", "h9g7"]
    (error,) = cut.errors
    assert (error.game, error.ply, error.source) == (2, 3, "<data>")
    assert "illegal" in str(error)
    (error,) = refused.errors
    assert (error.game, error.ply) == (3, None)
    assert "no king" in str(error)
    assert refused.mainline_moves() == []
    with pytest.raises(juzhong.GameError):
        raise error
    assert last.errors == []
    assert last.board().fen() == "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 5 1"
    assert last.final_board().is_check()
    with pytest.raises(ValueError):
        last.notate("san")


def summary(games: list[Game]) -> list[tuple[object, ...]]:
    return [(game.headers, game.mainline_moves(), game.result, len(game.errors)) for game in games]


def test_files_packed_files_archives_and_folders(tmp_path: Path) -> None:
    expected = summary(parse_games(PGN))
    assert summary(parse_games(PGN.encode("gb18030"))) == expected
    (tmp_path / "a.pgn").write_text(PGN)
    (tmp_path / "b.pgn.gz").write_bytes(gzip.compress(PGN.encode()))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("d/e.pgn", PGN)
    for name in ("a.pgn", "b.pgn.gz", "c.zip"):
        with read_games(tmp_path / name) as games:
            assert summary(list(games)) == expected
    assert summary(list(read_games(tmp_path))) == expected * 3
    assert summary(list(read_games([tmp_path / "a.pgn", str(tmp_path / "c.zip")]))) == expected * 2
    game = next(iter(read_games(tmp_path / "c.zip")))
    assert game.source.endswith("c.zip/d/e.pgn")
    assert game.place.startswith(game.source)


def test_many_games() -> None:
    path = ROOT / "books" / "selfplay" / "selfplay.pgn"
    games = list(read_games(path))
    assert len(games) > 100
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    for game in games:
        assert game.errors == []
        board = game.board()
        for move in game.mainline_moves():
            board.push(move)
        assert board == game.final_board()


def test_missing_and_damaged_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_games(tmp_path / "none")
    with pytest.raises(juzhong.BuildError):
        read_games(tmp_path)
    for wrong in (None, 5):
        with pytest.raises(TypeError):
            read_games(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            parse_games(wrong)  # type: ignore[arg-type]
    source = random.Random(6)
    contents = [b"", b"\0" * 100, b"hello", b"XQ" + b"\n" * 3000, gzip.compress(PGN.encode())[:-20], b"PK\3\4" + b"\xff" * 99]
    whole = PGN.encode()
    for _ in range(200):
        at, length = source.randrange(len(whole)), source.randrange(1, 9)
        contents.append(whole[:at] + source.randbytes(length) + whole[at + length :])
    path = tmp_path / "damaged"
    for content in contents:
        path.write_bytes(content)
        for game in [*read_games(path), *parse_games(content)]:
            assert isinstance(game.final_board(), Board)
            assert all(isinstance(error, juzhong.GameError) for error in game.errors)
    assert parse_games(b"hello")[0].errors


def test_readers_are_closed_and_shared(tmp_path: Path) -> None:
    path = tmp_path / "many.pgn"
    path.write_text('[Event "A"]\n\n1. h2e2 h9g7 *\n\n' * 5000)
    reader = read_games(path)
    next(reader)
    reader.close()
    reader.close()
    with pytest.raises(juzhong.ClosedError):
        next(reader)
    with read_games(path) as reader, ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda _: sum(1 for _ in reader), range(4)))
    assert sum(parts) == 5000
    for _ in range(20):
        next(read_games(path))
    with ThreadPoolExecutor(2) as pool:
        for _ in range(50):
            reader = read_games(path)
            counting = pool.submit(sum, (1 for _ in reader))
            reader.close()
            # All games were read before, or the reader says that it is closed.
            try:
                assert counting.result() == 5000
            except juzhong.ClosedError:
                pass
