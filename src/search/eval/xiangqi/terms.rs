//! The static evaluation except the terms of material: each side by itself, by the points that its
//! pieces reach. The value of a position is the difference.

use crate::game::Side;
use crate::search::eval::xiangqi::features::{
    ATTACKED_BY, BLOCKED_LEG, BOTTOM_CANNON, CANNON_MOBILITY, CENTRE_PAWN, CHEAPLY_ATTACKED,
    CHECKED, CROSSED, GUARDED, HORSE_MOBILITY, KING_MOBILITY, LINKED_CANNONS, LINKED_GUARDS,
    LINKED_HORSES, LINKED_ROOKS, LOOSE, MEN, OUTNUMBERED, PALACE_HITS, PAWN_NEAR_KING, PHALANX,
    PRESSED, ROOK_FILE, ROOK_MOBILITY, SMALL_MOBILITY, SUNK_ROOK, TEMPO, man,
};
use crate::search::eval::xiangqi::king::{self, Attack};
use crate::search::eval::xiangqi::reach::{Bearing, Reach, far_half, right_of};
use crate::search::eval::xiangqi::sink::Sink;
use crate::search::eval::xiangqi::view::View;
use crate::xiangqi::{Bitboard, Role, Square, king_attacks};

/// The terms of one side. This and what it calls is compiled into its callers, so that one of them can have it made
/// for processors with more instructions.
#[inline(always)]
pub(crate) fn side_terms<S: Sink>(view: &View<'_>, sink: &mut S) {
    placement(view, sink);
    let heavy = heavy_men(view, sink);
    mobility(view, sink);
    relations(view, sink);
    pawns(view, sink);
    patterns(view, heavy.linked_cannons, sink);
    linked_guards(view, sink);
    king::king_terms(view, heavy.attack, sink);
    if view.to_move() {
        sink.add(TEMPO, 1);
        if view.theirs.once.has(view.position.king(view.side)) {
            sink.add(CHECKED, 1);
        }
    }
}

#[inline(always)]
fn placement<S: Sink>(view: &View<'_>, sink: &mut S) {
    for square in view.men {
        if let Some(piece) = view.position.piece_at(square) {
            sink.place(piece, square);
        }
    }
}

const fn count(set: Bitboard) -> i32 {
    set.count_ones().cast_signed()
}

/// The facts about a side's rooks, horses and cannons together that later terms need.
struct HeavyMen {
    /// A cannon could go to the point of the other one.
    linked_cannons: bool,
    attack: Attack,
}

/// The terms of each rook, horse and cannon by itself: its mobility, a rook's file, its hold on the opponent's palace.
#[inline(always)]
fn heavy_men<S: Sink>(view: &View<'_>, sink: &mut S) -> HeavyMen {
    let small = view.theirs.by_small();
    let dear = view.men | view.theirs.below_rook();
    let palace = king::palace(!view.side);
    let cannons = view.own_men(Role::Cannon);
    let pawns = view.position.role(Role::Pawn);
    let own_pawns = pawns & view.men;
    let mut linked_cannons = false;
    let mut attack = Attack { bearers: 0, cannon_reach: view.own.cannons };
    for bearing in &view.own.heavy {
        let Bearing { role, square, quiet, takes } = *bearing;
        let hits = match role {
            Role::Rook => {
                sink.add_at(square, ROOK_MOBILITY + count(takes - dear) as usize, 1);
                let [file, _] = FILES[square.file() as usize];
                sink.add_at(square, ROOK_FILE, i32::from(!own_pawns.meets(file)));
                sink.add_at(square, ROOK_FILE + 1, i32::from(!pawns.meets(file)));
                PALACE_HITS
            }
            Role::Cannon => {
                let free = quiet - view.occupied;
                sink.add_at(square, CANNON_MOBILITY + count(free - small) as usize, 1);
                linked_cannons |= quiet.meets(cannons);
                attack.cannon_reach |= free;
                PALACE_HITS + 2
            }
            _ => {
                let free = takes - view.men - small;
                sink.add_at(square, HORSE_MOBILITY + count(free) as usize, 1);
                let legs = NEIGHBOURS[square.index()] & view.men;
                sink.add_at(square, BLOCKED_LEG, count(legs));
                PALACE_HITS + 1
            }
        };
        if takes.meets(palace) {
            attack.bearers += 1;
            sink.add_at(square, hits, count(takes & palace));
        }
    }
    HeavyMen { linked_cannons, attack }
}

/// The mobility of the other pieces.
#[inline(always)]
fn mobility<S: Sink>(view: &View<'_>, sink: &mut S) {
    sink.add(SMALL_MOBILITY, count(view.own.pawns - view.occupied));
    sink.add(SMALL_MOBILITY + 1, count(view.own.advisors - view.occupied));
    sink.add(SMALL_MOBILITY + 2, count(view.own.elephants - view.occupied));
    let king = view.position.king(view.side);
    let steps = king_attacks(king) - view.men - view.theirs.once;
    sink.add_at(king, KING_MOBILITY + count(steps).min(4) as usize, 1);
}

/// The four points beside each square.
static NEIGHBOURS: [Bitboard; Square::COUNT] = {
    let mut table = [Bitboard::EMPTY; Square::COUNT];
    let mut i = 0;
    while i < Square::COUNT {
        let mut d = 0;
        while d < 4 {
            let (files, ranks) = [(1, 0), (0, 1), (-1, 0), (0, -1)][d];
            if let Some(square) = Square::from_index(i).offset(files, ranks) {
                table[i] = table[i].with(square);
            }
            d += 1;
        }
        i += 1;
    }
    table
};

/// Attackers and guards of the pieces, and the cost of exchanges.
#[inline(always)]
fn relations<S: Sink>(view: &View<'_>, sink: &mut S) {
    let men = view.men.without(view.position.king(view.side));
    let own = view.own;
    let theirs = view.theirs;
    let idle = men & (own.once - theirs.once);
    sink.add(GUARDED, count(idle));
    sink.add(GUARDED + 1, count(idle & own.twice));
    let turn = if view.to_move() { 0 } else { MEN };
    for square in men & theirs.once {
        let Some(piece) = view.position.piece_at(square) else { continue };
        let at = Bitboard::of(square);
        let man = man(piece.role());
        if !own.once.meets(at) {
            sink.add_at(square, LOOSE + turn + man, 1);
        } else if cheaper(theirs, piece.role()).meets(at) {
            sink.add_at(square, CHEAPLY_ATTACKED + turn + man, 1);
        } else if theirs.twice.meets(at) && !own.twice.meets(at) {
            sink.add_at(square, OUTNUMBERED + turn + man, 1);
        } else {
            sink.add_at(square, PRESSED + man, 1);
        }
        for (i, by) in
            [theirs.pawns, theirs.horses, theirs.cannons, theirs.rooks].iter().enumerate()
        {
            sink.add_at(square, ATTACKED_BY + i * MEN + man, i32::from(by.meets(at)));
        }
    }
}

/// The points that pieces worth less than `role` bear on.
#[inline]
fn cheaper(reach: &Reach, role: Role) -> Bitboard {
    match role {
        Role::Rook => reach.below_rook(),
        Role::Horse | Role::Cannon => reach.by_small(),
        Role::Advisor | Role::Elephant => reach.pawns,
        Role::Pawn | Role::King => Bitboard::EMPTY,
    }
}

const fn files(mask: u128) -> u128 {
    let mut bits = 0;
    let mut rank = 0;
    while rank < 10 {
        bits |= mask << (9 * rank);
        rank += 1;
    }
    bits
}

/// Each file, and each with its neighbours.
static FILES: [[Bitboard; 2]; 9] = {
    let mut table = [[Bitboard::EMPTY; 2]; 9];
    let mut file = 0;
    while file < 9 {
        let near = ((0b111 << file) >> 1) & 0x1ff;
        table[file] = [Bitboard::from_bits(files(1 << file)), Bitboard::from_bits(files(near))];
        file += 1;
    }
    table
};

/// The points where the pawn of the middle file stands on its own half.
const CENTRE: [Bitboard; 2] = [
    Bitboard::of(Square::at(4, 3)).with(Square::at(4, 4)),
    Bitboard::of(Square::at(4, 6)).with(Square::at(4, 5)),
];

#[inline(always)]
fn pawns<S: Sink>(view: &View<'_>, sink: &mut S) {
    let pawns = view.own_men(Role::Pawn);
    let crossed = pawns & far_half(view.side);
    if !crossed.is_empty() {
        sink.add(CROSSED + count(crossed).min(5) as usize, 1);
        sink.add(PHALANX, count(right_of(crossed) & crossed));
        let king = view.position.king(!view.side);
        sink.add(PAWN_NEAR_KING, count(crossed & FILES[king.file() as usize][1]));
    }
    if pawns.meets(CENTRE[view.side.index()]) {
        let cannons = view.position.pieces(!view.side, Role::Cannon);
        sink.add(CENTRE_PAWN, count(cannons));
    }
}

/// The opponent's back rank.
const fn last_rank(side: Side) -> Bitboard {
    let rank = match side {
        Side::First => 81,
        Side::Second => 0,
    };
    Bitboard::from_bits(0x1ff << rank)
}

#[inline(always)]
fn patterns<S: Sink>(view: &View<'_>, linked_cannons: bool, sink: &mut S) {
    let rooks = view.own_men(Role::Rook);
    let cannons = view.own_men(Role::Cannon);
    let horses = view.own_men(Role::Horse);
    let last = last_rank(view.side);
    sink.add(LINKED_HORSES, i32::from(view.own.horses.meets(horses)));
    sink.add(LINKED_ROOKS, i32::from(view.own.rooks.meets(rooks)));
    sink.add(LINKED_CANNONS, i32::from(linked_cannons));
    sink.add(SUNK_ROOK, count(rooks & last));
    let bottom = cannons & last;
    if !bottom.is_empty() {
        sink.add(BOTTOM_CANNON, count(bottom));
        let rook_bears = view.own.rooks.meets(king::palace(!view.side));
        sink.add(BOTTOM_CANNON + 1, i32::from(rook_bears));
    }
}

#[inline(always)]
fn linked_guards<S: Sink>(view: &View<'_>, sink: &mut S) {
    sink.add(LINKED_GUARDS, i32::from(view.own.advisors.meets(view.own_men(Role::Advisor))));
    sink.add(LINKED_GUARDS + 1, i32::from(view.own.elephants.meets(view.own_men(Role::Elephant))));
}
