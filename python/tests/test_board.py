"""Boards and moves."""

import copy
import pickle
import random
from collections.abc import Iterator

import pytest

import juzhong
from juzhong import Board, Move, Piece

# Each with a word of the reason.
NO_FENS = [
    ("", "empty"),
    ("startpos", "ranks"),
    ("9/9/9/9 w", "ranks"),
    ("3k5/9/9/9/9/9/9/9/9/8K1 w", "files"),
    ("3k5/9/9/9/9/9/9/9/9/3KX4 w", "no piece"),
    ("3k5/9/9/9/9/9/9/9/9/4K4 x", "side to move"),
    ("3k5/9/9/9/9/9/9/9/9/4K4 w - - -1 1", "clock"),
    ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 100000", "move number"),
    ("3k5/9/9/9/9/9/9/9/9/4K4 " + "w" * 300, "too long"),
    ("3k5/9/9/9/9/9/9/9/9/4K4 w\0", "side to move"),
    ("帅" * 10, "ranks"),
]
ILLEGAL_POSITIONS = [
    ("9/9/9/9/9/9/9/9/9/9 w", ["red has no king", "black has no king"]),
    ("3k5/9/9/9/9/9/9/9/9/3K5 w", ["the kings face each other on an open file"]),
    ("3k5/9/9/9/9/9/9/9/3R5/4K4 w", ["the side that is not to move is in check"]),
    ("3k5/9/9/9/9/9/9/9/9/RRR1K4 w", ["more than 2 'R'"]),
    ("3kk4/9/9/9/9/9/9/9/9/5K3 w", ["more than 1 'k'"]),
    ("3k5/9/9/9/9/9/9/9/9/K8 w", ["'K' can never stand on a0"]),
    ("3k5/9/9/9/9/9/9/9/9/A3K4 w", ["'A' can never stand on a0"]),
    ("3k5/9/9/9/B8/9/9/9/9/4K4 w", ["'B' can never stand on a5"]),
    ("3k5/9/9/9/9/9/9/9/P8/4K4 w", ["'P' can never stand on a1"]),
    ("3k5/9/9/9/9/P8/P8/9/9/4K4 w", ["two red pawns on one file of their own half (a3, a4)"]),
]


def random_games(count: int, plies: int) -> Iterator[Board]:
    """Yields boards in the course of games of random moves, each with its moves."""
    source = random.Random(20)
    for _ in range(count):
        board = Board()
        for _ in range(plies):
            if not board.legal_moves:
                break
            board.push(source.choice(board.legal_moves))
            yield board


def test_the_start() -> None:
    board = Board()
    assert board.fen() == juzhong.STARTING_FEN
    assert len(board.legal_moves) == board.legal_moves.count() == 44
    assert board.turn == juzhong.RED
    assert Move.from_uci("h2e2") in board.legal_moves
    assert Move.from_uci("h2h9") in board.legal_moves
    assert Move.from_uci("e0e2") not in board.legal_moves
    assert "move" not in board.legal_moves
    assert board.legal_moves[-1] == list(board.legal_moves)[-1]
    assert len(board.piece_map()) == 32
    assert board.king(juzhong.BLACK) == juzhong.parse_square("e9")
    assert board.pieces(juzhong.CANNON, juzhong.RED) == [juzhong.parse_square("b2"), juzhong.parse_square("h2")]
    assert str(board).splitlines()[0] == "r n b a k a b n r"


def test_moves_are_values() -> None:
    move = Move(juzhong.parse_square("h2"), juzhong.parse_square("e2"))
    assert move == Move.from_uci("h2e2") == Move.from_uci("H2-E2")
    assert {move: 1}[Move.from_uci("h2e2")] == 1
    assert move.uci() == str(move) == "h2e2"
    assert move.mirrored().uci() == "b2e2"
    assert move > Move.from_uci("a0a1")
    assert move != "h2e2"
    assert eval(repr(move)) == move
    assert pickle.loads(pickle.dumps(move)) == move


def test_pieces_are_values() -> None:
    for letter in "KABNRCPkabnrcp":
        piece = Piece.from_symbol(letter)
        assert piece.symbol() == str(piece) == letter
        assert piece == Piece(piece.piece_type, piece.color)
        assert pickle.loads(pickle.dumps(piece)) == piece
        assert len({piece, Piece.from_symbol(letter)}) == 1
    assert Piece(juzhong.ELEPHANT, juzhong.BLACK).symbol() == "b"


def test_every_notation_is_read_as_it_is_written() -> None:
    texts = 0
    for board in random_games(40, 80):
        for move in board.legal_moves:
            for notation in juzhong.NOTATIONS:
                assert board.parse_move(board.notate(move, notation)) == move
                texts += 1
    assert texts > 100_000


def test_fens_and_copies_are_the_same_board() -> None:
    for board in random_games(20, 120):
        fen = board.fen()
        again = Board(fen)
        assert again.fen() == fen
        assert again == board == board.copy() == copy.copy(board) == copy.deepcopy(board)
        assert again.key == board.key
        assert again.move_stack == board.copy(stack=False).move_stack == []
        restored = pickle.loads(pickle.dumps(board))
        assert restored == board
        assert restored.move_stack == board.move_stack
        assert list(again.legal_moves) == list(board.legal_moves)


def test_moves_are_taken_back() -> None:
    board = Board()
    fens = [board.fen()]
    for text in ["炮二平五", "馬８進７", "H2+3", "i9-h9"]:
        assert board.push_move(text) == board.peek()
        fens.append(board.fen())
    assert fens[-1].endswith(" w - - 4 3")
    assert board.ply() == len(board.move_stack) == 4
    assert board.root() == Board()
    for fen in reversed(fens[:-1]):
        board.pop()
        assert board.fen() == fen
    with pytest.raises(IndexError):
        board.pop()
    with pytest.raises(IndexError):
        board.peek()


def test_the_counters_of_a_start_with_black_to_move() -> None:
    board = Board("3k5/9/9/9/9/9/9/9/R8/4K4 b - - 7 30")
    assert (board.halfmove_clock, board.fullmove_number) == (7, 30)
    board.push_uci("d9d8")
    assert board.fen().endswith(" w - - 8 31")
    board.push_uci("a1a2")
    assert board.fen().endswith(" b - - 9 31")


def test_a_repetition_is_judged_at_its_third_occurrence() -> None:
    board = Board("3k5/R8/9/9/9/9/9/9/9/4K4 w")
    for text in ["a8a9", "d9d8", "a9a8", "d8d9"] * 2:
        assert board.outcome("check") is None
        board.push_uci(text)
    outcome = board.outcome("check")
    assert outcome is not None
    assert board.is_repetition()
    assert board.occurrences() == 3
    assert (outcome.termination, outcome.winner, outcome.result()) == ("perpetual check", juzhong.BLACK, "0-1")
    drawn = board.outcome("none")
    assert drawn is not None
    assert (drawn.winner, drawn.result()) == (None, "1/2-1/2")
    assert board.is_game_over()
    assert board.result() == "0-1"


def test_mate_and_stalemate_are_lost() -> None:
    mate = Board("3k4R/R8/9/9/9/9/9/9/9/4K4 b")
    assert mate.is_check() and mate.is_checkmate() and not mate.is_stalemate()
    assert mate.checkers() == [juzhong.parse_square("i9")]
    outcome = mate.outcome()
    assert outcome is not None and (outcome.termination, outcome.result()) == ("checkmate", "1-0")
    stalemate = Board("3k5/R8/9/9/9/9/9/9/9/4K4 b")
    assert stalemate.is_stalemate()
    outcome = stalemate.outcome()
    assert outcome is not None and (outcome.termination, outcome.result()) == ("stalemate", "1-0")
    assert not stalemate.legal_moves
    assert Board("3k5/9/9/9/9/9/9/9/9/4K4 w").is_insufficient_material()


@pytest.mark.parametrize(("fen", "word"), NO_FENS)
def test_what_is_no_fen(fen: str, word: str) -> None:
    with pytest.raises(juzhong.InvalidFenError, match=word):
        Board(fen)
    board = Board("3k5/9/9/9/9/9/9/9/9/4K4 b")
    with pytest.raises(ValueError, match=word):
        board.set_fen(fen)
    assert board.fen() == "3k5/9/9/9/9/9/9/9/9/4K4 b - - 0 1"


@pytest.mark.parametrize(("fen", "reasons"), ILLEGAL_POSITIONS)
def test_illegal_positions_have_their_reasons(fen: str, reasons: list[str]) -> None:
    with pytest.raises(juzhong.IllegalPositionError) as caught:
        Board(fen)
    assert list(caught.value.reasons) == reasons


def test_what_is_no_legal_move() -> None:
    board = Board()
    for text in ["", "h2", "h2h2", "j0a0", "炮", "x" * 1000, "h2e2q", "\0\0\0\0"]:
        with pytest.raises(juzhong.InvalidMoveError):
            board.parse_uci(text)
    for text in ["a0a5", "a9a8", "e4e5", "e0e9"]:
        with pytest.raises(juzhong.IllegalMoveError):
            board.push_uci(text)
        with pytest.raises(juzhong.IllegalMoveError):
            board.push(Move.from_uci(text))
        with pytest.raises(juzhong.IllegalMoveError):
            board.notate(Move.from_uci(text))
        assert not board.is_legal(Move.from_uci(text))
        assert not board.gives_check(Move.from_uci(text))
    for text in ["", "hello", "炮二平九九", "x" * 1000]:
        with pytest.raises(juzhong.InvalidMoveError):
            board.push_move(text)
    with pytest.raises(juzhong.AmbiguousMoveError):
        Board("3k5/9/9/9/9/9/R8/9/R8/4K4 w").parse_move("Ra2")
    assert board == Board()


def test_wrong_types_and_numbers() -> None:
    board = Board()
    for wrong in [None, 5, b"h2e2", object()]:
        with pytest.raises(TypeError):
            board.push(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            board.push_uci(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            Board(wrong)  # type: ignore[arg-type]
    for square in [-1, 90, 2**40]:
        with pytest.raises(ValueError):
            board.piece_at(square)
        with pytest.raises(ValueError):
            Move(square, 0)
    for bad in [0, 8, -1]:
        with pytest.raises(ValueError):
            Piece(bad, juzhong.RED)
    with pytest.raises(ValueError):
        Board("\ud800")
    with pytest.raises(ValueError):
        board.outcome("fide")
    with pytest.raises(ValueError):
        board.notate(board.legal_moves[0], "san")
    with pytest.raises(ValueError):
        Piece.from_symbol("Kk")
    with pytest.raises(IndexError):
        board.legal_moves[44]
    with pytest.raises(TypeError):
        hash(board)


def test_many_fens_are_read_as_one_is() -> None:
    fens = [board.fen() for board in random_games(60, 100)]
    assert len(fens) > 5000
    assert juzhong.parse_fens(fens) == [Board(fen) for fen in fens]
    fens[4500] = "3k5/9/9/9/9/9/9/9/9/3K5 w"
    with pytest.raises(juzhong.IllegalPositionError, match=r"^fens\[4500\]: "):
        juzhong.parse_fens(fens)
    boards = juzhong.parse_fens(fens, strict=False)
    assert [index for index, board in enumerate(boards) if board is None] == [4500]
    with pytest.raises(TypeError):
        juzhong.parse_fens([fens[0], None])  # type: ignore[list-item]


def test_squares() -> None:
    for square in juzhong.SQUARES:
        assert juzhong.parse_square(juzhong.square_name(square)) == square
        assert juzhong.square(juzhong.square_file(square), juzhong.square_rank(square)) == square
        assert juzhong.square_mirror(juzhong.square_mirror(square)) == square
    for name in ["", "a", "a10", "j0", "A0"]:
        with pytest.raises(ValueError):
            juzhong.parse_square(name)
    with pytest.raises(ValueError):
        juzhong.square(9, 0)
