//! Properties of the rules of xiangqi, against rules coded once more in the plainest way, and the
//! refusal of everything that is no position.

use juzhong::game::{Game, MoveList, Packed, Side, Symmetric};
use juzhong::hash::KeyTable;
use juzhong::hash::xiangqi as keys;
use juzhong::xiangqi::{
    Bitboard, FenError, Move, Piece, Position, Role, Setup, SetupError, SetupErrors, Square,
    can_stand,
};
use proptest::prelude::*;

type Board = [Option<Piece>; 90];

/// The rules, square by square.
mod plain {
    use super::{Board, Piece, Role, Side};

    fn at(board: &Board, file: i32, rank: i32) -> Option<Piece> {
        board[usize::try_from(rank * 9 + file).unwrap()]
    }

    fn coordinates(square: usize) -> (i32, i32) {
        let square = i32::try_from(square).unwrap();
        (square % 9, square / 9)
    }

    /// Men strictly between two squares of one line.
    fn men_between(board: &Board, (x, y): (i32, i32), (to_x, to_y): (i32, i32)) -> usize {
        let (step_x, step_y) = ((to_x - x).signum(), (to_y - y).signum());
        let steps = (to_x - x).abs().max((to_y - y).abs());
        (1..steps).filter(|i| at(board, x + i * step_x, y + i * step_y).is_some()).count()
    }

    /// Returns true if the man on `from` moves to `to`, the safety of kings apart.
    pub(crate) fn moves(board: &Board, from: usize, to: usize) -> bool {
        let Some(piece) = board[from] else { return false };
        let target = board[to];
        if from == to || target.is_some_and(|t| t.side() == piece.side()) {
            return false;
        }
        let ((x, y), (to_x, to_y)) = (coordinates(from), coordinates(to));
        let (dx, dy) = (to_x - x, to_y - y);
        let (wide, high) = (dx.abs(), dy.abs());
        let is_red = piece.side() == Side::First;
        let in_palace = (3..=5).contains(&to_x) && if is_red { to_y <= 2 } else { to_y >= 7 };
        let is_line = wide == 0 || high == 0;
        let between = || men_between(board, (x, y), (to_x, to_y));
        match piece.role() {
            Role::King => in_palace && wide + high == 1,
            Role::Advisor => in_palace && wide == 1 && high == 1,
            Role::Elephant => {
                let own_half = if is_red { to_y <= 4 } else { to_y >= 5 };
                let eye_open = || at(board, x + dx / 2, y + dy / 2).is_none();
                own_half && wide == 2 && high == 2 && eye_open()
            }
            Role::Horse => {
                let leg_open = || at(board, x + dx / 2, y + dy / 2).is_none();
                wide * high == 2 && leg_open()
            }
            Role::Rook => is_line && between() == 0,
            Role::Cannon => is_line && between() == usize::from(target.is_some()),
            Role::Pawn => {
                let across = if is_red { y >= 5 } else { y <= 4 };
                let ahead = if is_red { dy == 1 } else { dy == -1 };
                wide == 0 && ahead || across && wide == 1 && high == 0
            }
        }
    }

    /// Returns true if the king of `side` can be captured; a facing king takes it along the file.
    pub(crate) fn is_king_attacked(board: &Board, side: Side) -> bool {
        let find = |side| {
            let king = Some(Piece::new(side, Role::King));
            board.iter().position(|&p| p == king).unwrap()
        };
        let (king, other) = (find(side), find(!side));
        let facing =
            king % 9 == other % 9 && men_between(board, coordinates(king), coordinates(other)) == 0;
        facing
            || (0..90).any(|from| {
                board[from].is_some_and(|p| p.side() != side) && moves(board, from, king)
            })
    }

    /// The board after a move.
    pub(crate) fn after(board: &Board, from: usize, to: usize) -> Board {
        let mut after = *board;
        after[to] = after[from].take();
        after
    }

    pub(crate) fn is_legal(board: &Board, turn: Side, from: usize, to: usize) -> bool {
        board[from].is_some_and(|p| p.side() == turn)
            && moves(board, from, to)
            && !is_king_attacked(&after(board, from, to), turn)
    }
}

fn square(index: usize) -> Square {
    Square::new(u8::try_from(index).unwrap()).unwrap()
}

fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.to_vec()
}

/// A setup of the kings and some of the men that `choices` name, each on a point where it can
/// stand.
fn arrange(kings: (usize, usize), choices: &[(usize, usize)], turn: Side) -> Setup {
    let mut setup = Setup::empty();
    setup.turn = turn;
    let mut counts = [0; Piece::COUNT];
    let mut place = |piece: Piece, choice: usize| {
        let free: Vec<Square> = Square::all()
            .filter(|&s| can_stand(piece, s) && setup.board[s.index()].is_none())
            .collect();
        counts[piece.index()] += 1;
        if counts[piece.index()] <= piece.role().full_count() && !free.is_empty() {
            setup.board[free[choice % free.len()].index()] = Some(piece);
        }
    };
    place(Piece::RedKing, kings.0);
    place(Piece::BlackKing, kings.1);
    for &(piece, choice) in choices {
        place(Piece::ALL[piece % Piece::COUNT], choice);
    }
    setup
}

/// Legal positions with any men anywhere.
fn arranged() -> impl Strategy<Value = Position> {
    let men = prop::collection::vec((0..14_usize, 0..90_usize), 0..24);
    ((0..9_usize, 0..9_usize), men, any::<bool>()).prop_filter_map(
        "illegal",
        |(kings, men, red)| {
            let turn = if red { Side::First } else { Side::Second };
            let mut setup = arrange(kings, &men, turn);
            Position::from_setup(&setup)
                .or_else(|_| {
                    setup.turn = !turn;
                    Position::from_setup(&setup)
                })
                .ok()
        },
    )
}

/// Positions reached by any moves from the start.
fn played() -> impl Strategy<Value = Position> {
    prop::collection::vec(any::<u16>(), 0..150).prop_map(|choices| {
        let mut position = Position::start();
        for choice in choices {
            let moves = legal_moves(&position);
            let Some(&mv) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
            position.make(mv);
        }
        position
    })
}

fn positions() -> impl Strategy<Value = Position> {
    prop_oneof![arranged(), played()]
}

fn mirrored(position: &Position) -> Position {
    let setup = position.to_setup();
    let mut mirror = setup.clone();
    for s in Square::all() {
        mirror.board[s.mirrored().index()] = setup.board[s.index()];
    }
    Position::from_setup(&mirror).unwrap()
}

proptest! {
    /// All 90 × 90 moves, one by one.
    #[test]
    fn legal_moves_are_those_of_the_plain_rules(position in positions()) {
        let setup = position.to_setup();
        let mut expected = Vec::new();
        for from in 0..90 {
            for to in (0..90).filter(|&to| to != from) {
                let mv = Move::new(square(from), square(to));
                let legal = plain::is_legal(&setup.board, setup.turn, from, to);
                prop_assert_eq!(position.is_legal(mv), legal, "{} in {}", mv, position.to_fen());
                if legal {
                    expected.push(mv);
                }
            }
        }
        let mut moves = legal_moves(&position);
        moves.sort();
        prop_assert_eq!(&moves, &expected, "{}", position.to_fen());
        prop_assert_eq!(position.count_legal_moves(), expected.len() as u64);
        prop_assert_eq!(position.has_legal_move(), !expected.is_empty());
        prop_assert_eq!(position.outcome().is_some(), expected.is_empty());

        let mut captures = MoveList::new();
        position.append_captures(&mut captures);
        let mut captures = captures.to_vec();
        captures.sort();
        expected.retain(|mv| setup.board[mv.to().index()].is_some());
        prop_assert_eq!(captures, expected);
    }

    /// Checks, and who gives them.
    #[test]
    fn checks_are_those_of_the_plain_rules(position in positions()) {
        let board = position.to_setup().board;
        let turn = position.turn();
        prop_assert_eq!(position.in_check(), plain::is_king_attacked(&board, turn));
        prop_assert_eq!(position.in_check(), !position.checkers().is_empty());
        for target in Square::all().filter(|s| position.piece_at(*s).is_some_and(|p| p.side() == turn)) {
            let attackers: Bitboard = (0..90)
                .filter(|&from| board[from].is_some_and(|p| p.side() != turn))
                .filter(|&from| plain::moves(&board, from, target.index()))
                .map(square)
                .collect();
            prop_assert_eq!(position.attackers(!turn, target), attackers, "{} in {}", target, position.to_fen());
        }
    }

    #[test]
    fn taking_back_restores_everything(position in positions()) {
        let mut played = position.clone();
        for mv in legal_moves(&position) {
            let captured = position.piece_at(mv.to());
            let gives_check = position.gives_check(mv);
            let undo = played.make(mv);
            prop_assert_eq!(undo.captured(), captured);
            prop_assert_eq!(gives_check, played.in_check(), "{} in {}", mv, position.to_fen());
            // Keys, kings and bitboards kept up are those made from scratch, and the position
            // after a legal move is a legal one.
            let scratch = Position::from_setup(&played.to_setup());
            prop_assert_eq!(scratch.as_ref(), Ok(&played));
            played.unmake(mv, undo);
            prop_assert_eq!(&played, &position);
        }
    }

    #[test]
    fn passing_and_back_restores_everything(position in positions()) {
        let mut passed = position.clone();
        let undo = passed.pass();
        prop_assert_eq!(passed.turn(), !position.turn());
        passed.unpass(undo);
        prop_assert_eq!(passed, position);
    }

    /// The material key depends on the men alone.
    #[test]
    fn material_key_is_that_of_the_material(position in positions()) {
        let mut key = 0;
        for (side, counts) in [(Side::First, position.material().first), (Side::Second, position.material().second)] {
            for role in Role::ALL {
                let words = &keys::KEYS.material[Piece::new(side, role).index()];
                key = words[..usize::from(counts[role.index()])].iter().fold(key, |key, word| key ^ word);
            }
        }
        prop_assert_eq!(position.material_key().0, key);
    }

    /// Un-moves find every quiet legal move, and every un-move to a legal position is one.
    #[test]
    fn unmoves_are_quiet_moves_turned_around(position in positions()) {
        let unmoves = |position: &Position| {
            let mut found = Vec::new();
            position.for_each_unmove(|to, origins| {
                found.extend(origins.into_iter().map(|from| Move::new(from, to)));
            });
            found
        };
        for mv in legal_moves(&position) {
            if position.piece_at(mv.to()).is_none() {
                let mut after = position.clone();
                after.make(mv);
                prop_assert!(unmoves(&after).contains(&mv), "{} in {}", mv, position.to_fen());
            }
        }
        for mv in unmoves(&position) {
            let mut setup = position.to_setup();
            setup.turn = !setup.turn;
            setup.board[mv.from().index()] = setup.board[mv.to().index()].take();
            if let Ok(before) = Position::from_setup(&setup) {
                prop_assert!(before.is_legal(mv), "{} to {}", mv, position.to_fen());
                let mut after = before.clone();
                after.make(mv);
                prop_assert_eq!(&after, &position);
            }
        }
    }

    #[test]
    fn fen_round_trips(position in positions(), clock in 0..=99_999_u32, number in 1..=99_999_u32) {
        let read = Position::from_fen(&position.to_fen());
        prop_assert_eq!(read.as_ref(), Ok(&position));
        let setup = Setup { halfmove_clock: clock, fullmoves: number, ..position.to_setup() };
        prop_assert_eq!(Setup::from_fen(&setup.to_fen()), Ok(setup));
    }

    #[test]
    fn moves_pack(bits in any::<u16>(), text in "[a-i][0-9]-?[a-i][0-9]") {
        if let Some(mv) = Move::unpack(bits) {
            prop_assert_eq!(mv.pack(), bits);
            prop_assert_eq!(Move::parse(&mv.to_string()), Some(mv));
        }
        if let Some(mv) = Move::parse(&text) {
            prop_assert_eq!(Move::unpack(mv.pack()), Some(mv));
            prop_assert_eq!(mv.to_string(), text.replace('-', ""));
        }
        prop_assert_eq!(Move::unpack(u16::MAX), None);
    }

    #[test]
    fn mirrored_keys_are_keys_of_the_mirror_image(position in positions()) {
        let mirror = mirrored(&position);
        prop_assert_eq!(position.symmetric_key(1, None), mirror.key());
        prop_assert_eq!(position.symmetric_key(0, None), position.key());
        prop_assert_eq!(position.symmetric_key(1, None), mirror.key());
        prop_assert_eq!(position.material_key(), mirror.material_key());
        let stored = KeyTable::from_bytes(keys::FILE).unwrap();
        let other = KeyTable::draw("xiangqi", [7; 32], 0, keys::LEN);
        prop_assert_eq!(position.symmetric_key(0, Some(&stored)), position.key());
        prop_assert_eq!(position.symmetric_key(1, Some(&stored)), mirror.key());
        prop_assert_eq!(position.symmetric_key(1, Some(&other)), mirror.symmetric_key(0, Some(&other)));
    }

    /// A position and its mirror image are one to a book: key, moves, and the way back.
    #[test]
    fn canonical_forms_agree(position in positions()) {
        let mirror = mirrored(&position);
        let (here, there) = (position.canonical(), mirror.canonical());
        prop_assert_eq!(here.key, there.key);
        prop_assert_eq!(here.by == 3, mirror == position);
        for mv in legal_moves(&position) {
            let canonical = position.canonical_move(here, mv);
            prop_assert_eq!(mirror.canonical_move(there, mv.mirrored()), canonical);
            let played = position.played_move(here, canonical);
            prop_assert!(position.is_legal(played));
            prop_assert_eq!(position.canonical_move(here, played), canonical);
        }
    }

    /// Whatever the bytes, an answer and no panic.
    #[test]
    fn hostile_text_is_no_position(text in ".{0,300}") {
        prop_assert!(Position::from_fen(&text).is_err());
        let _: Option<Move> = Move::parse(&text);
    }

    /// The same, closer to what is accepted; what is accepted is written back the same way.
    #[test]
    fn nearly_right_text_is_refused_or_read(text in "[1-9kabnrcpKABNRCPxé/ ]{60,100}( [wbx]( - - -?[0-9]{1,12} [0-9]{1,6})?)?") {
        if let Ok(setup) = Setup::from_fen(&text) {
            prop_assert_eq!(Setup::from_fen(&setup.to_fen()), Ok(setup));
        }
    }

    /// One byte of a right text changed.
    #[test]
    fn damaged_text_is_refused_or_read(position in positions(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = position.to_fen().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = Position::from_fen(&String::from_utf8_lossy(&bytes)) {
            prop_assert_eq!(Position::from_fen(&read.to_fen()), Ok(read));
        }
    }
}

fn refusal(fen: &str) -> FenError {
    Position::from_fen(fen).expect_err(fen)
}

#[test]
fn each_malformed_fen_has_its_own_error() {
    assert_eq!(refusal(""), FenError::Empty);
    assert_eq!(refusal(" \t"), FenError::Empty);
    assert_eq!(refusal("9/9/9 w"), FenError::RankCount(3));
    assert_eq!(refusal("4k4/9/9/9/9/9/9/9/9/9/4K4 w"), FenError::RankCount(11));
    let rank_length =
        |rank, files, text: &str| FenError::RankLength { rank, files, text: text.into() };
    assert_eq!(refusal("4k4/9/9/8/9/9/9/9/9/3K5 w"), rank_length(6, 8, "8"));
    assert_eq!(refusal("4k4/9/9/9/9/9/9/9/9/3K6 w"), rank_length(0, 10, "3K6"));
    assert_eq!(refusal("4k4/9/9/9//9/9/9/9/3K5 w"), rank_length(5, 0, ""));
    assert_eq!(refusal("4k4/9/9/9/9/9/9/9/9x/3K5 w"), FenError::Letter { rank: 1, letter: 'x' });
    assert_eq!(refusal("4k4/9/9/9/9/9/9/90/9/3K5 w"), FenError::Letter { rank: 2, letter: '0' });
    assert_eq!(refusal("4k4/9/9/9/9/9/9/9/9/3K5 x"), FenError::Turn("x".into()));
    assert!(matches!(refusal("4k4/9/9/9/9/9/9/9/9/3K5 w - - -1 1"), FenError::Counter { .. }));
    assert!(matches!(refusal("4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 100000"), FenError::Counter { .. }));
    let long = format!("4k4/9/9/9/9/9/9/9/9/3K5 w{}", " ".repeat(300));
    assert_eq!(refusal(&long), FenError::TooLong(long.len()));
    assert_eq!(refusal(&"9".repeat(1 << 20)), FenError::TooLong(1 << 20));
}

#[test]
fn fens_are_read_as_they_stand_elsewhere() {
    let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    let expected = Setup::from_fen(&format!("{board} b - - 7 9")).unwrap();
    for text in [
        format!("{board}[] b - - 7 9"),
        format!("{board}[]_b_-_-_7_9"),
        format!("{board}[-] b - - 7 9"),
        format!("{board}%5B%5D%20b%20-%20-%207%209"),
        format!("'{board} b - - 7 9'"),
        format!("{board} black - - 7 9"),
        format!("https://www.pychess.org/analysis/xiangqi?fen={board}[]_b_-_-_7_9"),
        format!("https://example.org/?a=1&fen={}%20b%20-%20-%207%209#x", board.replace('/', "%2f")),
        format!(
            "{} b - - 7 9",
            board.replace('n', "h").replace('N', "H").replace('b', "e").replace('B', "E")
        ),
    ] {
        let read = Setup::from_fen(&text).map_err(|error| format!("{text}: {error}"));
        assert_eq!(read, Ok(expected.clone()), "{text}");
    }
    assert_eq!(refusal(&format!("{board}[Pn] w")), FenError::Pocket("Pn".into()));
    assert!(matches!(refusal("https://example.org/?fen="), FenError::Empty));
    assert!(matches!(refusal("https://example.org/play"), FenError::RankCount(_)));
}

fn reasons(fen: &str) -> Vec<SetupError> {
    match refusal(fen) {
        FenError::Illegal(SetupErrors(reasons)) => reasons,
        other => panic!("{fen}: {other}"),
    }
}

#[test]
fn each_illegal_position_has_its_reason() {
    use SetupError::{
        DoubledPawns, ImpossibleSquare, KingsFacing, MissingKing, OpponentInCheck, TooMany,
    };
    let square = |text| Square::parse(text).unwrap();
    let pawns = |side, a, b| DoubledPawns(side, square(a), square(b));
    let table = [
        ("9/9/9/9/9/9/9/9/9/3K5 w", vec![MissingKing(Side::Second)]),
        ("9/9/9/9/9/9/9/9/9/9 w", vec![MissingKing(Side::First), MissingKing(Side::Second)]),
        ("3k5/9/9/9/9/9/9/9/4K4/4K4 w", vec![TooMany(Piece::RedKing)]),
        ("3k5/4k4/9/9/9/9/9/9/9/5K3 w", vec![TooMany(Piece::BlackKing)]),
        ("3k5/9/9/9/9/9/9/9/RRR6/4K4 w", vec![TooMany(Piece::RedRook)]),
        ("3k5/9/9/9/9/pppppp3/9/9/9/4K4 w", vec![TooMany(Piece::BlackPawn)]),
        ("3k5/9/9/9/9/P8/P8/9/9/4K4 w", vec![pawns(Side::First, "a3", "a4")]),
        ("3k5/9/9/8p/8p/9/9/9/9/4K4 w", vec![pawns(Side::Second, "i5", "i6")]),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", vec![KingsFacing]),
        ("3k5/9/9/9/9/9/9/9/9/3RK4 w", vec![OpponentInCheck]),
        ("4k4/9/9/9/9/9/9/4p4/9/4K3r b", vec![OpponentInCheck]),
        (
            "4k4/9/9/9/9/P8/P8/9/9/RRR3K2 w",
            vec![
                TooMany(Piece::RedRook),
                ImpossibleSquare(Piece::RedKing, square("g0")),
                pawns(Side::First, "a3", "a4"),
            ],
        ),
    ];
    for (fen, expected) in table {
        assert_eq!(reasons(fen), expected, "{fen}");
        assert!(!SetupErrors(expected).to_string().is_empty());
    }
}

#[test]
fn each_role_has_points_where_it_cannot_stand() {
    for piece in Piece::ALL {
        let points = Square::all().filter(|&square| can_stand(piece, square)).count();
        let expected = match piece.role() {
            Role::King => 9,
            Role::Advisor => 5,
            Role::Elephant => 7,
            Role::Pawn => 55,
            Role::Rook | Role::Horse | Role::Cannon => 90,
        };
        assert_eq!(points, expected, "{piece:?}");
        for square in Square::all().filter(|&square| !can_stand(piece, square)) {
            let mut setup = Setup::empty();
            let free = |at: Square| at != square;
            let red = [Square::at(3, 0), Square::at(3, 1)].into_iter().find(|&s| free(s)).unwrap();
            let black =
                [Square::at(5, 9), Square::at(5, 8)].into_iter().find(|&s| free(s)).unwrap();
            if piece != Piece::RedKing {
                setup.board[red.index()] = Some(Piece::RedKing);
            }
            if piece != Piece::BlackKing {
                setup.board[black.index()] = Some(Piece::BlackKing);
            }
            setup.board[square.index()] = Some(piece);
            let SetupErrors(reasons) = Position::from_setup(&setup).unwrap_err();
            assert!(
                reasons.contains(&SetupError::ImpossibleSquare(piece, square)),
                "{piece:?} on {square}: {reasons:?}"
            );
        }
    }
}
