"""Endgame tables."""

import itertools
import json
import random
import shutil
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType

import pytest

import juzhong
from juzhong import Board
from juzhong.tablebase import Tablebase, generate_tables, open_tablebase

ROOK_ENDING = "3k5/9/9/9/9/9/9/9/R8/4K4 w"


def positions(tablebase: Tablebase, count: int = 40) -> list[Board]:
    """Draws positions of every table, with either side to move and either colour stronger."""
    source = random.Random(7)
    found = []
    for name in tablebase.materials:
        for material in (name, "v".join(reversed(name.split("v")))):
            drawn = (tablebase.random_position(material, random=source) for _ in range(count))
            found += [board for board in drawn if board is not None]
    return found


def test_a_known_win(tables: Path) -> None:
    with open_tablebase(tables) as tablebase:
        assert (tablebase.rules, tablebase.metric) == ("check", "dtm")
        assert "KRvKN" in tablebase.materials
        board = Board(ROOK_ENDING)
        value = tablebase.probe(board)
        assert (value.wdl, value.order) == (1, 0)
        assert tablebase.probe_wdl(board) == 1
        assert tablebase.probe_dtm(board) == value.distance
        line = tablebase.best_line(board)
        assert (len(line), line.end, line.loop_start) == (value.distance, "mate", None)
        for move, best in zip(line.moves, line.values, strict=True):
            assert tablebase.probe(board) == best
            board.push(move)
        assert board.is_checkmate()
        assert tablebase.probe_dtm(board) == 0
        assert tablebase.probe_wdl(board) == -1


def test_moves_are_ranked_and_the_best_has_the_value_of_the_position(tables: Path) -> None:
    with open_tablebase(tables) as tablebase:
        for board in positions(tablebase, 10):
            ranked = tablebase.probe_root(board)
            assert sorted(move for move, _ in ranked) == sorted(board.legal_moves)
            values = [value for _, value in ranked]
            assert values == sorted(values, reverse=True)
            if ranked:
                assert values[0] == tablebase.probe(board)


def test_many_are_as_one(tables: Path) -> None:
    with open_tablebase(tables) as tablebase:
        boards = positions(tablebase)
        assert len(boards) > 500
        fens = [board.fen() for board in boards]
        values = [tablebase.probe(board) for board in boards]
        results = [tablebase.probe_wdl(board) for board in boards]
        assert {value.wdl for value in values} == {1, 0, -1}
        assert [value.wdl for value in values] == results
        assert tablebase.probe_many(fens) == tablebase.probe_many(iter(boards)) == values
        mixed = [fen if index % 2 else board for index, (fen, board) in enumerate(zip(fens, boards, strict=True))]
        assert tablebase.probe_wdl_many(mixed) == results
        assert tablebase.probe_many([]) == []


def test_values_are_ordered_by_preference(tables: Path) -> None:
    with open_tablebase(tables) as tablebase:
        values = {tablebase.probe(board) for board in positions(tablebase)}
        ordered = sorted(values)
        assert [value.wdl for value in ordered] == sorted(value.wdl for value in ordered)
        wins = [value for value in ordered if value.wdl == 1]
        assert [(value.order, value.distance) for value in wins] == sorted(
            ((value.order, value.distance) for value in wins), reverse=True
        )


def test_answers_are_those_of_the_program(tables: Path, program: str, tmp_path: Path) -> None:
    with open_tablebase(tables) as tablebase:
        boards = positions(tablebase, 12)
        fens = tmp_path / "fens"
        fens.write_text("".join(f"{board.fen()}\n" for board in boards))
        command = [program, "tablebase", "probe", "--dir", str(tables), "--rules", "check", "--json", "--fens", str(fens)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        for board, line in zip(boards, lines, strict=True):
            answer = json.loads(line)
            value = tablebase.probe(board)
            assert ({1: "win", 0: "draw", -1: "loss"}[value.wdl], value.order) == (answer["wdl"], answer["order"])
            assert value.distance == (answer["distance"] or 0)
            moves = [(move.uci(), value.order, value.distance) for move, value in tablebase.probe_root(board)]
            assert moves == [(found["move"], found["order"], found["distance"] or 0) for found in answer["moves"]]


def test_counts(tables: Path) -> None:
    with open_tablebase(tables) as tablebase:
        stats = tablebase.stats("KRvKN")
        swapped = tablebase.stats("KNvKR")
        assert (stats.material, swapped.material) == ("KRvKN", "KNvKR")
        assert stats.content == swapped.content
        assert stats.red_to_move.wins == swapped.black_to_move.wins
        for side in (stats.red_to_move, stats.black_to_move):
            assert sum(count for value, count in side.histogram if value.wdl == 1) == side.wins
            assert sum(count for value, count in side.histogram if value.wdl == -1) == side.losses
        longest = stats.red_to_move.longest_fen
        assert longest is not None
        assert tablebase.probe_dtm(Board(longest)) == stats.red_to_move.longest_win


def test_positions_by_chance(tables: Path) -> None:
    with open_tablebase(tables) as tablebase:
        for wdl in (1, 0, -1):
            drawn = [tablebase.random_position("KRvKN", wdl=wdl, random=random.Random(3)) for _ in range(2)]
            assert drawn[0] is not None and drawn[0] == drawn[1]
            assert tablebase.probe_wdl(drawn[0]) == wdl
        assert tablebase.random_position("KCvKA", wdl=1) is not None or tablebase.stats("KCvKA").red_to_move.wins == 0
        for wrong in ("KR", "KRvKX", "KKvK", "", "KRvK*", "v" * 1000):
            with pytest.raises(ValueError):
                tablebase.random_position(wrong)
            with pytest.raises(ValueError):
                tablebase.stats(wrong)
        with pytest.raises(ValueError):
            tablebase.random_position("KRvKN", wdl=2)
        with pytest.raises(juzhong.MissingTableError):
            tablebase.random_position("KRvKR")


def test_missing_tables(tables: Path, tmp_path: Path) -> None:
    with open_tablebase(tables) as tablebase:
        board = Board()
        assert board not in tablebase
        assert Board(ROOK_ENDING) in tablebase
        with pytest.raises(juzhong.MissingTableError, match=r"^no table KRRNN"):
            tablebase.probe(board)
        with pytest.raises(KeyError):
            tablebase.probe_wdl(board)
        assert [tablebase.get(board), tablebase.get_wdl(board), tablebase.get_dtm(board)] == [None] * 3
        assert tablebase.get(board, 5) == tablebase.get_wdl(board, 5) == tablebase.get_dtm(board, 5) == 5
        assert tablebase.get_wdl(Board(ROOK_ENDING), 5) == 1
        fens = [ROOK_ENDING, board.fen(), ROOK_ENDING]
        with pytest.raises(juzhong.MissingTableError):
            tablebase.probe_wdl_many(fens)
        assert tablebase.probe_wdl_many(fens, missing_is_none=True) == [1, None, 1]
    # Without the table that a capture leads to.
    (tmp_path / "part").mkdir()
    shutil.copy(tables / "KRvKN.check.dtm.jzt", tmp_path / "part")
    with open_tablebase(tmp_path / "part") as tablebase:
        capture = Board("4k4/9/9/9/9/9/9/9/R1n6/3K5 b")
        with pytest.raises(juzhong.MissingTableError, match="no table K"):
            for _ in range(200):
                drawn = tablebase.random_position("KRvKN")
                assert drawn is not None
                tablebase.probe_root(drawn)
        assert capture in tablebase
        assert tablebase.add_directory(tables) > 0
        assert tablebase.probe_wdl(capture) in (-1, 0, 1)


def test_missing_folders_and_wrong_choices(tables: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        open_tablebase(tmp_path / "none")
    assert caught.value.filename == str(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        open_tablebase([tables, tmp_path / "none"], rules="check")
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotADirectoryError):
        open_tablebase(tmp_path / "file")
    for choice in ({"rules": "chinese"}, {"rules": ""}, {"metric": "dtz"}, {"metric": "dtc0"}):
        with pytest.raises(ValueError):
            Tablebase(tables, **choice)
    for wrong in (None, 5, object()):
        with pytest.raises(TypeError):
            Tablebase(wrong)  # type: ignore[arg-type]
    with open_tablebase(tables) as tablebase:
        with pytest.raises(FileNotFoundError):
            tablebase.add_directory(tmp_path / "none")
        assert tablebase.probe_wdl(Board(ROOK_ENDING)) == 1
        for wrong in (None, ROOK_ENDING, 5):
            with pytest.raises(TypeError):
                tablebase.probe(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            tablebase.probe_many([ROOK_ENDING, 5])  # type: ignore[list-item]
        with pytest.raises(TypeError):
            tablebase.probe_many(5)  # type: ignore[call-overload]
        with pytest.raises(ValueError):
            tablebase.probe_many([ROOK_ENDING, "\ud800"])
        with pytest.raises(juzhong.InvalidFenError, match=r"^positions\[1\]: "):
            tablebase.probe_many([ROOK_ENDING, "x"])
    (tmp_path / "empty").mkdir()
    with open_tablebase(tmp_path / "empty", metric="dtc") as tablebase:
        assert tablebase.materials == []
        with pytest.raises(ValueError):
            tablebase.probe_dtm(Board(ROOK_ENDING))
        with pytest.raises(juzhong.MissingTableError):
            tablebase.probe_wdl(Board(ROOK_ENDING))


def test_damaged_tables(tables: Path, tmp_path: Path) -> None:
    """Whatever becomes of a file, an answer is right or an exception says that the file is damaged."""
    with open_tablebase(tables) as tablebase:
        boards = [board for board in positions(tablebase) if len(board.piece_map()) == 4]
        right = [tablebase.probe(board) for board in boards]
    shutil.copytree(tables, tmp_path, dirs_exist_ok=True)
    damaged = tmp_path / "KRvKN.check.dtm.jzt"
    whole = damaged.read_bytes()
    source = random.Random(9)
    flips = [source.randrange(len(whole)) for _ in range(60)]
    contents = [whole[:length] for length in (0, 1, 23, 24, 100, len(whole) // 2, len(whole) - 1)]
    contents += [whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :] for at in flips]
    contents += [b"x" * len(whole), whole + b"x", whole * 2, b"SQLite format 3\0" + whole[16:]]
    refused = 0
    for content in contents:
        damaged.write_bytes(content)
        with open_tablebase(tmp_path) as tablebase:
            for board, value in zip(boards, right, strict=True):
                try:
                    assert tablebase.probe(board) == value
                except (juzhong.DamagedFileError, juzhong.UnsupportedFileError) as error:
                    assert "KRvKN" in str(error)
                    refused += 1
    assert refused > 500


def test_closed_tables(tables: Path) -> None:
    tablebase = open_tablebase(tables)
    board = Board(ROOK_ENDING)
    tablebase.close()
    tablebase.close()
    for call in (
        lambda: tablebase.probe(board),
        lambda: tablebase.probe_wdl(board),
        lambda: tablebase.get(board),
        lambda: tablebase.probe_root(board),
        lambda: tablebase.best_line(board),
        lambda: tablebase.probe_many([ROOK_ENDING]),
        lambda: tablebase.random_position("KRvK"),
        lambda: tablebase.stats("KRvK"),
        lambda: tablebase.add_directory(tables),
        lambda: tablebase.materials,
        lambda: board in tablebase,
    ):
        with pytest.raises(juzhong.ClosedError):
            call()
    assert "check" in repr(tablebase)


def test_closing_while_others_probe(tables: Path) -> None:
    with open_tablebase(tables) as tablebase:
        fens = [board.fen() for board in positions(tablebase)] * 20
        expected = tablebase.probe_wdl_many(fens)
    for _ in range(5):
        tablebase = open_tablebase(tables)
        started = threading.Barrier(5)

        def work(tablebase: Tablebase = tablebase, started: threading.Barrier = started) -> bool:
            started.wait()
            try:
                while True:
                    assert tablebase.probe_wdl_many(fens) == expected
                    tablebase.probe(Board(ROOK_ENDING))
            except juzhong.ClosedError:
                return True

        with ThreadPoolExecutor(4) as pool:
            results = [pool.submit(work) for _ in range(4)]
            started.wait()
            threading.Event().wait(0.05)
            tablebase.close()
            assert all(result.result() for result in results)


def test_other_threads_run_during_a_batch(tables: Path) -> None:
    with open_tablebase(tables) as tablebase, ThreadPoolExecutor(1) as pool:
        fens = [board.fen() for board in positions(tablebase)] * 100
        batch = pool.submit(tablebase.probe_many, fens)
        steps = 0
        while not batch.done():
            steps += 1
        assert steps > 10
        assert len(batch.result()) == len(fens)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no such timer")
def test_a_signal_ends_long_work(tables: Path, tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def handler(number: int, frame: FrameType | None) -> None:
        raise Enough

    earlier = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(Enough):
            generate_tables(["KRCvKR"], tmp_path)
        with open_tablebase(tables) as tablebase:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(Enough):
                tablebase.probe_many(itertools.repeat(ROOK_ENDING))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def test_tables_are_generated(tmp_path: Path) -> None:
    assert generate_tables(["KCAvK"], tmp_path / "new", rules="none", threads=1) == ["KvK", "KAvK", "KCvK", "KCAvK"]
    assert open_tablebase(tmp_path / "new").rules == "none"
    for name in ("KR", "KRvK*", "x"):
        with pytest.raises(ValueError):
            generate_tables([name], tmp_path)
    with pytest.raises(ValueError):
        generate_tables(["KRvK"], tmp_path, threads=0)
    with pytest.raises(juzhong.BuildError):
        generate_tables(["KRRNNCCvKRRNNCC"], tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError):
        generate_tables(["KRvK"], tmp_path / "file" / "below")
