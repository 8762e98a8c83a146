//! Every position that the rules allow can be searched, however odd its men are.

use juzhong::engine::{Engine, EngineOptions};
use juzhong::game::{Game, Line, MoveList, Side};
use juzhong::search::Limits;
use juzhong::xiangqi::{Piece, Position, Role, Setup, Square, can_stand};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn engine() -> Engine<Position> {
    Engine::new(EngineOptions { hash_mib: 1, ..EngineOptions::default() }).unwrap()
}

/// Searches and finds a legal move and a legal line, where there is a legal move at all.
fn search(engine: &mut Engine<Position>, position: &Position, limits: &Limits) {
    let fen = position.to_fen();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let choice = engine.choose(&Line::new(position.clone(), 0), limits, &());
    assert_eq!(choice.is_none(), moves.is_empty(), "{fen}");
    let mut after = position.clone();
    for mv in choice.map(|choice| choice.pv).unwrap_or_default() {
        assert!(after.is_legal(mv), "{mv} in {fen}");
        after.make(mv);
    }
    engine.new_game();
}

#[test]
fn chosen_extremes() {
    let fens = [
        // Kings alone; one side without anything else.
        "3k5/9/9/9/9/9/9/9/9/4K4 w",
        "3k5/9/9/9/9/9/9/9/4R4/RNBAKABNC w",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/9/9/9/5K3 b",
        // All attackers face each other in the middle.
        "3k5/9/1nrc1crn1/9/4PPPPP/ppppp4/9/1NRC1CRN1/9/5K3 w",
        "3k5/9/1nrc1crn1/9/4PPPPP/ppppp4/9/1NRC1CRN1/9/5K3 b",
        // Pawns at their end, and all of them before a king.
        "PPP1k4/9/9/9/9/9/9/9/9/3K1pppp w",
        "4k4/9/2PPPPP2/9/9/9/9/2ppppp2/9/4K4 w",
        // Cannons with many screens, and horses without legs.
        "2bakab2/4c4/2n1c1n2/p1p1p1p1p/9/9/P1P1P1P1P/2N1C1N2/4C4/2BAKAB2 w",
        // Guards only.
        "2bak1b2/4a4/9/9/9/9/9/9/4A4/2B1KAB2 w",
        // A rook, a cannon and a pawn check at once.
        "4k4/4P4/4C4/9/4R4/9/9/9/9/3K5 b",
    ];
    let mut engine = engine();
    for fen in fens {
        search(&mut engine, &Position::from_fen(fen).unwrap(), &Limits::depth(6));
    }
}

/// Any number of each kind of men, on any squares that they can reach.
fn random_setup(random: &mut impl Rng) -> Setup {
    let mut setup = Setup::empty();
    setup.turn = if random.random_ratio(1, 2) { Side::First } else { Side::Second };
    let full = random.random_range(0..=3_u32);
    for piece in Piece::ALL {
        let most = usize::from(piece.role().full_count());
        let count = match piece.role() {
            Role::King => 1,
            _ if full == 3 => most,
            _ => random.random_range(0..=most),
        };
        let free: Vec<Square> = Square::all().filter(|&square| can_stand(piece, square)).collect();
        for _ in 0..count {
            let square = free[random.random_range(0..free.len())];
            let king = setup.board[square.index()].is_some_and(|man| man.role() == Role::King);
            if !king {
                setup.board[square.index()] = Some(piece);
            }
        }
    }
    setup
}

#[test]
fn random_extremes() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut engine = engine();
    let mut searched = 0;
    while searched < 400 {
        let Ok(position) = Position::from_setup(&random_setup(&mut random)) else { continue };
        search(&mut engine, &position, &Limits::nodes(400));
        searched += 1;
    }
}
