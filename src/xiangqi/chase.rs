//! Chases: the pieces that a move newly threatens to win. One definition for play, search,
//! explanations and endgame tables.
//!
//! The terms follow the Asian rules (AXF 2003, WXF 2018) in the form that engines use: a threat is
//! a capture that is possible and gains, by rank or because nothing can recapture; an offer to
//! exchange pieces of one kind is none; kings and pawns do not chase, and kings and pawns that have
//! not crossed the river are not chased.

use crate::game::{Game, Side};
use crate::xiangqi::attacks::{self, is_across};
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::piece::{Piece, Role};
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::square::Square;

/// The opponent's pieces that `mv`, a legal move in `before`, newly chases: a piece other than king and
/// pawn threatens to win them after the move, and none did before.
#[must_use]
pub fn chased(before: &Position, mv: Move) -> Bitboard {
    chased_among(before, mv, Bitboard::FULL)
}

/// The pieces on the squares `among` that [`chased`] names.
pub(crate) fn chased_among(before: &Position, mv: Move, among: Bitboard) -> Bitboard {
    let chaser = before.turn();
    let mut after = before.clone();
    after.make(mv);
    let in_check = threats(&after, chaser, among);
    // Only what is threatened now need be looked for in the position before; a threat that was there
    // already is no new chase.
    in_check - threats(before, chaser, in_check)
}

/// The pieces of the other side on the squares `among` that `chaser` threatens to win, whoever is to
/// move.
fn threats(position: &Position, chaser: Side, among: Bitboard) -> Bitboard {
    let victims = (position.side(!chaser) & among)
        - position.role(Role::King)
        - uncrossed(position.pieces(!chaser, Role::Pawn), !chaser);
    if victims.is_empty() {
        return Bitboard::EMPTY;
    }
    // Kings and pawns may chase for ever under all rules that judge chases.
    let chasers = position.side(chaser) - position.role(Role::King) - position.role(Role::Pawn);
    let mut in_check = Bitboard::EMPTY;
    for from in chasers {
        let Some(piece) = position.piece_at(from) else { continue };
        // A piece that one chaser threatens is chased; a second chaser adds nothing.
        let targets = (position.pseudo_targets(from, piece) & victims) - in_check;
        in_check |= targets
            .into_iter()
            .filter(|&to| is_threat(position, piece, Move::new(from, to)))
            .collect();
    }
    in_check
}

/// The pieces of `chaser` that threaten to win the piece on `victim`, whoever is to move.
pub(crate) fn chasers(position: &Position, chaser: Side, victim: Square) -> Bitboard {
    let exempt = position.role(Role::King) | position.role(Role::Pawn);
    let attackers = position.attackers(chaser, victim) - exempt;
    attackers
        .into_iter()
        .filter(|&from: &Square| {
            let piece = position.piece_at(from);
            piece.is_some_and(|piece| is_threat(position, piece, Move::new(from, victim)))
        })
        .collect()
}

fn uncrossed(pawns: Bitboard, side: Side) -> Bitboard {
    pawns.into_iter().filter(|&square| !is_across(side, square)).collect()
}

/// Returns true if the capture `mv` by `piece` threatens to win something.
fn is_threat(position: &Position, piece: Piece, mv: Move) -> bool {
    let Some(victim) = position.piece_at(mv.to()) else { return false };
    if !is_possible(position, piece.side(), mv, position) {
        return false;
    }
    wins_by_rank(piece.role(), victim.role())
        || !is_protected(position, victim.side(), mv) && !is_offer(position, piece, victim, mv)
}

/// Returns true if the capture of `victim` gains even if it is protected.
const fn wins_by_rank(attacker: Role, victim: Role) -> bool {
    match attacker {
        Role::Horse | Role::Cannon => matches!(victim, Role::Rook),
        Role::Advisor | Role::Elephant => {
            matches!(victim, Role::Rook | Role::Horse | Role::Cannon)
        }
        Role::King | Role::Rook | Role::Pawn => false,
    }
}

/// Returns true if `side` can recapture after the capture `mv`. A protector that is pinned, or
/// cannot answer the check that the capture gives, is none.
fn is_protected(position: &Position, side: Side, mv: Move) -> bool {
    let mut taken = position.clone();
    taken.make(mv);
    let protectors = taken.attackers(side, mv.to());
    protectors.into_iter().any(|from| is_possible(&taken, side, Move::new(from, mv.to()), position))
}

/// Returns true if attacker and victim are of one kind and attack each other: an offer to exchange.
fn is_offer(position: &Position, attacker: Piece, victim: Piece, mv: Move) -> bool {
    attacker.role() == victim.role()
        && position.pseudo_targets(mv.to(), victim).has(mv.from())
        && is_possible(position, victim.side(), Move::new(mv.to(), mv.from()), position)
}

/// Returns true if a pseudo-legal move of `side`, whoever is to move, exposes its king to no piece
/// that did not attack it in the position `judged`: a check already given there is ignored.
fn is_possible(position: &Position, side: Side, mv: Move, judged: &Position) -> bool {
    if !position.is_king_attacked_after(side, mv) {
        return true;
    }
    if position.king(side) == mv.from() || !judged.is_attacked_king(side) {
        return false;
    }
    let mut after = position.clone();
    after.make(mv);
    (king_attackers(&after, side) - king_attackers(judged, side)).is_empty()
}

/// The pieces that attack the king of `side`, a facing king included.
fn king_attackers(position: &Position, side: Side) -> Bitboard {
    let king = position.king(side);
    let facing =
        attacks::rook_attacks(king, position.occupancy()) & Bitboard::of(position.king(!side));
    position.attackers(!side, king) | facing
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces that a move newly chases, by the names of their squares.
    fn chases(fen: &str, mv: &str) -> String {
        let position = Position::from_fen(fen).unwrap();
        let mv = Move::parse(mv).unwrap();
        assert!(position.is_legal(mv), "{mv} in {fen}");
        let victims = chased(&position, mv);
        let mut after = position.clone();
        after.make(mv);
        assert!(victims.into_iter().all(|at| !chasers(&after, position.turn(), at).is_empty()));
        victims.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_a_chase() {
        for (what, fen, mv, expected) in [
            ("direct", "4k4/9/9/9/2n6/9/9/R8/9/3K5 w", "a2c2", "c5"),
            ("not new", "4k4/9/9/9/2n6/9/9/2R6/9/3K5 w", "c2c3", ""),
            ("protected", "2r1k4/9/9/9/2n6/9/9/R8/9/3K5 w", "a2c2", ""),
            ("protector pinned", "4k4/9/2n1r4/9/9/9/9/R3R4/9/3K5 w", "a2c2", "c7"),
            ("protected rook", "2r1k4/9/2r6/9/9/2P6/9/C8/9/3K5 w", "a2c2", "c7"),
            ("attacker pinned", "3kr4/9/9/9/9/9/n8/9/4R4/4K4 w", "e1e3", ""),
            ("discovered by a pawn", "4k4/9/9/9/R1P1n4/9/9/9/9/3K5 w", "c5c6", "e5"),
            ("by a new screen", "4k4/9/2n6/9/9/9/N8/9/9/2CK5 w", "a3c4", "c7"),
            ("by a pawn", "4k4/9/9/2n6/3P5/9/9/9/9/3K5 w", "d5d6", ""),
            ("by the king", "9/4k4/9/9/9/9/9/4n4/3K5/9 w", "d1d2", ""),
            ("pawn at home", "4k4/9/9/2p6/9/9/9/R8/9/3K5 w", "a2c2", ""),
            ("pawn across", "4k4/9/9/9/9/2p6/9/R8/9/3K5 w", "a2c2", "c4"),
            ("offer", "4k4/9/9/9/3n5/9/9/N8/9/3K5 w", "a2c3", ""),
            ("no offer: leg blocked", "4k4/9/9/9/3n5/3p5/9/N8/9/3K5 w", "a2c3", "d5"),
            ("offer of rooks", "4k4/9/9/9/2r6/9/9/R8/9/3K5 w", "a2c2", ""),
            ("no offer: pinned", "4k4/9/9/4r4/9/9/9/R3R4/9/3K5 w", "a2a6", "e6"),
        ] {
            assert_eq!(chases(fen, mv), expected, "{what}: {fen}");
        }
    }
}
