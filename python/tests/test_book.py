"""Opening books."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import juzhong
from juzhong import Board
from juzhong.book import BookReader, build_book, open_reader


def walk(reader: BookReader, plies: int) -> list[Board]:
    """Positions of the book on random ways from the start."""
    source, boards = random.Random(4), []
    for _ in range(50):
        board = Board()
        for _ in range(plies):
            if board not in reader:
                break
            boards.append(board.copy())
            board.push(reader.choice(board, random=source).move)
    return boards


def test_moves_of_the_start(book: Path) -> None:
    with open_reader(book) as reader:
        board = Board()
        entries = reader.find_all(board)
        assert len(entries) > 1
        assert [entry.games for entry in entries] == sorted((entry.games for entry in entries), reverse=True)
        assert sum(entry.games for entry in entries) == reader.counts["games"]
        for entry in entries:
            assert entry.move in board.legal_moves
            assert entry.red_wins + entry.draws + entry.black_wins <= entry.games
            assert entry.weight >= 0 and entry.priority == 0 and not entry.excluded
            assert entry.comment is None
            assert entry.groups == sorted(entry.groups)
        heaviest = max(entry.weight for entry in entries)
        assert reader.find(board).weight == heaviest
        best = reader.get(board)
        assert best is not None and best.move == reader.find(board).move
        others = reader.find_all(board, exclude_moves=[best.move])
        assert len(others) == len(entries) - 1
        assert all(entry.weight >= heaviest for entry in reader.find_all(board, minimum_weight=heaviest))
        reader.verify()


def test_choices_repeat_by_their_seeds(book: Path) -> None:
    with open_reader(book) as reader:
        board = Board()
        moves = {entry.move for entry in reader.find_all(board)}
        for policy in ("best", "weighted", "softmax", "uniform"):

            def drawn(policy: str = policy) -> list[juzhong.Move]:
                source = random.Random(1)
                return [reader.choice(board, policy=policy, random=source).move for _ in range(300)]

            assert drawn() == drawn()
            assert set(drawn()) <= moves
        assert {reader.choice(board).move for _ in range(300)} == moves
        weighted = {reader.weighted_choice(board, random=random.Random(seed)).move for seed in range(100)}
        assert weighted <= moves
        for wrong in ("group", "", "heaviest"):
            with pytest.raises(ValueError):
                reader.choice(board, policy=wrong)


def test_positions_out_of_the_book(book: Path) -> None:
    with open_reader(book) as reader:
        board = Board("3k5/9/9/9/9/9/9/9/R8/4K4 w")
        assert board not in reader
        assert reader.find_all(board) == []
        assert reader.get(board) is None
        assert reader.get(board, "nothing") == "nothing"
        for find in (reader.find, reader.choice, reader.weighted_choice):
            with pytest.raises(IndexError):
                find(board)
        for wrong in (None, "fen", 5):
            with pytest.raises(TypeError):
                reader.find_all(wrong)  # type: ignore[arg-type]


def test_missing_and_damaged_books(book: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_reader(tmp_path / "none")
    with pytest.raises(juzhong.UnsupportedFileError, match="a folder"):
        open_reader(tmp_path)
    with pytest.raises(TypeError):
        open_reader(None)  # type: ignore[arg-type]
    damaged = tmp_path / "damaged.book"
    whole = book.read_bytes()
    source = random.Random(2)
    contents = [whole[:length] for length in (0, 1, 16, 100, 4096, len(whole) // 2, len(whole) - 1)]
    contents += [b"x" * 5000, b"[Event \"a\"]\n\n1. h2e2 *\n"]
    for content in contents:
        damaged.write_bytes(content)
        with pytest.raises((juzhong.DamagedFileError, juzhong.UnsupportedFileError), match="damaged.book"):
            open_reader(damaged)
    with open_reader(book) as reader:
        boards = walk(reader, 12)
    for _ in range(60):
        at = source.randrange(len(whole))
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        try:
            with open_reader(damaged) as reader:
                for board in boards[:50]:
                    reader.find_all(board)
                with pytest.raises(juzhong.DamagedFileError):
                    reader.verify()
        except (juzhong.DamagedFileError, juzhong.UnsupportedFileError) as error:
            assert "damaged.book" in str(error)


def test_closed_books(book: Path) -> None:
    reader = open_reader(book)
    reader.close()
    reader.close()
    board = Board()
    for call in (
        lambda: reader.find_all(board),
        lambda: reader.find(board),
        lambda: reader.get(board),
        lambda: reader.choice(board),
        lambda: reader.verify(),
        lambda: reader.counts,
        lambda: board in reader,
    ):
        with pytest.raises(juzhong.ClosedError):
            call()
    assert "closed" in repr(reader)


def test_closing_while_others_ask(book: Path) -> None:
    for _ in range(5):
        reader = open_reader(book)
        started = threading.Barrier(5)

        def work(number: int, reader: BookReader = reader, started: threading.Barrier = started) -> bool:
            started.wait()
            try:
                while True:
                    assert reader.find_all(Board())
                    if number == 0:
                        reader.verify()
            except juzhong.ClosedError:
                return True

        with ThreadPoolExecutor(4) as pool:
            results = [pool.submit(work, number) for number in range(4)]
            started.wait()
            threading.Event().wait(0.02)
            reader.close()
            assert all(result.result() for result in results)


def test_books_are_built(tmp_path: Path) -> None:
    games, output = tmp_path / "games.pgn", tmp_path / "my.book"
    games.write_text('[Result "1-0"]\n\n1. C2=5 H8+7 1-0\n\n[Result "0-1"]\n\n1. h2e2 c6c5 0-1\n')
    assert build_book(games, output) == 2
    with open_reader(output) as reader:
        (entry,) = reader.find_all(Board())
        assert (entry.move.uci(), entry.games, entry.red_wins, entry.black_wins) == ("h2e2", 2, 1, 1)
    with pytest.raises(FileNotFoundError):
        build_book(tmp_path / "none", output)
    (tmp_path / "empty").mkdir()
    with pytest.raises(juzhong.BuildError):
        build_book(tmp_path / "empty", output)
    with pytest.raises((OSError, juzhong.BuildError)):
        build_book(games, tmp_path / "games.pgn" / "below.book")
