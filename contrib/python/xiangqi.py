"""Xiangqi positions and their moves, as far as a reader of endgame tables needs them.

A position is its men by square, capitals for Red, and whether Red is to move. Square (0, 0) is a0.
"""

STRAIGHT, DIAGONAL = ((1, 0), (-1, 0), (0, 1), (0, -1)), ((1, 1), (1, -1), (-1, 1), (-1, -1))
ELEPHANT_POINTS = (2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)


def read_fen(fen):
    rows, turn = fen.translate(str.maketrans("HhEe", "NnBb")).split()[:2]
    board = {}
    for y, row in zip(range(9, -1, -1), rows.split("/")):
        row = "".join("." * int(c) if c.isdigit() else c for c in row)
        board |= {(x, y): c for x, c in enumerate(row) if c != "."}
    return board, turn != "b"


def can_stand(man, x, y):
    """Whether a man can ever stand on a square."""
    y, palace = y if man.isupper() else 9 - y, 3 <= x <= 5
    match man.upper():
        case "K":
            return palace and 0 <= y <= 2
        case "A":
            return palace and 0 <= y <= 2 and (x + y) % 2 == 1
        case "B":
            return (x, y) in ELEPHANT_POINTS
        case "P":
            return y >= 5 or y >= 3 and x % 2 == 0
    return True


def exchanged(board):
    """The colours exchanged, the ranks turned."""
    return {(x, 9 - y): man.swapcase() for (x, y), man in board.items()}


def red_moves(board):
    """The (from, to) of Red's moves, legal or not; captures of the king show who is in check."""
    for (x, y), man in board.items():
        to = []
        if man in "RCK":  # Kings see each other along a file.
            for dx, dy in STRAIGHT:
                line = [(x + i * dx, y + i * dy) for i in range(1, 10)]
                line = [s for s in line if 0 <= s[0] <= 8 and 0 <= s[1] <= 9]
                met = [s for s in line if s in board]
                sees_king = man == "K" and dx == 0 and met and board[met[0]] == "k"
                to += met[1:2] if man == "C" else met[:1] if man == "R" or sees_king else []
                if man != "K":
                    to += line[: line.index(met[0]) if met else None]
        if man in "KA":
            steps = STRAIGHT if man == "K" else DIAGONAL
            to += [(x + dx, y + dy) for dx, dy in steps if can_stand(man, x + dx, y + dy)]
        elif man == "B":
            free = [(dx, dy) for dx, dy in DIAGONAL if (x + dx, y + dy) not in board]
            to = [(x + 2 * dx, y + 2 * dy) for dx, dy in free if 0 <= y + 2 * dy < 5]
        elif man == "N":
            free = [(dx, dy) for dx, dy in STRAIGHT if (x + dx, y + dy) not in board]
            to = [(x + 2 * dx + s * dy, y + 2 * dy + s * dx) for dx, dy in free for s in (1, -1)]
        elif man == "P":
            to = [(x, y + 1)] + [(x - 1, y), (x + 1, y)] * (y >= 5)
        on_board = (s for s in to if 0 <= s[0] <= 8 and 0 <= s[1] <= 9)
        yield from (((x, y), s) for s in on_board if board.get(s, "r").islower())


def in_check(board, red):
    """Whether the king of this side is attacked, or sees the other."""
    other = exchanged(board) if red else board
    return any(other.get(to) == "k" for _, to in red_moves(other))


def boards_after(board, red, captures_only):
    """The boards after legal moves, and whether each was a capture."""
    own = board if red else exchanged(board)
    for start, end in red_moves(own):
        is_capture = end in own
        if captures_only and not is_capture:
            continue
        after = {s: m for s, m in own.items() if s != start} | {end: own[start]}
        if not in_check(after, True):
            yield after if red else exchanged(after), is_capture
