//! Numbers for the placements of a material: a dense mixed radix of groups.
//!
//! Per side the king with its advisors and elephants is one group of legal placements; each kind of
//! attacker is a group of combinations of the squares it can ever reach. The left-right mirror is
//! folded through one group: of two mirrored digits of that group only the smaller is stored. Where
//! a digit of the fold group is its own mirror image, a placement and its mirror image are two
//! slots. The second side's digits are numbered as that side sees the board, so that exchanging the
//! colours of a symmetric material exchanges digits.

use arrayvec::ArrayVec;

use crate::game::Side;
use crate::tablebase::material::Material;
use crate::xiangqi::{Bitboard, Piece, Role, Square, can_stand};

/// No legal placement of the group.
pub(crate) const NO_DIGIT: u32 = u32::MAX;

/// More pieces than any table of at most `u32::MAX` slots has.
pub(crate) const MAX_MEN: usize = 16;
/// A group of palace pieces and four kinds of attackers for each side.
pub(crate) const MAX_GROUPS: usize = 10;

/// One digit for each group, unfolded.
pub(crate) type Digits = ArrayVec<u32, MAX_GROUPS>;
/// The squares of the pieces, in the order of [`Index::men`].
pub(crate) type Squares = ArrayVec<Square, MAX_MEN>;

pub(crate) const NONE: u32 = u32::MAX;

/// Binomial coefficients `[n][k]` for n up to 90, k up to 5.
pub(crate) const BINOMIAL: [[u32; 6]; 91] = {
    let mut table = [[0; 6]; 91];
    let mut n = 0;
    while n < 91 {
        table[n][0] = 1;
        let mut k = 1;
        while k < 6 && n > 0 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// A piece of the table: a place in [`Squares`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Man {
    pub(crate) piece: Piece,
    pub(crate) group: usize,
}

/// The numbering of the placements of a group.
#[derive(Debug)]
enum Ranker {
    /// By king square and set of advisors and elephants: 9 × 4096 cells.
    Palace(Vec<u16>),
    /// Combinations in colexicographic order.
    Attackers,
}

#[derive(Debug)]
pub(crate) struct Group {
    side: Side,
    /// Range of its pieces.
    pub(crate) men: std::ops::Range<usize>,
    /// Number of placements, unfolded.
    pub(crate) size: u32,
    /// The stride of its (folded) digit.
    pub(crate) stride: u32,
    ranker: Ranker,
    /// Number of each square among those its pieces can stand on, as the side sees it; for the palace
    /// group the bit of an advisor or elephant there (their points differ).
    local: [u8; 90],
    /// The squares of each placement, `men.len()` each.
    squares: Vec<Square>,
    /// The digit of the mirror image.
    mirror: Vec<u32>,
    /// Digits that can never arise: two pawns on one file of their own half. Empty if none.
    impossible: Vec<bool>,
    /// For finding digits after one piece moves.
    steps: Steps,
}

/// Tables for the digit after a move of one piece of a group.
#[derive(Debug)]
enum Steps {
    /// A lone piece: the digit by square.
    Lone(Vec<u32>),
    /// Two attackers: the digit by both squares, 90 times the one plus the other.
    Pair(Vec<u16>),
    /// Palace pieces: the cell of [`Ranker::Palace`] by digit.
    Palace(Vec<u16>),
    /// More attackers: the digit is ranked anew.
    Many,
}

/// A group one of whose pieces is about to move: gives its digit with the piece on another square.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mover<'a> {
    Lone(&'a [u32]),
    /// The row of the other piece.
    Pair(&'a [u16]),
    /// The ranks and bits of [`Ranker::Palace`]; the cell without the piece.
    PalaceKing(&'a [u16], Side, usize),
    PalaceMan(&'a [u16], &'a Group, usize),
    /// The piece's place in the group, and the placement.
    Many(&'a Group, usize, u32),
}

impl Mover<'_> {
    /// The digit with the piece on `to`, a free square where such a piece can stand.
    #[inline(always)]
    pub(crate) fn digit(&self, to: Square) -> u32 {
        match *self {
            Self::Lone(digits) => digits[to.index()],
            Self::Pair(row) => u32::from(row[to.index()]),
            _ => self.ranked_digit(to),
        }
    }

    fn ranked_digit(&self, to: Square) -> u32 {
        match *self {
            Self::Lone(_) | Self::Pair(_) => NONE,
            Self::PalaceKing(ranks, side, cell) => {
                u32::from(ranks[palace_cell(palace_number(own(side, to)), cell)])
            }
            Self::PalaceMan(ranks, group, cell) => {
                u32::from(ranks[cell | 1 << group.local[own(group.side, to).index()]])
            }
            Self::Many(group, place, digit) => {
                let mut squares: ArrayVec<Square, 5> =
                    group.placement(digit).iter().copied().collect();
                squares[place] = to;
                group.digit(&squares).unwrap_or(digit)
            }
        }
    }
}

/// The numbering of a material's placements.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) material: Material,
    pub(crate) groups: Vec<Group>,
    pub(crate) men: Vec<Man>,
    /// Number of pieces of the first side.
    pub(crate) first_men: usize,
    /// By side: the number of its kings, advisors and elephants, which come first.
    palace_men: [usize; 2],
    is_symmetric: bool,
    fold: usize,
    folded: Vec<u32>,
    unfolded: Vec<u32>,
    /// By digit of the fold group: its share and that of its mirror image in a slot; [`NONE`] where
    /// that is not stored.
    fold_worth: Vec<[u32; 2]>,
    /// Number of slots for each side to move.
    pub(crate) slots: u32,
}

/// The material has more slots than 32 bits number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Index {
    /// Number of slots for each side to move; `None` if it exceeds 32 bits. Cheap.
    pub(crate) fn count_slots(material: Material) -> Option<u32> {
        let mut sizes = Vec::new();
        for (side, kinds) in group_kinds(material) {
            sizes.push(group_size(material, side, &kinds));
        }
        let product = sizes.iter().try_fold(1u64, |all, &(size, _)| all.checked_mul(size))?;
        let slots = sizes
            .iter()
            // Folding through a group keeps one of each mirrored pair and every digit that is its own
            // image: half of size and fixed ones together.
            .filter_map(|&(size, fixed)| (product / size).checked_mul(u64::midpoint(size, fixed)));
        u32::try_from(slots.min()?).ok().filter(|&slots| slots < u32::MAX)
    }

    /// Number of placements of all groups of attackers together: the size that the tables of an
    /// index grow with. Palace pieces have two thousand at most.
    pub(crate) fn count_digits(material: Material) -> u64 {
        let attackers =
            group_kinds(material).into_iter().filter(|(_, kinds)| kinds[0] != Role::King);
        attackers.map(|(side, kinds)| group_size(material, side, &kinds).0).sum()
    }

    pub(crate) fn new(material: Material) -> Result<Self, TooLarge> {
        Self::count_slots(material).ok_or(TooLarge)?;
        let mut groups = Vec::new();
        let mut men = Vec::new();
        let mut first_men = 0;
        for (side, kinds) in group_kinds(material) {
            let start = men.len();
            for &role in &kinds {
                for _ in 0..material.count(side, role) {
                    men.push(Man { piece: Piece::new(side, role), group: groups.len() });
                }
            }
            groups.push(Group::new(material, side, &kinds, start..men.len()));
            if side == Side::First {
                first_men = men.len();
            }
        }
        let fold = best_fold(&groups);
        let (folded, unfolded) = fold_maps(&groups[fold].mirror);
        let mut stride = 1;
        // The last group is the fastest: its placements lie beside each other, and going over them touches
        // memory in order.
        for (i, group) in groups.iter_mut().enumerate().rev() {
            group.stride = stride;
            stride *= if i == fold { unfolded.len() as u32 } else { group.size };
        }
        let fold_worth = fold_worth(&groups[fold], &folded);
        Ok(Self {
            material,
            groups,
            men,
            first_men,
            palace_men: Side::ALL.map(|side| palace_men(material, side)),
            is_symmetric: material.is_symmetric(),
            fold,
            folded,
            unfolded,
            fold_worth,
            slots: stride,
        })
    }

    /// The shares of a digit of the fold group and of its mirror image in a slot; [`NONE`] where
    /// that is not stored.
    #[inline]
    pub(crate) fn fold_worth(&self, digit: u32) -> [u32; 2] {
        self.fold_worth[digit as usize]
    }

    /// The share of the mirror image in a slot, without the fold group and the groups from `end` on.
    pub(crate) fn mirror_worth(&self, digits: &Digits, end: usize) -> u32 {
        let groups = self.groups[..end].iter().zip(digits).enumerate();
        let others = groups.filter(|&(g, _)| g != self.fold);
        others.map(|(_, (group, &digit))| group.mirror(digit)).sum()
    }

    /// The digit for which a folded digit of a group stands.
    #[inline]
    pub(crate) fn unfolded(&self, group: usize, digit: u32) -> u32 {
        if group == self.fold { self.unfolded[digit as usize] } else { digit }
    }

    /// Returns true if exchanging the colours leaves the material as it is; then only positions
    /// with the first side to move have slots.
    #[inline]
    pub(crate) fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }

    /// Number of sides to move that have slots of their own: 1 or 2.
    pub(crate) fn sides(&self) -> usize {
        if self.is_symmetric() { 1 } else { 2 }
    }

    /// The range of a side's pieces.
    pub(crate) fn men_of(&self, side: Side) -> std::ops::Range<usize> {
        match side {
            Side::First => 0..self.first_men,
            Side::Second => self.first_men..self.men.len(),
        }
    }

    /// The range of a side's rooks, horses, cannons and pawns.
    #[inline]
    pub(crate) fn attackers_of(&self, side: Side) -> std::ops::Range<usize> {
        let men = self.men_of(side);
        men.start + self.palace_men[side.index()]..men.end
    }

    /// The place of a side's king among the pieces.
    pub(crate) fn king(&self, side: Side) -> usize {
        match side {
            Side::First => 0,
            Side::Second => self.first_men,
        }
    }

    /// The digits of a slot.
    pub(crate) fn digits(&self, slot: u32) -> Digits {
        let mut rest = slot;
        let mut digits = Digits::new();
        for (i, group) in self.groups.iter().enumerate() {
            let digit = rest / group.stride;
            rest -= digit * group.stride;
            digits.push(if i == self.fold { self.unfolded[digit as usize] } else { digit });
        }
        digits
    }

    /// The slot of a placement; that of its mirror image if only that one is stored.
    #[inline]
    pub(crate) fn slot(&self, digits: &Digits) -> u32 {
        let fold = self.folded[digits[self.fold] as usize];
        let mut slot = 0;
        if fold == NONE {
            for (i, (group, &digit)) in self.groups.iter().zip(digits).enumerate() {
                let digit = group.mirror[digit as usize];
                let digit = if i == self.fold { self.folded[digit as usize] } else { digit };
                slot += digit * group.stride;
            }
        } else {
            for (i, (group, &digit)) in self.groups.iter().zip(digits).enumerate() {
                slot += if i == self.fold { fold } else { digit } * group.stride;
            }
        }
        slot
    }

    /// Returns true if the digit of the fold group is stored itself, not through its mirror image.
    #[inline]
    pub(crate) fn is_stored(&self, digits: &Digits) -> bool {
        self.folded[digits[self.fold] as usize] != NONE
    }

    /// Returns true if the digit of the fold group is its own mirror image, so that the placement
    /// and its mirror image are two slots (or one, if the whole placement is).
    #[inline]
    pub(crate) fn is_self_mirrored(&self, digits: &Digits) -> bool {
        let digit = digits[self.fold];
        self.groups[self.fold].mirror[digit as usize] == digit
    }

    /// The group through which mirror images are folded.
    #[inline]
    pub(crate) fn fold_group(&self) -> usize {
        self.fold
    }

    /// The digits of the mirror image.
    pub(crate) fn mirrored(&self, digits: &Digits) -> Digits {
        self.groups.iter().zip(digits).map(|(group, &digit)| group.mirror[digit as usize]).collect()
    }

    /// The digits with the colours exchanged; for symmetric materials.
    #[inline]
    pub(crate) fn swapped(&self, digits: &Digits) -> Digits {
        // Both sides have the same groups in the same order, and the second side's digits are numbered as
        // it sees the board.
        let half = digits.len() / 2;
        digits[half..].iter().chain(&digits[..half]).copied().collect()
    }

    /// The slots for each of `along` as the digit of `group`, the other digits being `digits`, which
    /// this changes; `None` for [`NO_DIGIT`].
    pub(crate) fn slots_along(
        &self,
        digits: &mut Digits,
        group: usize,
        along: &[u32],
        mut visit: impl FnMut(Option<u32>),
    ) {
        // Slots are linear in one group's digit if the others stay: the base is found once, and each
        // further slot is one multiplication.
        digits[group] = 0;
        if group == self.fold {
            let (base, image_base) = self.fold_bases(digits);
            for &digit in along {
                visit((digit != NONE).then(|| match self.fold_worth(digit) {
                    [NONE, image] => image_base + image,
                    [own, _] => base + own,
                }));
            }
            return;
        }
        let stride = self.groups[group].stride;
        // If the fold group's digit is not stored, the mirror image stands for the placement, and every
        // other digit is mirrored with it.
        let images = if self.is_stored(digits) { None } else { Some(&self.groups[group].mirror) };
        let base = self.slot(digits) - images.map_or(0, |mirror| mirror[0] * stride);
        for &digit in along {
            visit(
                (digit != NONE)
                    .then(|| base + images.map_or(digit, |mirror| mirror[digit as usize]) * stride),
            );
        }
    }

    /// The shares of all groups but the fold group in the slot of a placement and in that of its mirror
    /// image.
    fn fold_bases(&self, digits: &Digits) -> (u32, u32) {
        let groups = self.groups.iter().zip(digits).enumerate();
        let others = groups.filter(|&(g, _)| g != self.fold);
        others.fold((0, 0), |(base, image_base), (_, (group, &digit))| {
            (base + digit * group.stride, image_base + group.mirror(digit))
        })
    }

    /// The digits of pieces on squares, in the order of [`men`](Self::men). `None` if pieces of
    /// one group share a square or stand where they never can.
    pub(crate) fn digits_of(&self, squares: &[Square]) -> Option<Digits> {
        self.groups.iter().map(|group| group.digit(&squares[group.men.clone()])).collect()
    }

    /// The squares of the pieces.
    pub(crate) fn squares(&self, digits: &Digits) -> Squares {
        let mut squares = Squares::new();
        for (group, &digit) in self.groups.iter().zip(digits) {
            squares.extend(group.placement(digit).iter().copied());
        }
        squares
    }

    /// Number of positions of the whole board that a slot stands for: two, unless the mirror image
    /// is a slot of its own.
    pub(crate) fn weight(&self, slot: u32) -> u64 {
        let digit = slot / self.groups[self.fold].stride % self.unfolded.len() as u32;
        let unfolded = self.unfolded[digit as usize];
        let mirror = self.groups[self.fold].mirror[unfolded as usize];
        if mirror == unfolded { 1 } else { 2 }
    }
}

impl Group {
    fn new(material: Material, side: Side, kinds: &[Role], men: std::ops::Range<usize>) -> Self {
        let mut group = Self {
            side,
            men,
            size: 0,
            stride: 0,
            ranker: Ranker::Attackers,
            local: [u8::MAX; 90],
            squares: Vec::new(),
            mirror: Vec::new(),
            impossible: Vec::new(),
            steps: Steps::Many,
        };
        if kinds[0] == Role::King {
            group.fill_palace(material);
        } else {
            group.fill_attackers(kinds[0]);
        }
        group.mirror = (0..group.size).map(|digit| group.mirrored(digit)).collect();
        group.steps = group.steps();
        group
    }

    fn steps(&self) -> Steps {
        match (&self.ranker, self.men.len()) {
            (_, 1) => {
                Steps::Lone(Square::all().map(|a| self.digit(&[a]).unwrap_or(NONE)).collect())
            }
            (Ranker::Attackers, 2) => {
                // Two pieces have 4,005 placements at most: 16 bits suffice. Pairs that are no placement are never
                // looked up.
                let pairs = Square::all().flat_map(|a| Square::all().map(move |b| [a, b]));
                Steps::Pair(pairs.map(|pair| self.digit(&pair).unwrap_or(0) as u16).collect())
            }
            (Ranker::Attackers, _) => Steps::Many,
            (Ranker::Palace(ranks), _) => {
                let mut cells = vec![0; self.size as usize];
                let known = ranks.iter().enumerate().filter(|&(_, &rank)| rank != u16::MAX);
                known.for_each(|(cell, &rank)| cells[usize::from(rank)] = cell as u16);
                Steps::Palace(cells)
            }
        }
    }

    /// For the digits after one piece moves: the piece with number `place` in the group.
    #[inline]
    pub(crate) fn mover(&self, digit: u32, place: usize) -> Mover<'_> {
        match (&self.steps, &self.ranker) {
            (Steps::Lone(digits), _) => Mover::Lone(digits),
            (Steps::Pair(digits), _) => {
                let other = self.placement(digit)[1 - place].index();
                Mover::Pair(&digits[90 * other..][..90])
            }
            (Steps::Palace(cells), Ranker::Palace(ranks)) => {
                let cell = usize::from(cells[digit as usize]);
                if place == 0 {
                    // The cell without the king: see `palace_cell`.
                    Mover::PalaceKing(ranks, self.side, cell & 0xfff)
                } else {
                    let from = own(self.side, self.placement(digit)[place]);
                    Mover::PalaceMan(ranks, self, cell & !(1 << self.local[from.index()]))
                }
            }
            _ => Mover::Many(self, place, digit),
        }
    }

    /// The share of the mirror image of a digit in a slot, the group not being the fold group.
    #[inline]
    pub(crate) fn mirror(&self, digit: u32) -> u32 {
        self.mirror[digit as usize] * self.stride
    }

    /// Returns true if a digit can arise.
    #[inline]
    pub(crate) fn is_possible(&self, digit: u32) -> bool {
        self.impossible.get(digit as usize) != Some(&true)
    }

    fn fill_palace(&mut self, material: Material) {
        for (role, first_bit) in [(Role::Elephant, 0), (Role::Advisor, 7)] {
            for (i, square) in standing(role).enumerate() {
                self.local[square.index()] = first_bit + i as u8;
            }
        }
        let advisors = material.count(self.side, Role::Advisor);
        let elephants = material.count(self.side, Role::Elephant);
        // Nine squares, ten pairs of advisors and 21 of elephants make 1,890 placements at most: 16 bits suffice
        // for them, and the greatest number stays free for cells that are none.
        let mut ranks = vec![u16::MAX; 9 * 32 * 128];
        for king in standing(Role::King) {
            for a in subsets(5, advisors) {
                for b in subsets(7, elephants) {
                    let men = members(Role::Advisor, a).chain(members(Role::Elephant, b));
                    let men: ArrayVec<Square, 5> = std::iter::once(king).chain(men).collect();
                    let set: Bitboard = men.iter().copied().collect();
                    if set.len() as usize == men.len() {
                        ranks[palace_cell(palace_number(king), a << 7 | b)] = self.size as u16;
                        self.size += 1;
                        self.squares.extend(men.iter().map(|&square| own(self.side, square)));
                    }
                }
            }
        }
        self.ranker = Ranker::Palace(ranks);
    }

    fn fill_attackers(&mut self, role: Role) {
        let points: Vec<Square> = standing(role).collect();
        for (i, square) in points.iter().enumerate() {
            self.local[square.index()] = i as u8;
        }
        let count = self.men.len();
        self.size = BINOMIAL[points.len()][count];
        let mut chosen: ArrayVec<usize, 5> = (0..count).collect();
        for _ in 0..self.size {
            self.squares.extend(chosen.iter().map(|&i| own(self.side, points[i])));
            if role == Role::Pawn && count > 1 {
                self.impossible.push(has_doubled_pawns(chosen.iter().map(|&i| points[i])));
            }
            next_combination(&mut chosen);
        }
    }

    fn mirrored(&self, digit: u32) -> u32 {
        let squares: ArrayVec<Square, MAX_MEN> =
            self.placement(digit).iter().map(|square| square.mirrored()).collect();
        self.digit(&squares).unwrap_or(digit)
    }

    /// The squares of a placement.
    #[inline]
    pub(crate) fn placement(&self, digit: u32) -> &[Square] {
        let count = self.men.len();
        &self.squares[digit as usize * count..][..count]
    }

    /// The number of a placement; the pieces of one kind in any order.
    #[inline]
    pub(crate) fn digit(&self, squares: &[Square]) -> Option<u32> {
        match &self.ranker {
            Ranker::Palace(ranks) => self.palace_digit(ranks, squares),
            Ranker::Attackers => self.attackers_digit(squares),
        }
    }

    #[inline]
    fn palace_digit(&self, ranks: &[u16], squares: &[Square]) -> Option<u32> {
        let king = own(self.side, squares[0]);
        if !can_stand(Piece::RedKing, king) {
            return None;
        }
        let mut men = 0;
        for &square in &squares[1..] {
            let bit = self.local_of(square);
            if bit == u8::MAX {
                return None;
            }
            men |= 1 << bit;
        }
        let rank = ranks[palace_cell(palace_number(king), men)];
        (rank != u16::MAX).then_some(u32::from(rank))
    }

    /// The number of a square, as the group's side sees it, among those of the group.
    #[inline]
    fn local_of(&self, square: Square) -> u8 {
        self.local[own(self.side, square).index()]
    }

    fn attackers_digit(&self, squares: &[Square]) -> Option<u32> {
        // One piece and two, which nearly all groups have, need no sorting and no sum.
        if let &[square] = squares {
            let local = self.local_of(square);
            return (local != u8::MAX).then_some(u32::from(local));
        }
        if let &[a, b] = squares {
            let a = self.local_of(a);
            let b = self.local_of(b);
            let low = a.min(b);
            let high = a.max(b);
            let is_pair = low != high && high != u8::MAX;
            return is_pair.then(|| BINOMIAL[usize::from(high)][2] + u32::from(low));
        }
        let mut chosen: ArrayVec<u8, 5> =
            squares.iter().map(|&square| self.local_of(square)).collect();
        chosen.sort_unstable();
        if chosen.last() == Some(&u8::MAX) || chosen.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let terms = chosen.iter().enumerate();
        Some(terms.map(|(i, &c)| BINOMIAL[usize::from(c)][i + 1]).sum())
    }
}

/// The groups of a material: the first side's palace pieces and attackers, then the second's.
fn group_kinds(material: Material) -> Vec<(Side, Vec<Role>)> {
    let mut kinds = Vec::new();
    for side in Side::ALL {
        kinds.push((side, vec![Role::King, Role::Advisor, Role::Elephant]));
        for role in [Role::Rook, Role::Horse, Role::Cannon, Role::Pawn] {
            if material.count(side, role) > 0 {
                kinds.push((side, vec![role]));
            }
        }
    }
    kinds
}

/// Number of placements of a group, and of those that are their own mirror image.
fn group_size(material: Material, side: Side, kinds: &[Role]) -> (u64, u64) {
    if kinds[0] == Role::King {
        let group = Group::new(material, side, kinds, 0..palace_men(material, side));
        let fixed = group.mirror.iter().enumerate().filter(|&(d, &m)| d as u32 == m).count();
        return (u64::from(group.size), fixed as u64);
    }
    let points = standing(kinds[0]).count();
    let count = usize::from(material.count(side, kinds[0]));
    let middle = standing(kinds[0]).filter(|square| square.mirrored() == *square).count();
    let pairs = (points - middle) / 2;
    // A placement is its own mirror image if it consists of mirrored pairs and of points of the middle file.
    let fixed = (0..=count / 2).map(|p| choose(pairs, p) * choose(middle, count - 2 * p)).sum();
    (choose(points, count), fixed)
}

/// The number of sets of `k` among `n`.
fn choose(n: usize, k: usize) -> u64 {
    u64::from(BINOMIAL[n][k])
}

fn palace_men(material: Material, side: Side) -> usize {
    let roles = [Role::King, Role::Advisor, Role::Elephant];
    roles.iter().map(|&role| usize::from(material.count(side, role))).sum()
}

/// The group whose folding saves the most; the first of equals.
fn best_fold(groups: &[Group]) -> usize {
    (0..groups.len()).min_by_key(|&i| fixed_share(&groups[i])).unwrap_or(0)
}

/// The share of the placements that are their own mirror image, in parts of a thousand million.
fn fixed_share(group: &Group) -> u64 {
    let fixed = group.mirror.iter().enumerate().filter(|&(d, &m)| d as u32 == m).count();
    (fixed as u64 * 1_000_000_000).div_ceil(u64::from(group.size))
}

/// From digits to folded digits and back.
fn fold_maps(mirror: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut folded = vec![NONE; mirror.len()];
    let mut unfolded = Vec::new();
    for (digit, &mirror) in mirror.iter().enumerate() {
        // Of a digit and its mirror image the lower is stored.
        if digit as u32 <= mirror {
            folded[digit] = unfolded.len() as u32;
            unfolded.push(digit as u32);
        }
    }
    (folded, unfolded)
}

fn fold_worth(group: &Group, folded: &[u32]) -> Vec<[u32; 2]> {
    (0..group.size)
        .map(|digit: u32| {
            [digit, group.mirror[digit as usize]].map(|digit| match folded[digit as usize] {
                NONE => NONE,
                folded => folded * group.stride,
            })
        })
        .collect()
}

/// A square as the side sees the board.
#[inline]
fn own(side: Side, square: Square) -> Square {
    match side {
        Side::First => square,
        Side::Second => square.flipped(),
    }
}

/// The squares on which a piece of the first side can stand.
fn standing(role: Role) -> impl Iterator<Item = Square> {
    Square::all().filter(move |&square| can_stand(Piece::new(Side::First, role), square))
}

/// 0 to 8 for the points of the first side's palace.
const fn palace_number(square: Square) -> usize {
    // The palace has the files 3 to 5 and the ranks 0 to 2.
    square.rank() as usize * 3 + square.file() as usize - 3
}

/// `men`: elephants in bits 0 to 6, advisors in bits 7 to 11.
const fn palace_cell(king: usize, men: usize) -> usize {
    king << 12 | men
}

/// Subsets of `count` of `n` elements, as bit sets in ascending order.
fn subsets(n: u32, count: u8) -> impl Iterator<Item = usize> {
    (0..1usize << n).filter(move |set| set.count_ones() == u32::from(count))
}

fn members(role: Role, set: usize) -> impl Iterator<Item = Square> {
    standing(role).enumerate().filter(move |(i, _)| set >> i & 1 == 1).map(|(_, square)| square)
}

/// The next combination in colexicographic order.
pub(crate) fn next_combination(chosen: &mut [usize]) {
    for i in 0..chosen.len() {
        // The lowest element that can go up does, and those below it begin again.
        let limit = chosen.get(i + 1).copied().unwrap_or(usize::MAX);
        if chosen[i] + 1 < limit {
            chosen[i] += 1;
            for (j, c) in chosen.iter_mut().enumerate().take(i) {
                *c = j;
            }
            return;
        }
    }
}

/// Returns true if two pawns of the first side stand on one file of their own half.
fn has_doubled_pawns(pawns: impl Iterator<Item = Square>) -> bool {
    let mut files = 0u16;
    for square in pawns.filter(|square| square.rank() < 5) {
        if files >> square.file() & 1 == 1 {
            return true;
        }
        files |= 1 << square.file();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(name: &str) -> Index {
        Index::new(name.parse().unwrap()).unwrap()
    }

    #[test]
    fn slot_counts() {
        for (name, slots) in [
            ("KRvKAABB", 578_340),
            ("KNPvKAABB", 31_808_700),
            ("KRCvKR", 32_805_000),
            ("KPPvKAABB", 9_542_610),
        ] {
            let material = name.parse().unwrap();
            assert_eq!(Index::count_slots(material), Some(slots), "{name}");
            assert_eq!(index(name).slots, slots, "{name}");
        }
        assert_eq!(Index::count_slots("KRRNNCCvKRRNNCC".parse().unwrap()), None);
    }

    #[test]
    fn slots_and_placements_are_inverse() {
        for name in ["KvK", "KABvKAA", "KRvKABB", "KRRvKP", "KPPvKPP", "KRvKR", "KAABBvKAABB"] {
            let index = index(name);
            for slot in (0..index.slots).step_by(7) {
                let digits = index.digits(slot);
                let squares = index.squares(&digits);
                assert_eq!(index.digits_of(&squares), Some(digits.clone()), "{name} {slot}");
                assert_eq!(index.slot(&digits), slot, "{name} {slot}");
                let mirror: Squares = squares.iter().map(|square| square.mirrored()).collect();
                let mirror = index.digits_of(&mirror).unwrap();
                assert_eq!(mirror, index.mirrored(&digits));
                let same = index.slot(&mirror) == slot || index.is_self_mirrored(&digits);
                assert!(same, "{name} {slot}");
            }
        }
    }
}
