//! The weakest levels play as people do who see short threats: they capture a rook that hangs, keep their own, and mate in one.

use juzhong::engine::{Engine, EngineOptions, Level, choose_at};
use juzhong::game::{Game, Line, MoveList};
use juzhong::search::Limits;
use juzhong::xiangqi::{Move, Position, Role, RuleSet};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Positions of each kind that are tried.
const TRIED: usize = 150;

fn legal(position: &Position) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().copied().collect()
}

fn after(position: &Position, mv: Move) -> Position {
    let mut next = position.clone();
    next.make(mv);
    next
}

/// The captures of rooks that cannot be answered on the same square.
fn free_rooks(position: &Position) -> Vec<Move> {
    let is_free = |mv: &Move| {
        let captured = position.piece_at(mv.to());
        let is_rook = captured.is_some_and(|piece| piece.role() == Role::Rook);
        is_rook && !legal(&after(position, *mv)).iter().any(|reply| reply.to() == mv.to())
    };
    legal(position).into_iter().filter(is_free).collect()
}

/// Returns true if the opponent can capture a rook for nothing after a move.
fn hangs_rook(position: &Position, mv: Move) -> bool {
    !free_rooks(&after(position, mv)).is_empty()
}

fn is_mate(position: &Position, mv: Move) -> bool {
    after(position, mv).outcome().is_some()
}

/// Positions of games of random moves from the start, a third of the moves captures where there are some.
fn positions(seed: u64) -> impl Iterator<Item = Position> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::start();
    let mut ply = 0;
    std::iter::repeat_with(move || {
        let moves = legal(&position);
        if moves.is_empty() || ply >= 70 {
            position = Position::start();
            ply = 0;
            return position.clone();
        }
        let captures: Vec<Move> =
            moves.iter().copied().filter(|mv| position.piece_at(mv.to()).is_some()).collect();
        let among =
            if !captures.is_empty() && random.random_range(0..3) == 0 { &captures } else { &moves };
        position.make(among[random.random_range(0..among.len())]);
        ply += 1;
        position.clone()
    })
}

/// Tries a level in positions, with a chance of its own in each, and returns how many percent of its moves are as wanted.
fn percent(
    level: u8,
    of: impl Fn(&Position) -> bool,
    wanted: impl Fn(&Position, Move) -> bool,
) -> usize {
    let level = Level::new(level).unwrap();
    let options = EngineOptions::<RuleSet> {
        hash_mib: 1,
        seed: Some(0),
        multipv: level.lines(),
        ..EngineOptions::default()
    };
    let mut engine = Engine::<Position>::new(options).unwrap();
    let tried =
        positions(11).filter(|position| !legal(position).is_empty() && of(position)).take(TRIED);
    let good = tried.enumerate().filter(|(chance, position)| {
        engine.new_game();
        let line = Line::new(position.clone(), 0);
        let chance = *chance as u64 * 0x9e37_79b9;
        let choice = choose_at(&mut engine, &line, (level, Limits::default()), chance, &());
        wanted(position, choice.unwrap().mv)
    });
    good.count() * 100 / TRIED
}

#[test]
fn rooks_that_hang_are_captured() {
    let has_free = |position: &Position| !free_rooks(position).is_empty();
    let takes =
        |position: &Position, mv: Move| free_rooks(position).contains(&mv) || is_mate(position, mv);
    for (level, least) in [(1, 70), (2, 80), (3, 85)] {
        let found = percent(level, has_free, takes);
        println!("level {level} captures {found} %");
        assert!(found >= least, "level {level}: {found} %");
    }
}

#[test]
fn own_rooks_are_not_left_hanging() {
    // A rook can be lost, and can be kept.
    let is_threatened = |position: &Position| {
        let hanging = legal(position).into_iter().filter(|mv| hangs_rook(position, *mv)).count();
        hanging > 0 && hanging < legal(position).len()
    };
    for (level, most) in [(1, 5), (2, 4), (3, 3)] {
        let found = percent(level, is_threatened, |position, mv| {
            hangs_rook(position, mv) && !is_mate(position, mv)
        });
        println!("level {level} leaves a rook {found} %");
        assert!(found <= most, "level {level}: {found} %");
    }
}

#[test]
fn mates_in_one_are_found() {
    let has_mate = |position: &Position| legal(position).iter().any(|mv| is_mate(position, *mv));
    for level in [1, 2, 3] {
        let found = percent(level, has_mate, is_mate);
        println!("level {level} mates {found} %");
        assert!(found >= 95, "level {level}: {found} %");
    }
}
